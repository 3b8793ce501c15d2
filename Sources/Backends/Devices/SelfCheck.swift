// SPDX-License-Identifier: Apache-2.0

import FocalCPU
import FocalCore
import FocalRendering

/// The result of the quick check of a device: one small frame against the processor's.
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

/// Renders one small frame on a device and on the processor.
package enum SelfCheck {
  private static let size = Dimensions(width: 96, height: 64)

  /// Never throws: what goes wrong is the verdict.
  package static func verdict(of device: Device) -> DeviceVerdict {
    guard device.kind != .cpu else { return .reference }
    do throws(CinematicError) {
      let expected = try frame(on: .cpu())
      let actual = try frame(on: device)
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

  /// Stripes before a chequered wall, a blurred map with a hole, circles on both sides of the focus.
  private static func frame(on device: Device) throws(CinematicError) -> [Float] {
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
    let result = try PixelBuffer(
      dimensions: size, format: .rgbaFloat, tags: .linearBT709, bytesPerRowAlignment: 16)
    let session = try RenderingSession(
      commandQueue: CommandQueue(device: device), quality: .preview)
    let buffer = session.commandQueue.makeCommandBuffer()
    try session.encodeRender(
      to: buffer, frameAttributes: .init(focusDisparity: 0.5, fNumber: 0.4), sourceImage: picture,
      sourceDisparity: map, destinationImage: result)
    buffer.commit()
    buffer.waitUntilCompleted()
    if let error = buffer.error { throw error }
    return result.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
  }
}
