// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import MovieKit

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A folder that goes away with its last reference.
final class ScratchFolder {
  let path = TemporaryFolder.make()
  /// The registry of this test's unfinished files.
  let temporaryFiles = TemporaryFiles()

  deinit { Self.remove(path) }

  func file(_ name: String) -> String { path + "/" + name }

  /// Every name in the folder, hidden ones too.
  var names: [String] { Self.names(path) }

  func write(_ bytes: [UInt8], to name: String) {
    let file = fopen(self.file(name), "wb")!
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
  }

  func write(_ text: String, to name: String) { write(Array(text.utf8), to: name) }

  func read(_ name: String) -> [UInt8] {
    guard let file = fopen(self.file(name), "rb") else { return [] }
    defer { fclose(file) }
    fseek(file, 0, SEEK_END)
    let count = ftell(file)
    rewind(file)
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = fread(buffer.baseAddress!, 1, count, file)
    }
  }

  private static func names(_ path: String) -> [String] {
    guard let directory = opendir(path) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 1) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  private static func remove(_ path: String) {
    for name in names(path) {
      let child = path + "/" + name
      if unlink(child) != 0 { remove(child) }
    }
    rmdir(path)
  }
}

/// A repeatable generator (SplitMix64).
struct Seeded {
  private var state: UInt64
  init(_ seed: UInt64) { state = seed }
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

enum Scene {
  /// Every component of every pixel is noise: what lossless formats must keep.
  static func noise(
    _ width: Int, _ height: Int, _ format: PixelFormat, tags: ColorTags = .sRGB, seed: UInt64 = 1
  ) throws -> PixelBuffer {
    let buffer = try PixelBuffer(
      dimensions: Dimensions(width: width, height: height), format: format, tags: tags)
    var random = Seeded(seed)
    fill(buffer) { _, _, _, _ in Double(random.next() >> 11) * 0x1p-53 }
    return buffer
  }

  /// Smooth gradients that move with `phase`: what lossy codecs keep well.
  static func smooth(
    _ width: Int, _ height: Int, _ format: PixelFormat, tags: ColorTags = .bt709, phase: Double = 0
  ) throws -> PixelBuffer {
    let buffer = try PixelBuffer(
      dimensions: Dimensions(width: width, height: height), format: format, tags: tags)
    fill(buffer) { plane, component, x, y in
      component == 3
        ? 1
        : 0.5 + 0.35 * sin(6 * x + phase + Double(plane)) * cos(5 * y + Double(component))
    }
    return buffer
  }

  /// Sets every component to a value of 0...1, given plane, component and place in 0...1.
  static func fill(
    _ buffer: PixelBuffer, _ value: (_ plane: Int, _ component: Int, Double, Double) -> Double
  ) {
    for (index, plane) in buffer.planes.enumerated() {
      let components = Self.components(buffer.format, index)
      let size = plane.bytesPerElement / components
      buffer.withUnsafeMutableBytes(ofPlane: index) { bytes in
        for y in 0..<plane.dimensions.height {
          for x in 0..<plane.dimensions.width {
            for component in 0..<components {
              let v = value(
                index, component, Double(x) / Double(plane.dimensions.width),
                Double(y) / Double(plane.dimensions.height))
              let out =
                bytes.baseAddress! + y * plane.bytesPerRow + x * plane.bytesPerElement
                + component * size
              switch (size, buffer.format) {
              case (1, .yuv420Video8): out.storeBytes(of: UInt8(16 + v * 219), as: UInt8.self)
              case (1, _): out.storeBytes(of: UInt8(v * 255.99), as: UInt8.self)
              case (2, .yuv420Video10):
                out.storeBytes(of: UInt16(64 + v * 876) << 6, as: UInt16.self)
              case (2, .yuv420Full10): out.storeBytes(of: UInt16(v * 1023.99) << 6, as: UInt16.self)
              case (2, .rgbaHalf), (2, .disparityHalf):
                // Normal halves from 1/64 to 1: exponent 9 to 14, any fraction.
                let bits = UInt16(9 + v * 5.99) << 10 | UInt16(v * 65535) & 1023
                out.storeBytes(of: bits, as: UInt16.self)
              case (2, _): out.storeBytes(of: UInt16(v * 65535.99), as: UInt16.self)
              default: out.storeBytes(of: Float(v), as: Float.self)
              }
            }
          }
        }
      }
    }
  }

  static func components(_ format: PixelFormat, _ plane: Int) -> Int {
    switch format {
    case .rgba8, .rgbaHalf, .rgbaFloat: 4
    case .yuv420Video8, .yuv420Full8, .yuv420Video10, .yuv420Full10: plane == 0 ? 1 : 2
    default: 1
    }
  }
}

extension PixelBuffer {
  /// The bytes of a plane without the rows' padding.
  func packedBytes(ofPlane index: Int = 0) -> [UInt8] {
    let plane = planes[index]
    return withUnsafeBytes(ofPlane: index) { bytes in
      (0..<plane.dimensions.height).flatMap { y in
        bytes[(y * plane.bytesPerRow)...].prefix(plane.dimensions.width * plane.bytesPerElement)
      }
    }
  }

  func values<Value>(_ type: Value.Type, ofPlane index: Int = 0) -> [Value] {
    packedBytes(ofPlane: index).withUnsafeBytes { Array($0.bindMemory(to: Value.self)) }
  }
}

/// Peak signal to noise ratio of codes in dB; infinite for equal ones.
func psnr(_ a: [Double], _ b: [Double], peak: Double) -> Double {
  precondition(a.count == b.count)
  let sum = zip(a, b).reduce(0.0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
  return sum == 0 ? .infinity : 10 * log10(peak * peak * Double(a.count) / sum)
}

/// The error that `body` throws, or `nil`.
func failure(_ body: () throws(CinematicError) -> Void) -> CinematicError? {
  do throws(CinematicError) {
    try body()
    return nil
  } catch {
    return error
  }
}

/// The error that `body` throws, or `nil`.
func failure(_ body: () async throws(CinematicError) -> Void) async -> CinematicError? {
  do throws(CinematicError) {
    try await body()
    return nil
  } catch {
    return error
  }
}

/// Everything a source delivers.
func frames(_ path: String, _ options: ReadOptions = ReadOptions()) async throws(CinematicError)
  -> [MediaFrame]
{
  let reader = try await FrameReader.open(path, options: options)
  var frames: [MediaFrame] = []
  while let frame = try await reader.next() { frames.append(frame) }
  return frames
}
