// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalSample
import FocalSubjects
import Foundation
import SubjectKernels
import Testing

/// Things that touch in the map, told apart where they are asked for.
@Suite struct ThingTests {
  /// The number of each pixel's part, and how many parts there are.
  private static func divided(
    _ map: [Float], _ layer: [UInt8], _ width: Int, _ height: Int
  ) -> (parts: [UInt8], count: Int) {
    var parts = [UInt8](repeating: 0, count: map.count)
    var found: Int32 = 0
    let failed = focal_subject_divide(
      map, layer, Int32(width), Int32(height), 0.11, 0.42, &parts, &found)
    #expect(failed == 0)
    return (parts, Int(found))
  }

  private static func isDisc(_ x: Int, _ y: Int, at column: Int, _ row: Int, _ radius: Int) -> Bool
  {
    (x - column) * (x - column) + (y - row) * (y - row) < radius * radius
  }

  /// Two discs of one disparity, joined by a bar: two things where the bar is thin, one where it is nearly as wide.
  @Test(arguments: [(5, 2), (18, 1)]) func necksDivide(_ reach: Int, _ wanted: Int) {
    let (width, height) = (160, 90)
    var layer = [UInt8](repeating: 0, count: width * height)
    for y in 0..<height {
      for x in 0..<width {
        let isLeft = Self.isDisc(x, y, at: 42, 45, 28), isRight = Self.isDisc(x, y, at: 118, 45, 34)
        let isBar = abs(y - 45) <= reach && (42..<118).contains(x)
        layer[y * width + x] = isLeft || isRight || isBar ? 1 : 0
      }
    }
    let map = layer.map { 0.1 + 0.5 * Float($0) }
    let (parts, count) = Self.divided(map, layer, width, height)
    #expect(count == wanted)
    let (left, right) = (parts[45 * width + 30], parts[45 * width + 130])
    #expect((left == right) == (wanted == 1) && left != 0 && right == 1)
    let isWhole = parts.indices.allSatisfy { (parts[$0] != 0) == (layer[$0] != 0) }
    #expect(isWhole)
  }

  /// A ring is one thing with the spokes and the hub in it, however thin those are.
  @Test func ringsAreOneThing() {
    let (width, height) = (120, 120)
    var layer = [UInt8](repeating: 0, count: width * height)
    for y in 0..<height {
      for x in 0..<width {
        let isRim = Self.isDisc(x, y, at: 60, 60, 55) && !Self.isDisc(x, y, at: 60, 60, 33)
        let isHub = Self.isDisc(x, y, at: 60, 60, 16)
        let isSpoke =
          (abs(x - 60) <= 3 || abs(y - 60) <= 3) && Self.isDisc(x, y, at: 60, 60, 50)
        layer[y * width + x] = isRim || isHub || isSpoke ? 1 : 0
      }
    }
    #expect(Self.divided(layer.map { Float($0) }, layer, width, height).count == 1)
  }

  /// A box before a figure is another thing; what an arm before it cuts off is not.
  @Test(arguments: [false, true]) func stepsDivideButForArms(isBox: Bool) {
    let (width, height) = (120, 120)
    var map = [Float](repeating: 0.1, count: width * height)
    var layer = [UInt8](repeating: 0, count: width * height)
    for y in 0..<height {
      for x in 0..<width {
        let isBody = (30..<90).contains(x) && y >= 20
        // An arm that comes nearer downwards, and goes across the body.
        let isAcross = (84..<98).contains(y) || (40..<98).contains(y) && x < 44
        let isArm = !isBox && isAcross
        let nearer = 0.2 * min(1, Float(y - 40) / 44)
        let isThing = isBox && (20..<112).contains(x) && y >= 84
        guard isBody || isThing else { continue }
        layer[y * width + x] = 1
        map[y * width + x] = isThing ? 0.8 : isArm ? 0.5 + nearer : 0.5
      }
    }
    let (parts, count) = Self.divided(map, layer, width, height)
    #expect(count == (isBox ? 2 : 1))
    #expect((parts[50 * width + 60] == parts[110 * width + 60]) == !isBox)
  }

