// SPDX-License-Identifier: Apache-2.0

import FocalCore
import TrackingKernels

/// A picture's brightness and colour as codes of 8 bits, at halved and halved again sizes, from which
/// patches of any size are taken without aliasing. Codes are as they are stored: the transfer
/// function stays on, as for the eye.
final class PicturePlanes {
  /// Luma, and the differences of blue and red.
  enum Component: Int {
    case luma, blue, red
  }

  private enum Memory {
    case plane(Int, of: PixelBuffer)
    case bytes([UInt8])
  }
  private struct Level {
    var width: Int
    var height: Int
    var memory: Memory
    /// Bytes from the start of the plane to the first code, from row to row, from code to code.
    var offset = 0
    var rowBytes: Int
    var stride = 1

    func withBytes<Result>(_ body: (UnsafePointer<UInt8>) -> Result) -> Result {
      switch memory {
      case .plane(let index, of: let picture):
        picture.withUnsafeBytes(ofPlane: index) {
          body($0.baseAddress!.assumingMemoryBound(to: UInt8.self) + offset)
        }
      case .bytes(let bytes): bytes.withUnsafeBufferPointer { body($0.baseAddress! + offset) }
      }
    }
  }

  let width: Int
  let height: Int
  private var levels: [[Level]]
  /// Pixels that a code of chroma covers, in x and in y.
  private let subsampling: Int

  /// `nil` for a disparity map.
  init?(_ picture: PixelBuffer) {
    guard !picture.format.isDisparity else { return nil }
    (width, height) = (picture.width, picture.height)
    switch picture.format {
    case .yuv420Video8, .yuv420Full8, .yuv420Video10, .yuv420Full10, .gray8, .gray16:
      // of 16 bits the upper byte
      let bytes = picture.format.bitsPerComponent > 8 ? 2 : 1
      var levels: [[Level]] = []
      for (index, plane) in picture.planes.enumerated() {
        for component in 0..<(index + 1) {
          levels.append([
            Level(
              width: plane.dimensions.width, height: plane.dimensions.height,
              memory: .plane(index, of: picture), offset: component * bytes + bytes - 1,
              rowBytes: plane.bytesPerRow, stride: (index + 1) * bytes)
          ])
        }
      }
      self.levels = levels
      subsampling = 2
    default:
      let size = (picture.width, picture.height)
      levels = Self.codes(of: picture).map {
        [Level(width: size.0, height: size.1, memory: .bytes($0), rowBytes: size.0)]
      }
      subsampling = 1
    }
  }

  /// Takes a rectangle of the picture, in pixels, columns by rows samples of it; outside the picture
  /// its edge goes on.
  func sample(
    _ component: Component = .luma, centerX: Double, centerY: Double, width patchWidth: Double,
    height patchHeight: Double, columns: Int, rows: Int,
    into destination: UnsafeMutablePointer<Float>
  ) {
    guard component.rawValue < levels.count else {
      destination.update(repeating: 128, count: columns * rows)
      return
    }
    let factor = component == .luma ? 1 : 1 / Double(subsampling)
    // the level at which a sample step is one to two pixels
    let step = min(patchWidth / Double(columns), patchHeight / Double(rows)) * factor
    var level = 0
    while Double(2 << level) <= step, level < 8, makeLevel(level + 1, component) { level += 1 }
    let source = levels[component.rawValue][level]
    let scale = factor / Double(1 << level)
    let (stepX, stepY) = (patchWidth / Double(columns) * scale, patchHeight / Double(rows) * scale)
    source.withBytes { bytes in
      focal_track_sample(
        bytes, Int32(source.width), Int32(source.height), Int32(source.rowBytes),
        Int32(source.stride), Float((centerX - patchWidth / 2) * scale + stepX / 2 - 0.5),
        Float((centerY - patchHeight / 2) * scale + stepY / 2 - 0.5), Float(stepX), Float(stepY),
        Int32(columns), Int32(rows), destination)
    }
  }

  private func makeLevel(_ level: Int, _ component: Component) -> Bool {
    let made = levels[component.rawValue]
    if level < made.count { return true }
    let source = made[level - 1]
    let (width, height) = (source.width / 2, source.height / 2)
    guard width >= 2, height >= 2 else { return false }
    let bytes = [UInt8](unsafeUninitializedCapacity: width * height) { buffer, count in
      source.withBytes { input in
        focal_track_halve(
          input, Int32(source.rowBytes), Int32(source.stride), Int32(width), Int32(height),
          buffer.baseAddress!)
      }
      count = width * height
    }
    levels[component.rawValue].append(
      Level(width: width, height: height, memory: .bytes(bytes), rowBytes: width))
    return true
  }

  /// Luma and colour differences of BT.709 of a picture of red, green and blue.
  private static func codes(of picture: PixelBuffer) -> [[UInt8]] {
    let (width, height) = (picture.width, picture.height)
    let bytesPerRow = picture.planes[0].bytesPerRow
    var lumas = [UInt8](repeating: 0, count: width * height)
    var (blues, reds) = (lumas, lumas)
    func code(_ value: Float) -> UInt8 { value > 0 ? UInt8(min(255, value + 0.5)) : 0 }
    picture.withUnsafeBytes { bytes in
      lumas.withUnsafeMutableBufferPointer { luma in
        blues.withUnsafeMutableBufferPointer { blue in
          reds.withUnsafeMutableBufferPointer { red in
            func put(_ at: Int, _ r: Float, _ g: Float, _ b: Float) {
              let y = 0.2126 * r + 0.7152 * g + 0.0722 * b
              luma[at] = code(y)
              blue[at] = code(128 + (b - y) * (1 / 1.8556))
              red[at] = code(128 + (r - y) * (1 / 1.5748))
            }
            for row in 0..<height {
              let source = bytes.baseAddress! + row * bytesPerRow
              let start = row * width
              switch picture.format {
              case .rgba8:
                let source = source.assumingMemoryBound(to: UInt8.self)
                for x in 0..<width {
                  put(
                    start + x, Float(source[4 * x]), Float(source[4 * x + 1]),
                    Float(source[4 * x + 2]))
                }
              case .rgbaHalf:
                let source = source.assumingMemoryBound(to: UInt16.self)
                for x in 0..<width {
                  put(
                    start + x, 255 * Float(half: source[4 * x]),
                    255 * Float(half: source[4 * x + 1]),
                    255 * Float(half: source[4 * x + 2]))
                }
              default:
                let source = source.assumingMemoryBound(to: Float.self)
                for x in 0..<width {
                  put(
                    start + x, 255 * source[4 * x], 255 * source[4 * x + 1], 255 * source[4 * x + 2]
                  )
                }
              }
            }
          }
        }
      }
    }
    return [lumas, blues, reds]
  }
}
