// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalSample
import FocalSubjects
import Foundation
import Synchronization
import Testing

/// Subjects of clips.
@Suite struct FollowingTests {
  @Test(arguments: [true, false]) func followsASubject(hasMaps: Bool) async throws {
    var request = GenerateForegroundInstanceMaskRequest()
    request.points = [NormalizedPoint(x: 0.5, y: 0.42)]
    let follower = SubjectFollower(request, choice: .all)
    for frame in 0..<6 {
      let scene = try SubjectScene(shift: 0.012 * Double(frame), noise: UInt64(frame + 1))
      let found = try await follower.observation(
        of: scene.picture, disparity: hasMaps ? scene.map : nil)
      #expect(found.instances.contains(1))
      let confidence = try #require(found.observation?.confidence(of: 1))
      #expect(confidence <= (hasMaps ? 1 : 0.6), "frame \(frame): \(confidence)")
      let overlap = scene.overlap(try found.mask(of: scene.picture))
      #expect(overlap >= (hasMaps ? 0.92 : 0.75), "frame \(frame): \(overlap)")
    }
  }

  /// Noise alone moves no outline: masks that are made of single frames differ by 2 to 3 times as much. At the picture's
  /// size, each pixel's own noise is part of its alpha.
  @Test func isSteadyWhereNothingMoves() async throws {
    let follower = SubjectFollower()
    var last: [Float]?
    var sum: Float = 0
    var count = 0
    for frame in 0..<5 {
      let scene = try SubjectScene(noise: UInt64(frame + 1))
      let found = try await follower.observation(of: scene.picture, disparity: scene.map)
      let observation = try #require(found.observation)
      let mask = try observation.generateMask(for: found.instances).floats
      if let last, frame > 1 {
        for place in mask.indices where mask[place] > 0.02 && mask[place] < 0.98 {
          sum += abs(mask[place] - last[place])
          count += 1
        }
      }
      last = mask
    }
    let mean = 255 * sum / Float(max(1, count))
    #expect(count > 500)
    #expect(mean < 1.5, "\(mean) codes at soft edges")
  }

  @Test func takesALostSubjectUpAgain() async throws {
    let follower = SubjectFollower()
    let scene = try SubjectScene()
    let empty = try SubjectScene(isThere: false)
    _ = try await follower.observation(of: scene.picture, disparity: scene.map)
    let lost = try await follower.observation(of: empty.picture, disparity: empty.map)
    let alpha = try lost.mask(of: empty.picture).floats
    let isNothing = alpha.allSatisfy { $0 < 0.5 }
    #expect(isNothing)
    let back = try await follower.observation(of: scene.picture, disparity: scene.map)
    #expect(scene.overlap(try back.mask(of: scene.picture)) >= 0.9)
  }

  /// In the first frame the map has both, then it joins them to one. The larger one is followed, which is most of it.
  @Test func staysApartWhereTheMapJoins() async throws {
    let size = Dimensions(width: 480, height: 360)
    var random = SeededGenerator(seed: 7)
    var request = GenerateForegroundInstanceMaskRequest()
    request.points = [NormalizedPoint(x: 0.65, y: 0.5)]
    let follower = SubjectFollower(request, choice: .all)
    for frame in 0..<6 {
      var codes = [UInt8](repeating: 255, count: 4 * size.count)
      var near = [Float](repeating: 0.2, count: size.count)
      for place in near.indices {
        let (x, y) = (place % size.width, place / size.width)
        let isOther = (x - 150) * (x - 150) + (y - 180) * (y - 180) < 60 * 60
        let isOwn = abs(x - 310) < 75 && abs(y - 180) < 75
        let isBetween = frame > 0 && x > 150 && x < 300 && abs(y - 180) < 25
        if isOther || isOwn || isBetween { near[place] = 0.7 }
        let color: [Int] = isOwn ? [110, 148, 188] : isOther ? [188, 124, 89] : [69, 69, 69]
        let wave = isOwn || isOther ? 12 * sin(Float(x) / 5) * sin(Float(y) / 6) : 0
        for part in 0..<3 {
          let code = Float(color[part]) + wave + 3 * Float(random.share() - 0.5)
          codes[4 * place + part] = UInt8(code)
        }
      }
      let small = Dimensions(width: 120, height: 90)
      let cells = (0..<small.count).map { cell -> Float in
        near[4 * (cell / small.width) * size.width + 4 * (cell % small.width)]
      }
      let picture = try PixelBuffer(dimensions: size, format: .rgba8, values: codes)
      let map = try PixelBuffer(
        dimensions: small, format: .disparityFloat, tags: .linearBT709, values: cells)
      let found = try await follower.observation(of: picture, disparity: map)
      let mask = try found.mask(of: picture).floats
      var (own, other): (Float, Float) = (0, 0)
      for y in 150..<210 {
        for x in 280..<340 { own += mask[y * size.width + x] / 3600 }
        for x in 120..<180 { other += mask[y * size.width + x] / 3600 }
      }
      #expect(own > 0.95 && other < 0.03, "frame \(frame): \(own), \(other)")
    }
  }

