// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalSubjects
import Testing

/// Effects around subjects.
@Suite struct EffectTests {
  private static func found() async throws -> (SubjectScene, InstanceMaskObservation) {
    let scene = try SubjectScene()
    var request = GenerateForegroundInstanceMaskRequest()
    request.disparity = scene.map
    return (scene, try #require(try await request.perform(on: scene.picture)))
  }

  /// The picture's own background with no look is the picture.
  @Test func changesNothingUnasked() async throws {
    let (scene, found) = try await Self.found()
    let image = try found.generateImage(
      for: [1], imageFrom: scene.picture, effect: SubjectEffect()
    ).floats
    let isSame = try image == scene.picture.linearRGBA().floats
    #expect(isSame)
  }

  /// A picture with alpha of its own keeps it before its own background, and its subjects their light.
  @Test func keepsThePicturesAlpha() async throws {
    let (scene, found) = try await Self.found()
    let size = scene.picture.dimensions
    var light = try scene.picture.linearRGBA().floats
    for place in 0..<size.count where place % size.width > 240 { light[4 * place + 3] = 0.5 }
    for place in 0..<size.count where place / size.width < 10 { light[4 * place + 3] = 0 }
    let picture = try PixelBuffer(
      dimensions: size, format: .rgbaFloat, tags: .linearBT709,
      values: (0..<size.count).map { place in
        SIMD4(
          light[4 * place], light[4 * place + 1], light[4 * place + 2], light[4 * place + 3])
      })
    let mask = try found.generateScaledMask(for: [1], scaledToImageFrom: scene.picture).floats
    func image(_ effect: SubjectEffect) throws -> [Float] {
      try found.generateImage(for: [1], imageFrom: picture, effect: effect).floats
    }
    let isSame = try image(SubjectEffect()) == light
    #expect(isSame)
    for effect in [
      SubjectEffect(look: .monochrome), SubjectEffect(accent: SubjectEffect.usualShadow),
    ] {
      let result = try image(effect)
      var (alphaError, lightError, shaded) = (Float(0), Float(0), Float(0))
      for place in 0..<size.count {
        let gained = result[4 * place + 3] - light[4 * place + 3]
        let isInside = mask[place] == 1
        alphaError = max(alphaError, effect.accent == .none || isInside ? abs(gained) : -gained)
        if !isInside { shaded = max(shaded, gained) }
        guard isInside else { continue }
        for part in 4 * place..<4 * place + 3 {
          lightError = max(lightError, abs(result[part] - light[part]))
        }
      }
      #expect(alphaError < 1e-4, "\(effect.look) \(effect.accent)")
      #expect(lightError < 1e-4, "\(effect.look) \(effect.accent)")
      #expect((shaded > 0.1) == (effect.accent != .none))
    }
  }

  /// The scene of which all below a row is transparent, whatever colour it has.
  private static func cut(_ scene: SubjectScene, below row: Int) throws -> PixelBuffer {
    let size = scene.picture.dimensions
    let light = try scene.picture.linearRGBA().floats
    let values = (0..<size.count).map { place -> SIMD4<Float> in
      let alpha: Float = place / size.width < row ? 1 : 0
      return SIMD4(light[4 * place], light[4 * place + 1], light[4 * place + 2], alpha)
    }
    return try PixelBuffer(
      dimensions: size, format: .rgbaFloat, tags: .linearBT709, values: values)
  }

  /// What is transparent in the picture itself has neither outline nor shadow.
  @Test(arguments: [
    (SubjectEffect.usualOutline, 12), (SubjectEffect.usualShadow, 40),
  ])
  func accentsOfWhatIsSeen(_ accent: SubjectEffect.Accent, reach: Int) async throws {
    let (scene, found) = try await Self.found()
    let picture = try Self.cut(scene, below: 240)
    let image = try found.generateImage(
      for: [1], imageFrom: picture, effect: SubjectEffect(background: .transparent, accent: accent)
    ).floats
    let width = scene.picture.width
    var most: Float = 0
    for place in (240 + reach) * width..<360 * width { most = max(most, image[4 * place + 3]) }
    // Sums of floats end near nothing.
    #expect(most < 1e-4)
    #expect(image[4 * (150 * width + 240) + 3] == 1)
  }

  /// The extent of subjects with an accent holds all that is drawn of it.
  @Test(arguments: [
    SubjectEffect.usualOutline, SubjectEffect.usualShadow,
    SubjectEffect.Accent.shadow(x: -0.05, y: -0.04, softness: 0, strength: 1),
  ])
  func extentOfAccents(_ accent: SubjectEffect.Accent) async throws {
    let (scene, found) = try await Self.found()
    let size = scene.picture.dimensions
    let image = try found.generateImage(
      for: [1], imageFrom: scene.picture,
      effect: SubjectEffect(background: .transparent, accent: accent)
    ).floats
    let alone = try #require(try found.extent(of: [1], in: size))
    let extent = try #require(try found.extent(of: [1], in: size, with: accent))
    #expect(extent != alone)
    var missed = 0
    for place in 0..<size.count where image[4 * place + 3] > 0.03 {
      let (x, y) = (place % size.width, place / size.width)
      if !extent.columns.contains(x) || !extent.rows.contains(y) { missed += 1 }
    }
    #expect(missed == 0)
    #expect(throws: CinematicError.self) {
      try found.extent(of: [1], in: size, with: .outline(width: .nan))
    }
  }

