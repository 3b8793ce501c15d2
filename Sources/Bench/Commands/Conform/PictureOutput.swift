// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalSample
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// How the commands write the pictures of a case that failed: as 16-bit PPM, or as what the program
/// has a writer for.
package enum PictureOutput {
  package typealias Writer =
    @Sendable (_ picture: PixelBuffer, _ path: String) throws(CinematicError) -> Void

  private static let writer = Mutex<(ending: String, write: Writer)>(("ppm", writePPM))

  /// Takes another writer for every later picture: of `rgbaFloat`, values as shown.
  package static func use(ending: String, _ write: @escaping Writer) {
    writer.withLock { $0 = (ending, write) }
  }

  /// Writes what a device rendered, what it should have, and the difference, so amplified that the
  /// largest is white.
  ///
  /// - Returns: the paths.
  /// - Throws: `unwritable`.
  static func write(
    actual: PixelBuffer, reference: PixelBuffer, amplification: Double, to folder: String,
    name: String
  ) throws(CinematicError) -> [String] {
    let (ending, write) = writer.withLock { $0 }
    let shown = try PictureComparison.displayPicture(ofLinear: actual.linearRGBA())
    let expected = try PictureComparison.displayPicture(ofLinear: reference.linearRGBA())
    let difference = try PictureComparison.differencePicture(
      shown, reference: expected, amplification: amplification)
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    } catch {
      throw CinematicError(
        .unwritable, "cannot make the folder \(folder)",
        remedy: "choose a folder that you may write to")
    }
    var paths: [String] = []
    for (kind, picture) in [
      ("actual", shown), ("reference", expected), ("difference", difference),
    ] {
      let file = name.map { $0.isLetter || $0.isNumber || $0 == "." ? $0 : "-" }
      let path = "\(folder)/\(String(file))-\(kind).\(ending)"
      try write(picture, path)
      paths.append(path)
    }
    return paths
  }

  /// A picture of floats as binary PPM of 16 bits.
  @Sendable
  private static func writePPM(_ picture: PixelBuffer, _ path: String) throws(CinematicError) {
    var data = Data("P6 \(picture.width) \(picture.height) 65535\n".utf8)
    picture.withUnsafeBytes { bytes in
      for y in 0..<picture.height {
        for x in 0..<picture.width {
          for channel in 0..<3 {
            let value = bytes.loadUnaligned(
              fromByteOffset: y * picture.planes[0].bytesPerRow + 16 * x + 4 * channel,
              as: Float.self)
            let code = UInt16(65535 * (value.isNaN ? 0 : max(0, min(1, value))))
            data.append(UInt8(code >> 8))
            data.append(UInt8(code & 255))
          }
        }
      }
    }
    do {
      try data.write(to: URL(fileURLWithPath: path), options: .atomic)
    } catch {
      throw CinematicError(
        .unwritable, "cannot write \(path)", remedy: "choose a folder that you may write to")
    }
  }
}
