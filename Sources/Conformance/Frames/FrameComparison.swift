// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// How far two frames of one layout are apart, in codes of ten bits as shown.
package struct FrameComparison: Sendable {
  /// Pixels of any plane with another bit.
  package private(set) var differingPixels = 0
  /// Components that are not finite where the reference's are.
  package private(set) var notFinite = 0
  /// Components of ten bits with other bits below their code: those are 0 on every device.
  package private(set) var otherPadding = 0
  /// The largest difference in codes of ten bits. Light is taken through the sRGB curve; above
  /// display white, the difference counts as a share of the light.
  package private(set) var largestCodes = 0.0
  /// Where the first difference lies: plane, column, row.
  package private(set) var first: (plane: Int, x: Int, y: Int)?

  package var isIdentical: Bool { differingPixels == 0 }

  /// The largest difference that is taken for rounding: one code of ten bits, or of the format where
  /// its codes are coarser, because the smallest difference may turn one code into the next.
  package static func tolerance(of format: PixelFormat) -> Double {
    format.bitsPerComponent == 8 ? 1023.0 / 255 : 1
  }

  package init(_ actual: PixelBuffer, expected: PixelBuffer) {
    for plane in actual.planes.indices { add(plane, actual, expected) }
  }

  private mutating func add(_ plane: Int, _ actual: PixelBuffer, _ expected: PixelBuffer) {
    let a = actual.rowBytes(ofPlane: plane)
    let b = expected.rowBytes(ofPlane: plane)
    guard a != b else { return }
    let layout = actual.planes[plane]
    let size = layout.bytesPerElement
    let width = layout.dimensions.width
    for pixel in 0..<layout.dimensions.count {
      let range = pixel * size..<(pixel + 1) * size
      guard a[range] != b[range] else { continue }
      differingPixels += 1
      if first == nil { first = (plane, pixel % width, pixel / width) }
      let step = actual.format.bytesPerComponent
      for at in stride(from: range.lowerBound, to: range.upperBound, by: step) {
        addComponent(a, b, at, actual.format, actual.tags.transfer)
      }
    }
  }

  private mutating func addComponent(
    _ a: [UInt8], _ b: [UInt8], _ offset: Int, _ format: PixelFormat,
    _ transfer: ColorTags.Transfer
  ) {
    func word(_ bytes: [UInt8]) -> Int { Int(bytes[offset]) | Int(bytes[offset + 1]) << 8 }
    switch format {
    case .rgbaFloat, .disparityFloat, .rgbaHalf, .disparityHalf:
      func value(_ bytes: [UInt8]) -> Float {
        if format.bytesPerComponent == 2 { return Self.float(half: UInt16(word(bytes))) }
        return bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Float.self) }
      }
      let (x, y) = (value(a), value(b))
      if !x.isFinite, y.isFinite {
        notFinite += 1
        largestCodes = .infinity
      } else if x.isFinite, y.isFinite {
        let isLight = transfer == .linear
        let difference = abs(Self.shown(x, isLight) - Self.shown(y, isLight))
        largestCodes = max(largestCodes, 1023 * difference)
      } else if x != y, !(x.isNaN && y.isNaN) {
        largestCodes = .infinity
      }
    case .gray16:
      largestCodes = max(largestCodes, Double(abs(word(a) - word(b))) * 1023 / 65535)
    case .yuv420Video10, .yuv420Full10:
      // The code stands in the high bits.
      let codes = abs((word(a) >> 6) - (word(b) >> 6))
      largestCodes = max(largestCodes, Double(codes))
      if word(a) & 63 != word(b) & 63 {
        otherPadding += 1
        largestCodes = .infinity
      }
    default:
      let codes = abs(Int(a[offset]) - Int(b[offset]))
      largestCodes = max(largestCodes, Double(codes) * 1023 / 255)
    }
  }

  /// A component as it shows, 1 at display white; beyond that, what a share of the light counts.
  private static func shown(_ value: Float, _ isLight: Bool) -> Double {
    let size = Double(abs(value))
    let sign = value < 0 ? -1.0 : 1
    if size > 1 { return sign * (1 + logarithm(size)) }
    guard isLight else { return sign * size }
    return sign * (size <= 0.0031308 ? 12.92 * size : 1.055 * power(size, 1 / 2.4) - 0.055)
  }

  static func float(half bits: UInt16) -> Float {
    let sign: Float = bits & 0x8000 == 0 ? 1 : -1
    let exponent = Int(bits >> 10 & 31)
    let fraction = Float(bits & 1023) / 1024
    if exponent == 31 { return fraction == 0 ? sign * .infinity : .nan }
    let power = Float(sign: .plus, exponent: max(exponent, 1) - 15, significand: 1)
    return sign * power * (exponent == 0 ? fraction : 1 + fraction)
  }

  /// For people, of frames that differ.
  package var description: String {
    var text = "\(differingPixels) pixels differ"
    if notFinite > 0 { text += ", \(notFinite) components are not finite" }
    if otherPadding > 0 { text += ", \(otherPadding) components have other bits below their code" }
    if largestCodes.isFinite {
      text += ", by up to \((largestCodes * 1000).rounded() / 1000) codes of 10 bits"
    }
    if let first { text += ", first at \(first.x),\(first.y) of plane \(first.plane)" }
    return text
  }
}
