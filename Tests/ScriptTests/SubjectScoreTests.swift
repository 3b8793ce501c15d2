// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Testing

@testable import FocalScript

/// What makes a subject's score, cue by cue, and the times that a director waits.
@Suite struct SubjectScoreTests {
  private static func detection(
    _ type: DetectionType, x: Double = 0.5, size: Double = 0.2, disparity: Float = 0.5,
    frame: Int = 0, id: Int64 = 1
  ) -> Detection {
    var detection = Detection(
      time: Scripts.frameTime(frame), detectionType: type,
      normalizedRect: NormalizedRect(
        x: x - size / 2, y: 0.5 - size / 2, width: size, height: size),
      focusDisparity: disparity)
    detection.detectionID = DetectionID(id)
    return detection
  }

  /// Weights of which none counts.
  private static var nothing: DirectorWeights {
    var weights = DirectorWeights()
    weights.facing = 0
    weights.size = 0
    weights.nearness = 0
    weights.centrality = 0
    weights.motion = 0
    weights.approach = 0
    weights.novelty = 0
    weights.faceTerm = 0
    weights.headTerm = 0
    weights.torsoTerm = 0
    weights.petTerm = 0
    weights.ballTerm = 0
    weights.otherTerm = 0
    return weights
  }

  private static func score(
    _ detection: Detection, _ course: SubjectCues.Course,
    _ change: (inout DirectorWeights) -> Void
  ) throws -> Double {
    var weights = nothing
    change(&weights)
    return try #require(SubjectCues([detection])).score(weights, course)
  }

  private static func isNear(_ a: Double, _ b: Double) -> Bool { abs(a - b) < 2e-6 }

  /// A face of a fifth of the picture's width, 0.2 beside its middle.
  @Test func everyCueCountsForItself() throws {
    let face = Self.detection(.humanFace, x: 0.7, disparity: 1.5)
    var course = SubjectCues.Course(facing: 0.25)
    course.speed = 0.1
    course.growth = 0.05
    course.age = 0.75
    #expect(Self.isNear(try Self.score(face, course) { $0.facing = 1 }, 0.25))
    #expect(Self.isNear(try Self.score(face, course) { $0.size = 1 }, 0.571429))
    #expect(Self.isNear(try Self.score(face, course) { $0.nearness = 1 }, 0.75))
    #expect(Self.isNear(try Self.score(face, course) { $0.centrality = 1 }, 0.849366))
    #expect(Self.isNear(try Self.score(face, course) { $0.motion = 1 }, 0.4))
    #expect(Self.isNear(try Self.score(face, course) { $0.approach = 1 }, 0.114286))
    #expect(Self.isNear(try Self.score(face, course) { $0.novelty = 1 }, 0.606531))
    // One that shrinks does not come, and no cue counts more than once.
    course.growth = -1
    course.speed = 10
    #expect(try Self.score(face, course) { $0.approach = 1 } == 0)
    #expect(try Self.score(face, course) { $0.motion = 1 } == 1)
  }

  /// The sum of all cues by the standard weights.
  @Test func standardScore() throws {
    let face = Self.detection(.humanFace, x: 0.7, disparity: 1.5)
    var course = SubjectCues.Course(facing: 1)
    course.speed = 0.1
    course.growth = 0.05
    course.age = 0.75
    let score = try #require(SubjectCues([face])).score(.standard, course)
    #expect(Self.isNear(score, 0.826599))
  }

  @Test func termsOfClasses() throws {
    let expected: [(DetectionType, Double)] = [
      (.humanFace, 0.01), (.humanHead, 0.02), (.humanTorso, 0.03), (.catBody, 0.04),
      (.catHead, 0.04), (.dogBody, 0.04), (.dogHead, 0.04), (.sportsBall, 0.05),
      (.unknown, 0.06), (.custom, 0.06),
    ]
    for (type, term) in expected {
      let found = try Self.score(Self.detection(type), SubjectCues.Course(facing: 1)) {
        $0.faceTerm = 0.01
        $0.headTerm = 0.02
        $0.torsoTerm = 0.03
        $0.petTerm = 0.04
        $0.ballTerm = 0.05
        $0.otherTerm = 0.06
      }
      #expect(Self.isNear(found, term), "\(type): \(found)")
    }
    let standard = DirectorWeights.standard
    #expect(standard.faceTerm == 0 && standard.headTerm == -0.05 && standard.torsoTerm == -0.1)
    #expect(standard.petTerm == -0.1 && standard.ballTerm == -0.2 && standard.otherTerm == -0.2)
  }

