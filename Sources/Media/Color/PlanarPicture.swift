// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore
import PlanarCoding

extension FocalPlanarPicture {
  /// The codes of a frame.
  ///
  /// - Precondition: integers of 16 bits at most, in whole bytes.
  init(
    _ frame: PictureFrame, _ layout: PixelLayout, matrix: ColorTags.Matrix, isFullRange: Bool,
    siting: ChromaSiting
  ) {
    self.init()
    width = frame.pointer.pointee.width
    height = frame.pointer.pointee.height
    let chosen =
      layout.isRGB ? FocalPlanarRGB : layout.isGray ? FocalPlanarGray : FocalPlanarYCbCr
    kind = Int32(chosen.rawValue)
    isBigEndian = layout.isBigEndian ? 1 : 0
    self.isFullRange = isFullRange || layout.isGray ? 1 : 0
    self.matrix = matrix.rawValue
    chromaColumns = Int32(layout.chromaColumns)
    chromaRows = Int32(layout.chromaRows)
    sitingX = Int32(siting.horizontal)
    sitingY = Int32(siting.vertical)
    func component(_ index: Int?) -> FocalPlanarComponent {
      guard let index, layout.components.indices.contains(index) else {
        return FocalPlanarComponent()
      }
      let component = layout.components[index]
      let strides = frame.pointer.pointee.linesize
      let stride = [strides.0, strides.1, strides.2, strides.3][component.plane]
      let bits = component.depth + component.shift
      let base = frame.row(0, ofPlane: component.plane) + component.offset
      return FocalPlanarComponent(
        base: base.assumingMemoryBound(to: UInt8.self), bytesPerRow: Int(stride),
        step: Int32(component.step), shift: Int32(component.shift), depth: Int32(component.depth),
        size: bits <= 8 ? 1 : bits <= 16 ? 2 : 4)
    }
    components = (
      component(0), component(layout.isGray ? nil : 1), component(layout.isGray ? nil : 2),
      component(layout.alpha)
    )
  }

  /// The codes as R'G'B' and alpha.
  ///
  /// - Precondition: a buffer of `rgbaFloat` and the same size.
  func read(into buffer: PixelBuffer, path: String) throws(CinematicError) {
    let done = buffer.withUnsafeMutableBytes { bytes in
      withUnsafePointer(to: self) { picture in
        focal_planar_read(
          picture, bytes.baseAddress!.assumingMemoryBound(to: Float.self),
          buffer.planes[0].bytesPerRow / 4)
      }
    }
    guard done != 0 else { throw .outOfMemory(for: path) }
  }

  /// R'G'B' and alpha as codes.
  ///
  /// - Precondition: as ``read(into:path:)``.
  func write(_ buffer: PixelBuffer, path: String) throws(CinematicError) {
    let done = buffer.withUnsafeBytes { bytes in
      withUnsafePointer(to: self) { picture in
        focal_planar_write(
          picture, bytes.baseAddress!.assumingMemoryBound(to: Float.self),
          buffer.planes[0].bytesPerRow / 4)
      }
    }
    guard done != 0 else { throw .outOfMemory(for: path) }
  }
}
