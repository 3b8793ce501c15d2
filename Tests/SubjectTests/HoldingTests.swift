// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalDevices
import FocalRendering
import FocalSubjects
import Testing

/// Maps whose edge is brought to a mask's outline. One device after the other, since each takes every core.
@Suite(.serialized) struct HoldingTests {
  private static let devices = DeviceCatalog().devices
  /// Of the scene's map.
  private static let (near, far) = (Float(0.7), Float(0.2))

  private static func mask(_ scene: SubjectScene) throws -> PixelBuffer {
    try PixelBuffer(
      dimensions: SubjectScene.size, format: .disparityFloat, tags: .linearBT709,
      values: scene.alpha)
  }

  private static func held(
    _ scene: SubjectScene, on device: Device = .cpu(), isFlat: Bool = false, limit: Int? = nil
  ) throws -> HeldDisparity {
    var attributes = RenderingSession.Attributes()
    attributes.workingMemoryLimit = limit
    let renderer = try FrameRenderer(
      devices: [device], sessionAttributes: attributes, quality: .export)
    return try DisparityHolder(renderer: renderer).held(
      scene.map, of: scene.picture, mask: mask(scene), isFlat: isFlat)
  }

  /// Every pixel of the subject has its disparity, hair and ring too, and every other one that of the wall, but for a
  /// quarter of the step, which may be the map's noise.
  @Test func movesTheEdgeToTheOutline() throws {
    let scene = try SubjectScene()
    let held = try Self.held(scene)
    let found = try #require(held.subjectDisparity)
    #expect(abs(found - Self.near) < 0.01)
    let values = held.map.floats
    #expect(values.count == SubjectScene.size.count)
    let wrong = values.indices.count { place in
      let isSubject = scene.alpha[place] >= 0.5
      let (wanted, noise) =
        isSubject ? (Self.near, 0.05) : (Self.far, 0.05 + 0.25 * (Self.near - Self.far))
      return abs(values[place] - wanted) > noise
    }
    #expect(wrong == 0, "\(wrong) of \(values.count)")
    let info = try DisparityMapInfo(of: held.map)
    #expect(!info.hasHoles && !held.info.hasHoles && held.info.hasSharpEdges)
    // Sessions rely on the range.
    let given = try #require(held.info.range)
    let measured = try #require(info.range)
    #expect(given.contains(measured.lowerBound) && given.contains(measured.upperBound))
  }

  @Test func makesTheSubjectFlat() throws {
    let scene = try SubjectScene()
    let held = try Self.held(scene, isFlat: true)
    let focus = try #require(held.subjectDisparity)
    let isHeld = zip(held.map.floats, scene.alpha).allSatisfy { $1 < 0.5 || $0 == focus }
    #expect(isHeld)
  }

  /// Objects before the subject keep their disparity.
  @Test func leavesWhatIsNearer() throws {
    let scene = try SubjectScene()
    var cells = scene.map.floats
    for y in 0..<90 { for x in 52..<58 { cells[y * 120 + x] = 0.95 } }
    var alpha = scene.alpha
    for y in 0..<360 { for x in 208..<232 { alpha[y * 480 + x] = 0 } }
    let map = try PixelBuffer(
      dimensions: scene.map.dimensions, format: .disparityFloat, tags: .linearBT709, values: cells)
    let mask = try PixelBuffer(
      dimensions: SubjectScene.size, format: .disparityFloat, tags: .linearBT709, values: alpha)
    var attributes = RenderingSession.Attributes()
    attributes.mapEdges = .sharp
    let renderer = try FrameRenderer(
      devices: [.cpu()], sessionAttributes: attributes, quality: .export)
    let held = try DisparityHolder(renderer: renderer).held(map, of: scene.picture, mask: mask)
    let post = held.map.floats[180 * 480 + 220]
    #expect(abs(post - 0.95) < 0.02, "\(post)")
  }

  /// A mask of nothing, or of everything, leaves the map as sessions make it.
  @Test(arguments: [Float(0), 1, .nan]) func acceptsMasksWithoutAnOutline(_ value: Float) throws {
    let scene = try SubjectScene()
    let mask = try PixelBuffer(
      dimensions: Dimensions(width: 4, height: 3), format: .disparityFloat, tags: .linearBT709,
      values: [Float](repeating: value, count: 12))
    let renderer = try FrameRenderer(devices: [.cpu()], quality: .export)
    let held = try DisparityHolder(renderer: renderer).held(
      scene.map, of: scene.picture, mask: mask)
    #expect((held.subjectDisparity == nil) == (value != 1))
    let areFinite = held.map.floats.allSatisfy { (0.15...0.75).contains($0) }
    #expect(areFinite)
  }