  /// A picture that is cut out already: what is to be seen of it is its subject, and what is not is none, whatever colours it
  /// has.
  @Test func findsWhatIsCutOut() async throws {
    let scene = try SubjectScene()
    let size = scene.picture.dimensions
    let light = try scene.picture.linearRGBA().floats
    var isSeen = [Bool](repeating: false, count: size.count)
    for y in 40..<200 {
      for x in 20..<120 { isSeen[y * size.width + x] = true }
    }
    let values = (0..<size.count).map { place -> SIMD4<Float> in
      SIMD4(
        light[4 * place], light[4 * place + 1], light[4 * place + 2], isSeen[place] ? 1 : 0)
    }
    let picture = try PixelBuffer(
      dimensions: size, format: .rgbaFloat, tags: .linearBT709, values: values)
    let request = GenerateForegroundInstanceMaskRequest()
    let found = try #require(try await request.perform(on: picture))
    let mask = try found.generateScaledMask(
      for: found.allInstances, scaledToImageFrom: picture
    ).floats
    var wrong = 0
    for place in mask.indices where (mask[place] > 0.5) != isSeen[place] { wrong += 1 }
    #expect(found.allInstances.count == 1)
    #expect(wrong < 2500, "\(wrong)")
    // A map knows the subject, of which nothing is to be seen.
    var other = GenerateForegroundInstanceMaskRequest()
    other.disparity = scene.map
    let hidden = try await other.perform(on: picture)
    #expect(hidden == nil)
  }

