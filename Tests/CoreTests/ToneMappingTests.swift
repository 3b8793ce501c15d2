// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Foundation
import ShaderTypes
import Testing

/// High dynamic range brought to standard range.
@Suite struct ToneMappingTests {
  /// PQ of BT.709's primaries: display light that needs no conversion.
  private static let display = ColorTags(primaries: .bt709, transfer: .pq, matrix: .bt709)

  private static func mapping(
    _ tags: ColorTags, peak luminance: Float = 1000
  ) throws -> ToneMapping {
    try #require(ToneMapping(from: tags, to: .sRGB, peakLuminance: luminance))
  }

  /// The largest difference of a component.
  private static func distance(_ a: SIMD3<Float>, _ b: SIMD3<Float>) -> Float {
    let difference = a - b
    return max(difference.max(), -difference.min())
  }

  /// A buffer for a source's light.
  private static func makeLight(_ size: Dimensions, _ mapping: ToneMapping) throws -> PixelBuffer {
    var tags = mapping.source
    tags.transfer = .linear
    return try PixelBuffer(
      dimensions: size, format: .rgbaFloat, tags: tags, bytesPerRowAlignment: 16)
  }

  @Test func whatIsMapped() {
    let all: [ColorTags] = [.sRGB, .bt709, .linearBT709, .hlg, .pq]
    for source in all {
      for destination in all {
        let isMapped =
          (source == .hlg || source == .pq)
          && (destination == .sRGB || destination == .bt709)
        #expect(ToneMapping.isNeeded(from: source, to: destination) == isMapped)
        #expect((ToneMapping(from: source, to: destination) != nil) == isMapped)
      }
      #expect(source.standardRange.transfer.isStandardRange)
    }
    #expect(ColorTags.bt709.standardRange == .bt709)
    #expect(ColorTags.hlg.standardRange == .sRGB)
  }

  /// Of PQ, the peak is what the source states, or 1000 cd/m²; of HLG it is 1000 cd/m² by its signal.
  @Test func peakIsTheStatedOne() throws {
    #expect(ToneMapping(from: .pq, to: .sRGB)?.peak == 1000.0 / 203)
    #expect(ToneMapping(from: .pq, to: .sRGB, peakLuminance: 4000)?.peak == 4000.0 / 203)
    #expect(ToneMapping(from: .pq, to: .sRGB, peakLuminance: 100)?.peak == 1)
    #expect(ToneMapping(from: .pq, to: .sRGB, peakLuminance: 20000)?.peak == 10000.0 / 203)
    // Grays of a display with BT.709's primaries, by the formula: 203, 609 and 1000 cd/m².
    let cases: [(peak: Float, light: Float, expected: Float)] = [
      (4000, 1, 0.775_124), (4000, 3, 0.931_315), (4000, 1000.0 / 203, 0.960_231),
      (1000, 1, 0.777_379), (1000, 3, 0.952_059), (1000, 1000.0 / 203, 1),
    ]
    for item in cases {
      let mapping = try Self.mapping(Self.display, peak: item.peak)
      let mapped = mapping.mapped(SIMD3(repeating: item.light))
      let difference = Self.distance(mapped, SIMD3(repeating: item.expected))
      #expect(difference < 2e-5, "\(item): \(mapped)")
    }
  }