  /// Someone holds a box that looks like the wall. When a hand reaches another's, the map joins both, and has the box as a thing
  /// of its own.
  @Test func keepsWhatIsHeldWhenHandsMeet() async throws {
    let size = Dimensions(width: 480, height: 360)
    var random = SeededGenerator(seed: 7)
    let follower = SubjectFollower(choice: .all)
    for frame in 0..<5 {
      var codes = [UInt8](repeating: 255, count: 4 * size.count)
      var near = [Float](repeating: 0.2, count: size.count)
      for place in near.indices {
        let (x, y) = (place % size.width, place / size.width)
        let isTall = (60..<320).contains(y)
        let isHolder = (60..<210).contains(x) && isTall
        let isOther = (290..<430).contains(x) && isTall
        let isHand = frame > 0 && (210..<290).contains(x) && abs(y - 250) < 16
        let isBox = (85..<185).contains(x) && (190..<280).contains(y)
        if isHolder || isOther || isHand { near[place] = isBox ? 0.75 : 0.5 }
        let isWall = isBox || near[place] == 0.2
        let color: [Float] = isWall ? [72, 70, 68] : isOther ? [188, 124, 89] : [110, 148, 188]
        let wave = 12 * sin(Float(x) / 5) * sin(Float(y) / 6)
        for part in 0..<3 {
          let code = color[part] + wave + 3 * Float(random.share() - 0.5)
          codes[4 * place + part] = UInt8(code)
        }
      }
      let small = Dimensions(width: 120, height: 90)
      let cells = (0..<small.count).map { cell -> Float in
        near[4 * (cell / small.width) * size.width + 4 * (cell % small.width)]
      }
      let picture = try PixelBuffer(dimensions: size, format: .rgba8, values: codes)
      let map = try PixelBuffer(
        dimensions: small, format: .disparityFloat, tags: .linearBT709, values: cells)
      let found = try await follower.observation(of: picture, disparity: map)
      #expect(found.instances.count == 2)
      let mask = try found.mask(of: picture).floats
      var box: Float = 0
      for y in 200..<270 {
        for x in 95..<175 { box += mask[y * size.width + x] / 5600 }
      }
      #expect(box > 0.97, "frame \(frame): \(box)")
      #expect(mask[100 * size.width + 250] < 0.03)
    }
  }