  /// Whatever a map has: parts lie in their layer, and there are as many as is said.
  @Test(arguments: [1, 2, 3] as [UInt64]) func noiseIsDividedSomehow(seed: UInt64) {
    let (width, height) = (64, 48)
    var random = SeededGenerator(seed: seed)
    let map = (0..<width * height).map { _ in Float(random.share()) }
    let layer = map.map { _ in random.share() < 0.8 ? UInt8(1) : 0 }
    let (parts, count) = Self.divided(map, layer, width, height)
    #expect(Int(parts.max() ?? 0) == count)
    let isInside = parts.indices.allSatisfy { parts[$0] == 0 || layer[$0] != 0 }
    #expect(isInside)
    #expect(Self.divided(map, map.map { _ in 0 }, width, height).count == 0)
    #expect(Self.divided([0.5], [1], 1, 1).count == 1)
  }

  /// Two men at two distances who touch at an arm: one part of the map.
  private struct Men {
    static let size = Dimensions(width: 320, height: 240)
    static let left = NormalizedPoint(x: 0.25, y: 0.7)
    static let right = NormalizedPoint(x: 0.75, y: 0.6)
    let request: GenerateForegroundInstanceMaskRequest
    let picture: PixelBuffer

    init() throws {
      var (codes, cells): ([UInt8], [Float]) = ([], [])
      for y in 0..<Self.size.height {
        for x in 0..<Self.size.width {
          let isLeft =
            ThingTests.isDisc(x, y, at: 80, 85, 30) || (35..<125).contains(x) && y >= 105
          let isRight =
            ThingTests.isDisc(x, y, at: 235, 55, 38) || (175..<295).contains(x) && y >= 85
          let isArm = (125..<175).contains(x) && (205..<225).contains(y)
          let texture = UInt8((x * 7 + y * 5) % 20)
          codes +=
            isLeft
            ? [170, 60 + texture, 40, 255]
            : isRight || isArm
              ? [40, 110 + texture, 50, 255] : [50, 70, UInt8(140 + (x ^ y) % 9), 255]
          let between = Float(x - 125) / 50
          cells.append(isLeft ? 0.62 : isRight ? 0.7 : isArm ? 0.62 + 0.08 * between : 0.1)
        }
      }
      picture = try PixelBuffer(dimensions: Self.size, format: .rgba8, values: codes)
      var request = GenerateForegroundInstanceMaskRequest()
      request.disparity = try PixelBuffer(
        dimensions: Self.size, format: .disparityFloat, tags: .linearBT709, values: cells)
      self.request = request
    }

    func found(
      points: [NormalizedPoint] = [], boxes: [NormalizedRect] = []
    ) async throws -> InstanceMaskObservation {
      var request = self.request
      (request.points, request.boxes) = (points, boxes)
      return try #require(try await request.perform(on: picture))
    }
  }

  /// A point takes one of both, two points take each, and what nobody points at stays one subject.
  @Test func pointsTellTouchingPeopleApart() async throws {
    let men = try Men()
    for (own, other) in [(Men.left, Men.right), (Men.right, Men.left)] {
      let found = try await men.found(points: [own])
      #expect(found.allInstances.count == 1)
      #expect(found.instance(at: own) == 1)
      #expect(found.instance(at: other) == nil)
    }
    let both = try await men.found(points: [Men.left, Men.right])
    #expect(both.instance(at: Men.left) == 1)
    #expect(both.instance(at: Men.right) == 2)
    // The head and the body of one are one.
    let head = NormalizedPoint(x: 0.73, y: 0.2)
    let one = try await men.found(points: [Men.right, head])
    #expect(one.allInstances.count == 1)
    #expect(one.instance(at: head) == 1)
    #expect(try await men.found().allInstances.count == 1)
  }