  /// Half a face at the picture's edge counts half; what is outside counts nothing.
  @Test func partsOutsideThePictureDoNotCount() throws {
    let course = SubjectCues.Course(facing: 1)
    let expected = [(0.1, 1.0), (0.0, 0.5), (1.05, 0.25), (-0.5, 0.0)]
    for (x, share) in expected {
      let found = try Self.score(Self.detection(.humanFace, x: x), course) { $0.facing = 1 }
      #expect(Self.isNear(found, share), "at \(x): \(found)")
    }
  }

  /// Faces and pets' heads look at the camera.
  @Test func headsOfPetsFaceTheCamera() throws {
    let facing: [DetectionType] = [.humanFace, .catHead, .dogHead]
    let others: [DetectionType] = [
      .humanHead, .humanTorso, .catBody, .dogBody, .sportsBall, .unknown, .custom,
    ]
    for type in facing { #expect(SubjectCues([Self.detection(type)])?.isFacing == true, "\(type)") }
    for type in others {
      #expect(SubjectCues([Self.detection(type)])?.isFacing == false, "\(type)")
    }
    // A cat of which the body is seen alone, and one that shows its head.
    let body = Self.detection(.catBody, id: 1)
    let head = Self.detection(.catHead, id: 2)
    #expect(SubjectCues([body, head])?.isFacing == true)
    var director = OnlineDirector()
    let decision = director.update(at: .zero, detections: [body, head])
    #expect(decision?.detectionID == DetectionID(2))
  }

  // MARK: - Patience

  /// The frame in which focus goes to the second subject, of two that are seen from a frame on.
  private static func switched(
    _ change: (inout DirectorWeights) -> Void, to second: (Int) -> Detection?
  ) -> Int? {
    var weights = nothing
    weights.entranceTime = 0.29
    weights.facingTime = 0.69
    weights.patienceTime = 0.99
    // Scores are what is seen now.
    weights.smoothingTime = 1e-9
    change(&weights)
    var director = OnlineDirector(weights: weights)
    for frame in 0..<200 {
      let first = detection(.humanHead, x: 0.3, size: 0.07, frame: frame, id: 1)
      let detections = [first] + [second(frame)].compactMap { $0 }
      let decision = director.update(at: Scripts.frameTime(frame), detections: detections)
      if decision?.detectionID == DetectionID(2) { return frame }
    }
    return nil
  }

  /// A subject that leads is waited for: 9 frames if it has just appeared, 21 if it has turned to the camera, 30 else.
  @Test func patienceIsByWhatASubjectDid() throws {
    #expect(Scripts.frameTime(30) == Time(value: 1, timescale: 1))
    let entered = Self.switched {
      $0.facing = 1
      $0.lead = 0.75
    } to: { frame in
      frame < 90 ? nil : Self.detection(.humanFace, x: 0.7, frame: frame, id: 2)
    }
    #expect(entered == 99)
    // Three quarters of facing are reached nine frames after it turned: 1 - exp(-9/6) is 0.777.
    let turned = Self.switched {
      $0.facing = 1
      $0.lead = 0.75
    } to: { frame in
      Self.detection(frame < 90 ? .humanHead : .humanFace, x: 0.7, frame: frame, id: 2)
    }
    #expect(turned == 119)
    let grown = Self.switched {
      $0.size = 1
      $0.lead = 0.5
    } to: { frame in
      Self.detection(.humanHead, x: 0.7, size: frame < 90 ? 0.07 : 0.35, frame: frame, id: 2)
    }
    #expect(grown == 120)
  }
}