  /// Without a map: something of the subject's colour lies behind it, from which it moves away.
  @Test func leavesWhatDoesNotMoveWithIt() async throws {
    let size = Dimensions(width: 480, height: 360)
    var random = SeededGenerator(seed: 7)
    var request = GenerateForegroundInstanceMaskRequest()
    request.boxes = [NormalizedRect(x: 0.215, y: 0.27, width: 0.195, height: 0.45)]
    let follower = SubjectFollower(request, choice: .all)
    for frame in 0..<16 {
      let middle = 150 + 8 * frame
      var codes = [UInt8](repeating: 255, count: 4 * size.count)
      var isInside = [Bool](repeating: false, count: size.count)
      for place in isInside.indices {
        let (x, y) = (place % size.width, place / size.width)
        let (u, v) = (Float(x - middle) / 45, Float(y - 180) / 80)
        isInside[place] = u * u + v * v < 1
        let isBar = x > 120 && y > 150 && y < 200
        let own = sin(Float(x - middle) / 5) * sin(Float(y) / 6)
        let bar = sin(Float(x) / 6) * sin(Float(y) / 5)
        let wall = sin(Float(x) / 11) * sin(Float(y) / 13)
        var (color, wave): ([Float], Float) = ([108, 148, 188], wall)
        if isBar { (color, wave) = ([174, 124, 89], bar) }
        if isInside[place] { (color, wave) = ([170, 118, 89], own) }
        for part in 0..<3 {
          let code = color[part] * (1 + 0.12 * wave) + 3 * Float(random.share() - 0.5)
          codes[4 * place + part] = UInt8(max(0, min(255, code)))
        }
      }
      let picture = try PixelBuffer(dimensions: size, format: .rgba8, values: codes)
      let found = try await follower.observation(of: picture)
      guard frame == 15 else { continue }
      let mask = try found.mask(of: picture).floats
      var (own, other): (Float, Float) = (0, 0)
      for place in mask.indices {
        if isInside[place] { own += mask[place] } else { other += mask[place] }
      }
      #expect(other < 0.3 * (own + other), "\(other) of \(own + other)")
    }
  }

  /// What is known of the first frame says nothing of another scene.
  @Test func looksAnewBehindACut() async throws {
    let scene = try SubjectScene()
    var request = GenerateForegroundInstanceMaskRequest()
    request.disparity = scene.map
    let known = try #require(try await request.perform(on: scene.picture))
    let follower = SubjectFollower(first: known)
    let before = try await follower.observation(of: scene.picture, disparity: scene.map)
    #expect(before.observation === known)
    // Red, with something in a corner.
    let size = scene.picture.dimensions
    let isThere = (0..<size.count).map { place in
      (40..<140).contains(place % size.width) && (40..<140).contains(place / size.width)
    }
    let picture = try PixelBuffer(
      dimensions: size, format: .rgba8,
      values: isThere.flatMap { $0 ? [250, 220, 30, 255] : [200, 20, 20, 255] as [UInt8] })
    let map = try PixelBuffer(
      dimensions: size, format: .disparityFloat, tags: .linearBT709,
      values: isThere.map { $0 ? Float(0.8) : 0.2 })
    let behind = try await follower.observation(of: picture, disparity: map)
    #expect(behind.observation !== known)
    let mask = try behind.mask(of: picture).floats
    #expect(mask[90 * size.width + 90] > 0.9 && mask[200 * size.width + 240] < 0.1)
  }

  /// A point means the scene that it was given for: in another one nothing is at it, and it is followed on when its scene is
  /// back, where it may be found for the first time.
  @Test func leavesPointsToTheirScene() async throws {
    let scene = try SubjectScene()
    let size = scene.picture.dimensions
    let codes = scene.alpha.flatMap { alpha -> [UInt8] in
      alpha > 0.5 ? [250, 220, 30, 255] : [200, 20, 20, 255]
    }
    let other = try PixelBuffer(dimensions: size, format: .rgba8, values: codes)
    var request = GenerateForegroundInstanceMaskRequest()
    request.points = [NormalizedPoint(x: 0.5, y: 0.42)]
    let follower = SubjectFollower(request, choice: .all)
    let shown = [scene.picture, scene.picture, other, other, scene.picture, scene.picture]
    for (frame, picture) in shown.enumerated() {
      let found = try await follower.observation(of: picture, disparity: scene.map)
      #expect(found.beginsScene == [0, 2, 4].contains(frame), "\(frame)")
      let isOwn = picture === scene.picture
      #expect((found.observation != nil) == isOwn, "\(frame)")
      if isOwn {
        let overlap = scene.overlap(try found.mask(of: picture))
        #expect(overlap >= 0.9, "\(frame): \(overlap)")
      }
    }
    let flat = try PixelBuffer(
      dimensions: scene.map.dimensions, format: .disparityFloat, tags: .linearBT709,
      values: [Float](repeating: 0.5, count: scene.map.dimensions.count))
    let late = SubjectFollower(request, choice: .all)
    let nothing = try await late.observation(of: scene.picture, disparity: flat)
    #expect(nothing.beginsScene && nothing.observation == nil)
    let behind = try await late.observation(of: other, disparity: scene.map)
    #expect(behind.beginsScene && behind.observation == nil)
    let back = try await late.observation(of: scene.picture, disparity: scene.map)
    #expect(back.observation != nil)
  }