  /// Where all are wanted, someone before someone else is a subject of its own, and who touches at an arm is none.
  @Test func stepsDivideWhereAllAreWanted() async throws {
    let men = try Men()
    var request = men.request
    request.dividesAtSteps = true
    let touching = try await request.perform(on: men.picture)
    #expect(touching?.allInstances.count == 1)
    let size = Men.size
    var (codes, cells): ([UInt8], [Float]) = ([], [])
    for y in 0..<size.height {
      for x in 0..<size.width {
        let isFront = (150..<290).contains(x) && (60..<220).contains(y)
        let isBehind = (35..<165).contains(x) && (40..<220).contains(y)
        let texture = UInt8((x * 7 + y * 5) % 20)
        codes +=
          isFront
          ? [40, 110 + texture, 50, 255]
          : isBehind ? [170, 60 + texture, 40, 255] : [50, 70, UInt8(140 + (x ^ y) % 9), 255]
        cells.append(isFront ? 0.8 : isBehind ? 0.45 : 0.1)
      }
    }
    let picture = try PixelBuffer(dimensions: size, format: .rgba8, values: codes)
    request.disparity = try PixelBuffer(
      dimensions: size, format: .disparityFloat, tags: .linearBT709, values: cells)
    for dividesAtSteps in [false, true] {
      request.dividesAtSteps = dividesAtSteps
      let found = try #require(try await request.perform(on: picture))
      #expect(found.allInstances.count == (dividesAtSteps ? 2 : 1))
      let front = try #require(found.instance(at: NormalizedPoint(x: 0.7, y: 0.6)))
      let behind = try #require(found.instance(at: NormalizedPoint(x: 0.25, y: 0.6)))
      #expect((front == behind) != dividesAtSteps)
    }
  }

  /// A box takes who is in it; one around both takes both.
  @Test func boxesTellTouchingPeopleApart() async throws {
    let men = try Men()
    let right = try await men.found(
      boxes: [NormalizedRect(x: 0.45, y: 0.05, width: 0.52, height: 0.95)])
    #expect(right.instance(at: Men.right) == 1)
    #expect(right.instance(at: Men.left) == nil)
    let both = try await men.found(
      boxes: [NormalizedRect(x: 0.08, y: 0.05, width: 0.88, height: 0.95)])
    #expect(both.instance(at: Men.right) == 1)
    #expect(both.instance(at: Men.left) == 1)
  }

  /// A box in the middle of a subject takes all of it that it holds, and nothing beyond.
  @Test func boxesLeaveNoHoles() async throws {
    let men = try Men()
    let box = NormalizedRect(x: 0.6, y: 0.05, width: 0.25, height: 0.45)
    let found = try await men.found(boxes: [box])
    let labels = found.instanceMask
    var wrong = 0
    for y in 0..<labels.height {
      for x in 0..<labels.width {
        let (u, v) = (x * 320 / labels.width, y * 240 / labels.height)
        let isInBox = (194..<270).contains(u) && (14..<118).contains(v)
        // Along the outlines both are right.
        let isNear = Self.isDisc(u, v, at: 235, 55, 35) || v > 89
        let isFar = !Self.isDisc(u, v, at: 235, 55, 41) && v < 82
        let isBeyond = !(190..<274).contains(u) || !(10..<122).contains(v)
        let isFound = labels.withUnsafeBytes { $0[y * labels.planes[0].bytesPerRow + x] != 0 }
        if isFound ? isBeyond || isFar : isInBox && isNear { wrong += 1 }
      }
    }
    #expect(wrong <= 20, "\(wrong)")
  }

  /// In clips, who was pointed at stays the subject, and who touches him does not become it.
  @Test func followsOneOfTwoWhoTouch() async throws {
    let men = try Men()
    var request = men.request
    let map = try #require(request.disparity)
    request.points = [Men.right]
    let follower = SubjectFollower(request)
    for _ in 0..<3 {
      let found = try await follower.observation(of: men.picture, disparity: map)
      let mask = try found.mask(of: men.picture).floats
      #expect(mask[144 * 320 + 240] > 0.9 && mask[168 * 320 + 80] < 0.03)
    }
  }

  /// What goes on beyond a box is not sure to be wanted.
  @Test func confidenceIsLessBeyondABox() async throws {
    let men = try Men()
    func confidence(height: Double) async throws -> Float {
      let box = NormalizedRect(x: 0.52, y: 0.05, width: 0.43, height: height)
      return try #require(try await men.found(boxes: [box]).confidence(of: 1))
    }
    let (whole, part) = (try await confidence(height: 0.95), try await confidence(height: 0.7))
    #expect(part < whole - 0.15 && part > 0, "\(part) \(whole)")
    // Nor is it in the frames that follow.
    var request = men.request
    let map = try #require(request.disparity)
    request.boxes = [NormalizedRect(x: 0.52, y: 0.05, width: 0.43, height: 0.7)]
    let follower = SubjectFollower(request, choice: .all)
    for frame in 0..<3 {
      let found = try await follower.observation(of: men.picture, disparity: map)
      let followed = try #require(found.observation?.confidence(of: 1))
      #expect(followed < whole - 0.1, "frame \(frame): \(followed) \(whole)")
    }
  }
}
