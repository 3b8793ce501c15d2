// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Foundation
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
      // What single precision leaves of a step.
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

  /// HLG as its reference display of 1000 cd/m² shows it: BT.2408 has 18 % grey (a signal of 0.38) at
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
    let light = try mapping.makeLightBuffer(size)
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
        try mapping.store(try mapping.makeLightBuffer(size), in: wrong)
      }
    }
  }
}