  /// From below the knee to beyond the peak, at every step: it rises, never faster than the light, has
  /// no step, and ends at 1.
  @Test(arguments: [203, 210, 400, 1000, 4000, 10000] as [Float])
  func curve(_ luminance: Float) throws {
    let mapping = try Self.mapping(Self.display, peak: luminance)
    #expect(mapping.peak == luminance / 203)
    let step: Float = 1e-3
    var last: Float = 0
    for number in 1...Int(mapping.peak / step + 100) {
      let light = Float(number) * step
      let result = mapping.rolledOff(light)
      if light <= ToneMapping.knee { #expect(result == light) }
      // The rest of a step in single precision.
      if !(result >= last && result - last <= step * 1.001 + 2e-7 && result <= 1) {
        Issue.record("\(light) becomes \(result) after \(last)")
      }
      last = result
    }
    #expect(last == 1)
    // Just below the peak, where it joins.
    #expect(mapping.rolledOff(mapping.peak * 0.9999) > 0.999)
    // No corner at the knee.
    let beyond = mapping.rolledOff(ToneMapping.knee + step) - ToneMapping.knee
    #expect(abs(beyond / step - 1) < 0.01)
  }

  /// Below the knee every bit stays.
  @Test func midTonesStay() throws {
    let mapping = try Self.mapping(Self.display)
    var random = Seeded(7)
    for _ in 0..<10_000 {
      let color = SIMD3<Float>.random(in: 0...ToneMapping.knee, using: &random)
      let result = mapping.mapped(color)
      if result != color { Issue.record("\(color) becomes \(result)") }
    }
  }

  /// The ratios of red, green and blue stay, and with them hue and saturation, however bright.
  @Test func hueStays() throws {
    let mapping = try Self.mapping(Self.display, peak: 4000)
    var random = Seeded(8)
    for _ in 0..<10_000 {
      let color =
        SIMD3<Float>.random(in: 0...1, using: &random)
        * Float.random(in: 0.1...40, using: &random)
      let result = mapping.mapped(color)
      let (most, mapped) = (color.max(), result.max())
      #expect(mapped <= 1)
      for channel in 0..<3 {
        // Single precision, three roundings.
        if abs(result[channel] / mapped - color[channel] / most) > 4e-7 {
          Issue.record("\(color) becomes \(result)")
        }
      }
    }
  }

  /// Colours of BT.2020 that BT.709 does not reach: inside, of the same luminance, without a jump.
  @Test func coloursOutOfReach() throws {
    let mapping = try Self.mapping(.pq)
    let green = SIMD3<Float>(0, 0.4, 0)
    let result = mapping.mapped(green)
    #expect(result.min() >= 0 && result.max() <= 1)
    // BT.2020's and BT.709's weights of green and of all three.
    let luminance = 0.2126 * result.x + 0.7152 * result.y + 0.0722 * result.z
    #expect(abs(luminance - 0.4 * 0.6780) < 1e-4)
    var last = mapping.mapped(SIMD3(repeating: 0.3))
    #expect(Self.distance(last, SIMD3(repeating: 0.3)) < 1e-6)
    for number in 1...1000 {
      let share = Float(number) / 1000
      let next = mapping.mapped(SIMD3(repeating: 0.3) * (1 - share) + green * share)
      if Self.distance(next, last) > 0.003 { Issue.record("a jump at \(share): \(last), \(next)") }
      last = next
    }
    #expect(mapping.mapped(SIMD3(-1, -1, -1)) == .zero)
    #expect(mapping.mapped(SIMD3(0, 0, 0)) == .zero)
    #expect(mapping.mapped(SIMD3(repeating: 65504)).max() <= 1)
  }

  /// HLG as its reference display of 1000 cd/m² shows it: BT.2408 has 18 % gray (a signal of 0.38) at
  /// 26 cd/m², reference white (0.75) at 203, and the nominal peak (1) at 1000.
  @Test func hybridLogGamma() throws {
    let mapping = try Self.mapping(.hlg)
    #expect(abs(mapping.peak * 203 - 1000) < 1.5)
    func light(_ signal: Double) -> Float {
      let scene =
        signal <= 0.5
        ? signal * signal / 3 : (exp((signal - 0.55991073) / 0.17883277) + 0.28466892) / 12
      return Float(scene / 0.26496256)
    }
    func luminance(_ signal: Double) -> Float {
      mapping.mapped(SIMD3(repeating: light(signal))).y * 203
    }
    #expect(abs(luminance(0.38) - 26) < 0.5)
    // Above the knee: the curve of reference white, and of the peak.
    #expect(abs(luminance(0.75) / 203 - mapping.rolledOff(1)) < 1e-3)
    // The primaries' rows add up to 1 but for their rounding.
    #expect(abs(luminance(1) - 203) < 1e-3 && abs(luminance(1.09) - 203) < 1e-3)
    #expect(luminance(0) == 0)
    // A saturated colour: the gain is that of its luminance.
    let wide = ColorTags(primaries: .bt709, transfer: .hlg, matrix: .bt709)
    let red = try Self.mapping(wide).mapped(SIMD3(0.5, 0.1, 0.1))
    let gain = pow(0.2126 * 0.5 + (0.7152 + 0.0722) * 0.1, 0.2)
    // The exponent's error in single precision, and that of four digits of the weights.
    #expect(abs(Double(red.x) - 0.5 * gain) < 1e-4 && abs(Double(red.y) - 0.1 * gain) < 1e-4)
  }

  /// Codes by sRGB's curve, whichever curve of standard range the destination names; alpha stays.
  @Test(arguments: [ColorTags.sRGB, .bt709])
  func storing(_ tags: ColorTags) throws {
    let mapping = try #require(ToneMapping(from: .pq, to: tags))
    let size = Dimensions(width: 9, height: 3)
    let light = try Self.makeLight(size, mapping)
    light.withUnsafeMutableBytes { bytes in
      for pixel in 0..<size.count {
        bytes.storeBytes(
          of: SIMD4<Float>(0.5, 0.5, 0.5, 0.25), toByteOffset: 16 * pixel, as: SIMD4<Float>.self)
      }
    }
    let picture = try PixelBuffer(dimensions: size, format: .rgbaFloat, tags: tags)
    try mapping.store(light, in: picture)
    let expected = 1.055 * pow(0.5, 1 / 2.4) - 0.055
    picture.withUnsafeBytes { bytes in
      let code = bytes.load(as: SIMD4<Float>.self)
      #expect(abs(Double(code.x) - expected) < 1e-5 && code.w == 0.25)
    }
    for wrong in [
      try PixelBuffer(dimensions: size, format: .rgbaFloat, tags: .linearBT709),
      try PixelBuffer(dimensions: size, format: .rgba8, tags: .sRGB),
    ] {
      #expect(throws: CinematicError.self) { try mapping.store(wrong, in: picture) }
    }
    for wrong in [
      try PixelBuffer(dimensions: size, format: .rgbaFloat, tags: .hlg),
      try PixelBuffer(
        dimensions: Dimensions(width: 8, height: 3), format: .rgbaFloat, tags: tags),
    ] {
      #expect(throws: CinematicError.self) {
        try mapping.store(try Self.makeLight(size, mapping), in: wrong)
      }
    }
  }