  @Test func acceptsMapsWithoutDisparity() throws {
    let scene = try SubjectScene()
    let map = try PixelBuffer(
      dimensions: Dimensions(width: 4, height: 3), format: .disparityFloat, tags: .linearBT709,
      values: [Float](repeating: .nan, count: 12))
    let renderer = try FrameRenderer(devices: [.cpu()], quality: .export)
    let held = try DisparityHolder(renderer: renderer).held(
      map, of: scene.picture, mask: Self.mask(scene))
    #expect(held.subjectDisparity == nil)
    #expect(throws: CinematicError.self) {
      try DisparityHolder(renderer: renderer).held(
        map, of: scene.picture, mask: scene.picture)
    }
  }

  /// Bit-identical on every device, whole and in strips.
  @Test(arguments: devices) func isTheSameEverywhere(_ device: Device) throws {
    let scene = try SubjectScene()
    let whole = try Self.held(scene)
    let other = try Self.held(scene, on: device, limit: 4 << 20)
    let areAlike = whole.map.floats == other.map.floats
    #expect(areAlike, "\(device)")
  }

  /// The background is blurred without the subject: a white subject leaves no light in it, and with a halo it does. The
  /// picture is the same on every device.
  @Test(arguments: devices) func blursWithoutBleeding(_ device: Device) async throws {
    let size = Dimensions(width: 240, height: 180)
    var codes: [UInt8] = []
    var near: [Float] = []
    for y in 0..<size.height {
      for x in 0..<size.width {
        let (u, v) = (x - 120, y - 90)
        let isInside = u * u + v * v < 1600
        let green = UInt8((x / 4 + y / 4) % 2 == 0 ? 50 : 70)
        codes += isInside ? [250, 250, 250, 255] : [60, green, 40, 255]
        near.append(isInside ? 0.8 : 0.2)
      }
    }
    let picture = try PixelBuffer(dimensions: size, format: .rgba8, values: codes)
    var request = GenerateForegroundInstanceMaskRequest()
    request.disparity = try PixelBuffer(
      dimensions: size, format: .disparityFloat, tags: .linearBT709, values: near)
    let found = try #require(try await request.perform(on: picture))
    let mask = try found.generateScaledMask(for: [1], scaledToImageFrom: picture).floats
    let wrong = mask.indices.count { (mask[$0] > 0.5) != (near[$0] > 0.5) }
    #expect(wrong < 50, "\(wrong) of 5000 pixels")
    let renderer = try FrameRenderer(devices: [device], quality: .export)
    func image(_ blur: SubjectEffect.LensBlur, _ renderer: FrameRenderer?) throws -> [Float] {
      try found.generateImage(
        for: [1], imageFrom: picture, effect: SubjectEffect(lensBlur: blur), renderer: renderer
      ).floats
    }
    let plain = try image(.init(diameter: 0.1), renderer)
    let glowing = try image(.init(diameter: 0.1, halo: 1), renderer)
    // Halos reach half a diameter from the outline, which is 40 pixels from the middle: 12.
    let beside = 4 * (90 * 240 + 166)
    let inside = 4 * (90 * 240 + 120)
    // The wall has at most a linear light of .07.
    let dark = max(plain[beside], plain[beside + 1])
    #expect(dark < 0.08, "\(dark)")
    #expect(glowing[beside] > 0.1, "\(glowing[beside])")
    let bright = min(plain[inside], glowing[inside])
    #expect(bright > 0.9, "\(bright)")
    // Stripes far behind are gone.
    let first = 4 * (20 * 240 + 21) + 1
    let left = abs(plain[first] - plain[first + 16])
    #expect(left < 0.004, "\(left)")
    let processor = try FrameRenderer(devices: [.cpu()], quality: .export)
    let areAlike = try image(.init(diameter: 0.1, halo: 1), processor) == glowing
    #expect(areAlike, "\(device)")
    // Without a renderer the processor draws.
    let areAlikeUnasked = try image(.init(diameter: 0.1, halo: 1), nil) == glowing
    #expect(areAlikeUnasked)
    #expect(throws: CinematicError.self) { try image(.init(diameter: .nan), renderer) }
    #expect(throws: CinematicError.self) { try image(.init(halo: 2), renderer) }
  }
}
