// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Testing

@testable import FocalSample

@Suite struct SubjectTests {
  @Test func aBallsRectangleAndDisparityAreTheMaps() throws {
    let scene = SampleScene()
    let time = Time(value: 2, timescale: 1)
    let ball = try #require(scene.subjects(at: time).first { $0.kind == .ball })
    // At the rectangle's middle the map shows the ball's front.
    let size = Dimensions(width: 96, height: 54)
    let map = floats(try scene.disparity(at: time, dimensions: size))
    let (x, y) = ball.rect.center.pixel(in: size)
    #expect(near(Double(map[y * 96 + x]), ball.focusDisparity, within: 0.01))
    // Just outside its left and right edges it does not.
    for edge in [ball.rect.x - 0.02, ball.rect.maxX + 0.02] {
      let (x, y) = NormalizedPoint(x: edge, y: ball.rect.midY).pixel(in: size)
      #expect(abs(Double(map[y * 96 + x]) - ball.focusDisparity) > 0.02)
    }
  }

  @Test func identifiersAreStableAndDistinct() {
    let scene = SampleScene()
    var groups: [Int: Int] = [:]
    for seconds in [0.0, 2, 5, 9] {
      let subjects = scene.subjects(at: Time(seconds: seconds))
      #expect(Set(subjects.map(\.id)).count == subjects.count)
      for subject in subjects {
        #expect(groups[subject.id] == nil || groups[subject.id] == subject.groupID)
        groups[subject.id] = subject.groupID
        #expect(subject.focusDisparity > 0 && subject.focusDisparity < 1)
      }
    }
    for cue in scene.focusScript { #expect(groups.values.contains(cue.groupID)) }
  }

  @Test func theWalkerComesNearer() throws {
    let scene = SampleScene()
    let group = SampleScene.Group.walker.rawValue
    var last = 0.0
    for seconds in [1.0, 3, 5, 7, 9] {
      let face = try #require(
        scene.subjects(at: Time(seconds: seconds)).first {
          $0.groupID == group && $0.kind == .humanFace
        })
      #expect(face.focusDisparity > last)
      last = face.focusDisparity
    }
  }

  /// Where nothing is cut off at 0 or 1, and no border is near. Five maps tell the deviation to about a hundredth.
  @Test(arguments: [0.002, 0.006]) func thePhonesNoiseHasItsDeviation(_ deviation: Double) throws {
    let scene = SampleScene()
    let (width, height) = (96, 54)
    var options = PhoneDisparityOptions()
    options.dimensions = Dimensions(width: width, height: height)
    options.scaleJitter = 0
    options.offsetJitter = 0
    var differences: [Double] = []
    for frame in 0..<5 {
      let time = Time(value: Int64(frame), timescale: 30)
      options.noise = 0
      let clean = floats(try scene.phoneDisparity(at: time, options: options))
      options.noise = deviation
      let noisy = floats(try scene.phoneDisparity(at: time, options: options))
      for y in 3..<(height - 3) {
        for x in 3..<(width - 3) where (0.1...0.9).contains(clean[y * width + x]) {
          differences.append(Double(noisy[y * width + x] - clean[y * width + x]))
        }
      }
    }
    #expect(differences.count > 10000)
    let count = Double(differences.count)
    let mean = differences.reduce(0, +) / count
    let variance = differences.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / count
    #expect(abs(mean) < 0.1 * deviation)
    #expect(abs(variance.squareRoot() / deviation - 1) < 0.03)
  }

  @Test func aPhonesMapIsTheTruthBlurredAndRepeatable() throws {
    let scene = SampleScene()
    var options = PhoneDisparityOptions()
    options.dimensions = Dimensions(width: 32, height: 18)
    let a = floats(try scene.phoneDisparity(at: .zero, options: options))
    let b = floats(try scene.phoneDisparity(at: .zero, options: options))
    #expect(a == b)
    let next = Time(value: 1, timescale: 30)
    #expect(floats(try scene.phoneDisparity(at: next, options: options)) != a)
    options.noise = 0
    options.scaleJitter = 0
    options.offsetJitter = 0
    options.blur = 0
    let clean = floats(try scene.phoneDisparity(at: .zero, options: options))
    let fine = floats(
      try scene.disparity(at: .zero, dimensions: Dimensions(width: 64, height: 36)))
    for y in 0..<18 {
      for x in 0..<32 {
        let i = 2 * y * 64 + 2 * x
        let mean = (fine[i] + fine[i + 1] + fine[i + 64] + fine[i + 65]) / 4
        #expect(near(clean[y * 32 + x], mean, within: 1e-6))
      }
    }
    options.levels = 15
    let coarse = floats(try scene.phoneDisparity(at: .zero, options: options))
    #expect(coarse.allSatisfy { abs($0 * 15 - ($0 * 15).rounded()) < 1e-4 })
    options.noise = -1
    #expect(throws: CinematicError.self) {
      try scene.phoneDisparity(at: .zero, options: options)
    }
  }
}