  /// The arithmetic in vectors and with divisions, operation by operation: the kernel gives these bits.
  private static func byDefinition(
    _ color: SIMD3<Float>, from source: ColorTags, to destination: ColorTags, peak: Float
  ) -> SIMD3<Float> {
    var color = color
    let sourceWeights = SIMD3<Float>(
      PrimariesConversion.luminanceWeights(of: source.primaries))
    let weights = SIMD3<Float>(PrimariesConversion.luminanceWeights(of: destination.primaries))
    if source.transfer == .hlg {
      let luminance = (color * sourceWeights).sum()
      color *= luminance > 0 ? focal_pow(luminance, 0.2) : 0
    }
    if source.primaries != destination.primaries {
      let rows = PrimariesConversion(from: source.primaries, to: destination.primaries).rows
      func column(_ number: Int) -> SIMD3<Float> {
        SIMD3<Float>(SIMD3(rows[0][number], rows[1][number], rows[2][number]))
      }
      color = column(0) * color.x + column(1) * color.y + column(2) * color.z
    }
    let least = min(color.x, color.y, color.z)
    if least < 0 {
      let luminance = (color * weights).sum()
      guard luminance > 0 else { return .zero }
      color = luminance + (color - luminance) * (luminance / (luminance - least))
      color = SIMD3(max(color.x, 0), max(color.y, 0), max(color.z, 0))
    }
    let most = max(color.x, color.y, color.z)
    guard most > ToneMapping.knee else { return color }
    let room = 1 - ToneMapping.knee
    var rolled: Float = 1
    if most < peak {
      let t = (most - ToneMapping.knee) / room
      let whitePoint = (peak - ToneMapping.knee) / room
      let share = t * (1 + t / (whitePoint * whitePoint)) / (1 + t)
      rolled = min(ToneMapping.knee + room * share, 1)
    }
    color *= rolled / most
    return SIMD3(min(color.x, 1), min(color.y, 1), min(color.z, 1))
  }

