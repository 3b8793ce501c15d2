// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Something in the sample scene that a camera would detect, with its true place and disparity.
public struct SampleSubject: Hashable, Sendable {
  /// The detected parts.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    case humanFace
    case humanHead
    case humanTorso
    case catHead
    case catBody
    case ball
  }

  /// The same for one part of one subject through the whole clip; at least 1.
  public let id: Int
  /// The same for all parts of one subject; at least 1.
  public let groupID: Int
  /// The detected parts.
  public let kind: Kind
  /// Where it appears, in shares of the picture; may reach past its borders.
  public let rect: NormalizedRect
  /// The relative disparity of its front: of a head that looks at the camera, of its face.
  public let focusDisparity: Double
}

/// A moment of the sample scene's suggested focus: from `time` on, `groupID` is in focus.
public struct SampleFocusCue: Hashable, Sendable {
  /// When the subject comes into focus.
  public let time: Time
  /// The subject that comes into focus.
  public let groupID: Int
  /// How long the focus takes to get there.
  public let transition: Time
}

extension SampleScene {
  /// The groups of ``SampleSubject/groupID``.
  public enum Group: Int, Hashable, Sendable, CaseIterable {
    case lead = 1
    case friend = 2
    case neighbour = 3
    case walker = 4
    case cat = 5
    case ball = 6
  }

  /// A focus that tells the scene. On the terrace: the lead, the neighbour close by, the friend who waves, and
  /// the walker after arriving. Elsewhere: the lead, then the friend.
  public var focusScript: [SampleFocusCue] {
    let start = SampleFocusCue(time: .zero, groupID: Group.lead.rawValue, transition: .zero)
    guard kind == .terrace else {
      return [
        start,
        SampleFocusCue(
          time: Time(value: 44, timescale: 10), groupID: Group.friend.rawValue,
          transition: Time(value: 9, timescale: 10)),
      ]
    }
    return [start] + Self.terraceCues
  }

  private static let terraceCues = [
    SampleFocusCue(
      time: Time(value: 24, timescale: 10), groupID: Group.neighbour.rawValue,
      transition: Time(value: 7, timescale: 10)),
    SampleFocusCue(
      time: Time(value: 44, timescale: 10), groupID: Group.friend.rawValue,
      transition: Time(value: 9, timescale: 10)),
    SampleFocusCue(
      time: Time(value: 70, timescale: 10), groupID: Group.walker.rawValue,
      transition: Time(value: 8, timescale: 10)),
  ]

  /// The true detections at a time, for a picture of an aspect, in the order of their identifiers.
  ///
  /// A subject is listed while its rectangle touches the picture and it faces the camera far enough
  /// for its kind; what other subjects hide is not taken into account.
  ///
  /// - Parameter aspect: width over height.
  public func subjects(at time: Time, aspect: Double = 16.0 / 9.0) -> [SampleSubject] {
    let action = Float(max(0, min(Self.duration.seconds, time.seconds)))
    let camera = stage(at: time).camera
    var result: [SampleSubject] = []
    for (index, role) in cast(action).enumerated() {
      let parts = role.figure.parts(role.pose, scale: role.scale)
      let group = index + 1
      let first = index * 3 + 1
      let head = Box(camera, aspect, [(parts.headCenter, parts.headRadius)])
      let front = parts.headCenter + parts.headFront * (parts.headRadius * 0.9)
      let frontDisparity = Double(Camera.disparity(atDepth: camera.toCamera(front).z))
      if dot(parts.headFront, camera.position - parts.headCenter) > 0 {
        let face = parts.headCenter + parts.headFront * (parts.headRadius * 0.35)
        let box = Box(camera, aspect, [(face, parts.headRadius * 0.78)])
        result.append(box.subject(first, group, .humanFace, frontDisparity))
      }
      result.append(head.subject(first + 1, group, .humanHead, frontDisparity))
      let torso = Box(
        camera, aspect,
        [(parts.torsoBottom, parts.torsoRadius), (parts.torsoTop, parts.torsoRadius * 0.6)])
      result.append(
        torso.subject(
          first + 2, group, .humanTorso,
          disparity(camera, (parts.torsoBottom + parts.torsoTop) * 0.5, parts.torsoRadius * 0.8)))
    }
    if kind == .terrace { result += animals(action, camera, aspect) }
    return result.filter {
      $0.rect.intersection(NormalizedRect(x: 0, y: 0, width: 1, height: 1)).area > 0
    }
  }

  /// The cat and the ball.
  private func animals(_ action: Float, _ camera: Camera, _ aspect: Double) -> [SampleSubject] {
    var result: [SampleSubject] = []
    let (cat, _) = catPlacement(action)
    let (headCenter, headRadius) = Cat.head(cat)
    result.append(
      Box(camera, aspect, [(headCenter, headRadius)]).subject(
        13, Group.cat.rawValue, .catHead, disparity(camera, headCenter, headRadius * 0.9)))
    result.append(
      Box(camera, aspect, [(cat.point(0, 0.1, 0), 0.14), (headCenter, headRadius)]).subject(
        14, Group.cat.rawValue, .catBody, disparity(camera, cat.point(0, 0.15, 0), 0.13)))
    let (ball, radius, _) = ball(action)
    result.append(
      Box(camera, aspect, [(ball, radius)]).subject(
        15, Group.ball.rawValue, .ball, disparity(camera, ball, radius)))
    return result
  }

  /// The relative disparity of a sphere's nearest point.
  private func disparity(_ camera: Camera, _ center: Vector, _ radius: Float) -> Double {
    Double(Camera.disparity(atDepth: camera.toCamera(center).z - radius))
  }

  /// The rectangle around some spheres, as the pinhole camera sees them.
  private struct Box {
    let rect: NormalizedRect

    init(_ camera: Camera, _ aspect: Double, _ spheres: [(Vector, Float)]) {
      // A picture one unit wide: slopes times the focal length are shares of the width.
      var x0 = Float.infinity
      var x1 = -Float.infinity
      var y0 = Float.infinity
      var y1 = -Float.infinity
      for (center, radius) in spheres {
        let c = camera.toCamera(center)
        let (left, right) = LensView.tangents(c.x, c.z, radius)
        let (bottom, top) = LensView.tangents(c.y, c.z, radius)
        x0 = min(x0, left)
        x1 = max(x1, right)
        y0 = min(y0, bottom)
        y1 = max(y1, top)
      }
      let f = Double(Camera.focalLength)
      rect = NormalizedRect(
        x: 0.5 + f * Double(x0), y: 0.5 - f * aspect * Double(y1), width: f * Double(x1 - x0),
        height: f * aspect * Double(y1 - y0))
    }

    func subject(
      _ id: Int, _ group: Int, _ kind: SampleSubject.Kind, _ disparity: Double
    ) -> SampleSubject {
      SampleSubject(id: id, groupID: group, kind: kind, rect: rect, focusDisparity: disparity)
    }
  }
}