  @Test func changesTheBackgroundAlone() async throws {
    let (scene, found) = try await Self.found()
    let light = try scene.picture.linearRGBA().floats
    let (inside, outside) = (4 * (300 * 480 + 240), 4 * (20 * 480 + 20))
    func image(_ effect: SubjectEffect) throws -> [Float] {
      try found.generateImage(for: [1], imageFrom: scene.picture, effect: effect).floats
    }
    let effects: [SubjectEffect] = [
      SubjectEffect(look: .highlight(stops: 2)), SubjectEffect(look: .monochrome),
      SubjectEffect(look: .posterized(levels: 3)), SubjectEffect(background: .transparent),
      SubjectEffect(background: .plain(red: 0, green: 1, blue: 0)),
      SubjectEffect(accent: SubjectEffect.usualShadow),
      SubjectEffect(background: .transparent, accent: SubjectEffect.usualOutline),
    ]
    for effect in effects {
      let result = try image(effect)
      for part in 0..<3 { #expect(abs(result[inside + part] - light[inside + part]) < 1e-5) }
      #expect(result[inside + 3] == 1)
      let areFinite = result.allSatisfy { $0.isFinite }
      #expect(areFinite)
    }
    let dark = try image(effects[0])
    #expect(abs(dark[outside] - light[outside] / 4) < 1e-5)
    let gray = try image(effects[1])
    #expect(abs(gray[outside] - gray[outside + 1]) < 1e-5)
    #expect(try image(effects[3])[outside + 3] == 0)
    #expect(Array(try image(effects[4])[outside..<outside + 4]) == [0, 1, 0, 1])
    // A shadow takes light from beside the subject, an outline has alpha there.
    let shadow = try image(effects[5])
    let sum = zip(shadow, light).reduce(Float(0)) { $0 + $1.0 - $1.1 }
    #expect(sum < -100)
    let plain = try image(SubjectEffect(background: .transparent))
    let outlined = try image(effects[6])
    let gained = stride(from: 3, to: plain.count, by: 4).reduce(Float(0)) {
      $0 + outlined[$1] - plain[$1]
    }
    #expect(gained > 1000)
  }

  @Test func putsAnotherPictureBehind() async throws {
    let (scene, found) = try await Self.found()
    let other = try PixelBuffer(
      dimensions: Dimensions(width: 64, height: 64), format: .rgbaFloat, tags: .linearBT709,
      values: [SIMD4<Float>](repeating: SIMD4(8, 2, 0.5, 1), count: 64 * 64))
    let image = try found.generateImage(
      for: [1], imageFrom: scene.picture, effect: SubjectEffect(background: .picture(other))
    ).floats
    let outside = 4 * (20 * 480 + 20)
    // Light above white stays.
    for (part, value) in [Float(8), 2, 0.5, 1].enumerated() {
      #expect(abs(image[outside + part] - value) < 1e-3)
    }
  }

  /// A background of many times the picture's size is what it would be at once: a ramp stays one, and lines are even.
  @Test func veryLargeBackgrounds() async throws {
    let (_, found) = try await Self.found()
    let size = Dimensions(width: 48, height: 36)
    let small = try Self.plain(size)
    let large = Dimensions(width: 48 * 20, height: 36 * 20)
    let values = (0..<large.count).map { place -> SIMD4<Float> in
      let (x, y) = (place % large.width, place / large.width)
      let across = Float(x) / Float(large.width)
      let down = Float(y) / Float(large.height)
      return SIMD4(across, Float(y % 2), down, 1)
    }
    let other = try PixelBuffer(
      dimensions: large, format: .rgbaFloat, tags: .linearBT709, values: values)
    let image = try found.generateImage(
      for: [], imageFrom: small, effect: SubjectEffect(background: .picture(other))
    ).floats
    for (x, y) in [(5, 7), (24, 18), (40, 30)] {
      let first = 4 * (y * size.width + x)
      let (across, down) = ((Float(x) + 0.5) / 48, (Float(y) + 0.5) / 36)
      #expect(abs(image[first] - across) < 1e-3)
      #expect(abs(image[first + 1] - 0.5) < 1e-3)
      #expect(abs(image[first + 2] - down) < 1e-3)
    }
  }

  private static func plain(_ size: Dimensions) throws -> PixelBuffer {
    try PixelBuffer(
      dimensions: size, format: .rgbaFloat, tags: .linearBT709,
      values: [SIMD4<Float>](repeating: SIMD4(0.2, 0.2, 0.2, 1), count: size.count))
  }

  @Test func refusesNumbersOutOfRange() async throws {
    let (scene, found) = try await Self.found()
    let effects: [SubjectEffect] = [
      SubjectEffect(look: .posterized(levels: 1)), SubjectEffect(look: .highlight(stops: .nan)),
      SubjectEffect(look: .highlight(stops: -1e30)), SubjectEffect(look: .highlight(stops: 1e30)),
      SubjectEffect(background: .plain(red: .infinity, green: 0, blue: 0)),
      SubjectEffect(background: .picture(scene.map)), SubjectEffect(accent: .outline(width: 2)),
      SubjectEffect(accent: .shadow(x: 0, y: .nan, softness: 0, strength: 1)),
    ]
    for effect in effects {
      #expect(throws: CinematicError.self) {
        try found.generateImage(for: [1], imageFrom: scene.picture, effect: effect)
      }
    }
  }
}