  @Test(arguments: [ColorTags.hlg, .pq, display])
  func everyBitOfTheDefinition(_ tags: ColorTags) throws {
    let mapping = try Self.mapping(tags, peak: 2300)
    var random = Seeded(11)
    let size = Dimensions(width: 513, height: 64)
    let light = try Self.makeLight(size, mapping)
    var colors: [SIMD3<Float>] = []
    for index in 0..<size.count {
      let scale = Float.random(in: -8...8, using: &random)
      let wide = SIMD3<Float>.random(in: -0.3...1, using: &random) * focal_exp2(scale)
      // Black, white, what no light is, and numbers around the knee and the peak.
      let special: [SIMD3<Float>] = [
        .zero, .one, SIMD3(-1, -1, -1), SIMD3(repeating: ToneMapping.knee),
        SIMD3(repeating: mapping.peak), SIMD3(65504, 0, 0), SIMD3(0, 65504, -65504),
        SIMD3(repeating: ToneMapping.knee.nextUp), SIMD3(repeating: mapping.peak.nextDown),
      ]
      colors.append(index < special.count ? special[index] : wide)
    }
    light.withUnsafeMutableBytes { bytes in
      for (index, color) in colors.enumerated() {
        bytes.storeBytes(
          of: SIMD4(color, 0.5), toByteOffset: 16 * index, as: SIMD4<Float>.self)
      }
    }
    // Stored as floats by sRGB's curve; so is what is expected.
    let expected = try Self.makeLight(size, mapping)
    expected.withUnsafeMutableBytes { bytes in
      for (index, color) in colors.enumerated() {
        let mapped = Self.byDefinition(color, from: tags, to: .sRGB, peak: mapping.peak)
        let shared = mapping.mapped(color)
        if mapped != shared { Issue.record("\(color) becomes \(shared), not \(mapped)") }
        bytes.storeBytes(
          of: SIMD4(mapped, 0.5), toByteOffset: 16 * index, as: SIMD4<Float>.self)
      }
    }
    for format in [PixelFormat.rgbaFloat, .rgba8, .yuv420Video8, .gray16] {
      let source = try PixelBuffer(
        dimensions: size, format: .rgbaFloat, tags: light.tags, bytesPerRowAlignment: 16)
      source.withUnsafeMutableBytes { target in
        light.withUnsafeBytes { target.copyMemory(from: $0) }
      }
      let stored = try PixelBuffer(dimensions: size, format: format, tags: .sRGB)
      let right = try PixelBuffer(dimensions: size, format: format, tags: .sRGB)
      try mapping.store(source, in: stored)
      try right.store(linearRGBA: expected)
      for plane in stored.planes.indices {
        let isSame = stored.withUnsafeBytes(ofPlane: plane) { a in
          right.withUnsafeBytes(ofPlane: plane) { b in a.elementsEqual(b) }
        }
        #expect(isSame, "\(format)")
      }
    }
  }

  /// Rows of the default alignment are padded: their pixels are mapped, and what lies between them stays.
  @Test func lightInPaddedRows() throws {
    let mapping = try Self.mapping(.hlg)
    let size = Dimensions(width: 33, height: 17)
    let tight = try Self.makeLight(size, mapping)
    let padded = try PixelBuffer(dimensions: size, format: .rgbaFloat, tags: tight.tags)
    let between: Float = 3
    for y in 0..<size.height {
      for x in 0..<padded.planes[0].bytesPerRow / 4 { padded.set(between, x, y) }
    }
    var random = Seeded(13)
    for y in 0..<size.height {
      for x in 0..<4 * size.width {
        let value = Float.random(in: 0...4, using: &random)
        tight.set(value, x, y)
        padded.set(value, x, y)
      }
    }
    let actual = try PixelBuffer(dimensions: size, format: .rgba8, tags: .sRGB)
    let expected = try PixelBuffer(dimensions: size, format: .rgba8, tags: .sRGB)
    try mapping.store(padded, in: actual)
    try mapping.store(tight, in: expected)
    #expect(actual.pixelBytes == expected.pixelBytes)
    #expect(padded.pixelBytes == tight.pixelBytes, "it holds the mapped light")
    for y in 0..<size.height {
      #expect(padded.get(4 * size.width, y, as: Float.self) == between)
    }
  }

  /// Division by multiplications and additions, as graphics devices do it: IEEE's bits.
  @Test func quotients() {
    var random = Seeded(12)
    for index in 0..<300_000 {
      func number(_ range: ClosedRange<Int>) -> Float {
        let significand: UInt32 =
          switch Int.random(in: 0..<4, using: &random) {
          case 0: .random(in: 0...15, using: &random)
          case 1: 0x7FFFFF - .random(in: 0...15, using: &random)
          default: .random(in: 0...0x7FFFFF, using: &random)
          }
        return Float(
          bitPattern: UInt32(Int.random(in: range, using: &random)) << 23 | significand)
      }
      let divisor = number(80...170)
      let dividend = index % 5 == 0 ? divisor.nextDown : number(80...170)
      let quotient = focal_quotient_by_steps(dividend, divisor)
      if quotient != dividend / divisor || quotient != focal_quotient(dividend, divisor) {
        Issue.record("\(dividend) / \(divisor) is not \(quotient)")
      }
    }
    for divide in [focal_quotient_by_steps, focal_quotient] {
      #expect(divide(0, 3) == 0 && divide(1e-30, 1e30) == 0)
    }
  }
}