  /// A map that the first frame would not take is refused for later ones as well, and following goes on.
  @Test func mapsOfLaterFrames() async throws {
    let scene = try SubjectScene()
    let size = Dimensions(width: 48, height: 8)
    let narrow = try PixelBuffer(
      dimensions: size, format: .disparityFloat, tags: .linearBT709,
      values: [Float](repeating: 0.5, count: size.count))
    let follower = SubjectFollower()
    _ = try await follower.observation(of: scene.picture, disparity: scene.map)
    let shape = await #expect(throws: CinematicError.self) {
      try await follower.observation(of: scene.picture, disparity: narrow)
    }
    #expect(shape?.code == .incompatible)
    let format = await #expect(throws: CinematicError.self) {
      try await follower.observation(of: scene.picture, disparity: scene.picture)
    }
    #expect(format?.code == .unsupported)
    let found = try await follower.observation(of: scene.picture, disparity: scene.map)
    #expect(found.observation != nil)
    var request = GenerateForegroundInstanceMaskRequest()
    request.stretchesDisparity = true
    let stretching = SubjectFollower(request)
    _ = try await stretching.observation(of: scene.picture, disparity: scene.map)
    _ = try await stretching.observation(of: scene.picture, disparity: narrow)
  }

  @Test func laterFramesEndWithTheirTask() async throws {
    let scene = try SubjectScene()
    let follower = SubjectFollower()
    _ = try await follower.observation(of: scene.picture, disparity: scene.map)
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await follower.observation(of: scene.picture, disparity: scene.map)
    }
    task.cancel()
    let error = await #expect(throws: CinematicError.self) { try await task.value }
    #expect(error?.code == .cancelled)
  }

  /// What is seen in each frame, where the subject truly is.
  private final class Masks: SubjectMaskProvider {
    let masks: [PixelBuffer]
    let count = Mutex(0)

    init(_ masks: [PixelBuffer]) { self.masks = masks }

    func mask(
      of picture: PixelBuffer, turn: QuarterTurn
    ) async throws(CinematicError) -> PixelBuffer {
      masks[
        count.withLock { count in
          count += 1
          return (count - 1) % masks.count
        }]
    }
  }

  /// A mask provider sees as many frames as are asked for, and is followed.
  @Test(arguments: [1, 3]) func followsMasks(interval: Int) async throws {
    let scenes = try (0..<6).map { frame in
      try SubjectScene(shift: 0.012 * Double(frame), noise: UInt64(frame + 1))
    }
    let asked = stride(from: 0, to: 6, by: interval).map { scenes[$0].map }
    let provider = Masks(
      try asked.map { map in
        try PixelBuffer(
          dimensions: map.dimensions, format: .disparityFloat, tags: .linearBT709,
          values: map.floats.map { ($0 - 0.2) * 2 })
      })
    var request = GenerateForegroundInstanceMaskRequest()
    request.maskProvider = provider
    request.maskInterval = interval
    let follower = SubjectFollower(request, choice: .all)
    for (frame, scene) in scenes.enumerated() {
      let found = try await follower.observation(of: scene.picture)
      let overlap = scene.overlap(try found.mask(of: scene.picture))
      #expect(overlap >= 0.88, "frame \(frame): \(overlap)")
    }
    #expect(provider.count.withLock { $0 } == asked.count)
  }
}
