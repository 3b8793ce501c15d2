// SPDX-License-Identifier: Apache-2.0

import FocalCPU
import FocalCore
import FocalRendering

/// The result of the quick check of a device: two small frames against the processor's.
public enum DeviceVerdict: Sendable, Hashable, Codable, CustomStringConvertible {
  /// The device is the processor, which the others are held to.
  case reference
  /// The same bits.
  case identical
  /// Other bits; no value is further than one code of ten bits away.
  case close(differing: Int)
  /// Why the device cannot be trusted.
  case failed(String)
  /// It was not checked.
  case unchecked

  /// Whether pictures of the device can be expected to be right.
  public var isTrusted: Bool {
    switch self {
    case .reference, .identical, .close: true
    case .failed, .unchecked: false
    }
  }

  public var description: String {
    switch self {
    case .reference: "the reference"
    case .identical: "identical"
    case .close(let count): "close, \(count == 1 ? "1 value differs" : "\(count) values differ")"
    case .failed(let reason): "failed: \(reason)"
    case .unchecked: "not checked"
    }
  }
}

/// Renders small frames on a device and on the processor: one of bytes as a preview, and one of ten bits in HLG, of an
/// odd size, as an export, both in flight at once.
package enum SelfCheck {
  /// Raised when the frames change, so that verdicts on others are not taken for verdicts on these.
  static let version = 2

  private static let size = Dimensions(width: 96, height: 64)
  private static let oddSize = Dimensions(width: 75, height: 53)

  /// Never throws: what goes wrong is the verdict.
  package static func verdict(of device: Device) -> DeviceVerdict {
    guard device.kind != .cpu else { return .reference }
    do throws(CinematicError) {
      let expected = try frames(on: .cpu())
      let actual = try frames(on: device)
      return compare(actual, expected)
    } catch {
      return .failed(error.description)
    }
  }

  static func compare(_ actual: [Float], _ expected: [Float]) -> DeviceVerdict {
    let notNumbers = actual.count { !$0.isFinite }
    if notNumbers > 0 { return .failed("\(notNumbers) values are not finite") }
    var differing = 0
    var largest: Float = 0
    for (a, b) in zip(actual, expected) where a.bitPattern != b.bitPattern {
      differing += 1
      largest = max(largest, abs(a - b))
    }
    guard largest <= 1 / 1023 else {
      return .failed("\(differing) values differ, by up to \(largest)")
    }
    return differing == 0 ? .identical : .close(differing: differing)
  }

  /// The values of both frames, one behind the other; codes of ten bits as shares of 1024.
  private static func frames(on device: Device) throws(CinematicError) -> [Float] {
    let queue = try CommandQueue(device: device)
    let map = try map()
    let light = try PixelBuffer(
      dimensions: size, format: .rgbaFloat, tags: .linearBT709, bytesPerRowAlignment: 16)
    let codes = try PixelBuffer(
      dimensions: oddSize, format: .yuv420Video10, tags: .hlg, bytesPerRowAlignment: 2)
    let buffers = [
      try encode(try stripes(), map, to: light, .preview, on: queue),
      try encode(try deepStripes(), map, to: codes, .export, on: queue),
    ]
    for buffer in buffers { buffer.commit() }
    for buffer in buffers { buffer.waitUntilCompleted() }
    for buffer in buffers { if let error = buffer.error { throw error } }
    var values = light.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    for (plane, layout) in codes.planes.enumerated() {
      let rowBytes = layout.dimensions.width * layout.bytesPerElement
      codes.withUnsafeBytes(ofPlane: plane) { bytes in
        for y in 0..<layout.dimensions.height {
          for offset in stride(from: 0, to: rowBytes, by: 2) {
            // The code lies in the upper ten bits.
            let code = bytes.loadUnaligned(
              fromByteOffset: y * layout.bytesPerRow + offset, as: UInt16.self)
            values.append(Float(code) / 65536)
          }
        }
      }
    }
    return values
  }

  private static func encode(
    _ picture: PixelBuffer, _ map: PixelBuffer, to result: PixelBuffer,
    _ quality: RenderingQuality, on queue: CommandQueue
  ) throws(CinematicError) -> CommandBuffer {
    let session = try RenderingSession(commandQueue: queue, quality: quality)
    let buffer = queue.makeCommandBuffer()
    try session.encodeRender(
      to: buffer, frameAttributes: .init(focusDisparity: 0.5, fNumber: 0.4), sourceImage: picture,
      sourceDisparity: map, destinationImage: result)
    return buffer
  }

  /// Stripes before a chequered wall.
  private static func stripes() throws(CinematicError) -> PixelBuffer {
    let picture = try PixelBuffer(dimensions: size, format: .rgba8, tags: .sRGB)
    picture.withUnsafeMutableBytes { bytes in
      for y in 0..<size.height {
        for x in 0..<size.width {
          let pixel = y * picture.planes[0].bytesPerRow + 4 * x
          let near = (x / 12) % 3 == 0
          let light = near ? 40 + 2 * y : (x / 4 + y / 4) % 2 == 0 ? 230 : 25
          for (channel, value) in [light, 255 - light, 2 * x, 255].enumerated() {
            bytes[pixel + channel] = UInt8(clamping: value)
          }
        }
      }
    }
    return picture
  }

  /// The same in luma, with slopes in chroma.
  private static func deepStripes() throws(CinematicError) -> PixelBuffer {
    let picture = try PixelBuffer(dimensions: oddSize, format: .yuv420Video10, tags: .hlg)
    for (plane, layout) in picture.planes.enumerated() {
      let values = layout.bytesPerElement / 2
      picture.withUnsafeMutableBytes(ofPlane: plane) { bytes in
        for y in 0..<layout.dimensions.height {
          for x in 0..<layout.dimensions.width * values {
            let near = (x / 12) % 3 == 0
            let luma = near ? 200 + 7 * y : (x / 4 + y / 4) % 2 == 0 ? 900 : 90
            let code = plane == 0 ? luma : x % 2 == 0 ? 400 + 3 * x : 700 - 9 * y
            bytes.storeBytes(
              of: UInt16(min(max(code, 64), 940) << 6),
              toByteOffset: y * layout.bytesPerRow + 2 * x,
              as: UInt16.self)
          }
        }
      }
    }
    return picture
  }

  /// A blurred map with a hole, on both sides of the focus.
  private static func map() throws(CinematicError) -> PixelBuffer {
    let map = try PixelBuffer(
      dimensions: Dimensions(width: 24, height: 16), format: .disparityFloat)
    map.withUnsafeMutableBytes { bytes in
      for y in 0..<16 {
        for x in 0..<24 {
          let value: Float = (x, y) == (9, 5) ? .nan : x / 3 % 3 == 0 ? 0.9 : 0.1 + Float(y) / 40
          bytes.storeBytes(
            of: value, toByteOffset: y * map.planes[0].bytesPerRow + 4 * x, as: Float.self)
        }
      }
    }
    return map
  }
}
