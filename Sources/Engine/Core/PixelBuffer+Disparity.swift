// SPDX-License-Identifier: Apache-2.0

import ShaderTypes

extension Float {
  /// The value of an IEEE 754 binary16: `Float16` is missing on some platforms.
  package init(half bits: UInt16) { self = focal_half_to_float(UInt32(bits)) }
}

extension PixelBuffer {
  /// The disparity below which `share` of a region's valid disparities lie; 0.5 is the median.
  ///
  /// - Parameters:
  ///   - region: a part of the map; at least the pixel at its centre counts.
  ///   - share: 0 for the smallest (farthest), 1 for the largest (nearest); what lies beyond is the nearer of both.
  /// - Returns: `nil` when the region holds no valid disparity, the share is not a number, or the buffer is no disparity
  ///   map.
  public func disparity(in region: NormalizedRect, share: Double) -> Float? {
    guard format.isDisparity, !share.isNaN else { return nil }
    let (left, top) = NormalizedPoint(x: region.x, y: region.y).pixel(in: dimensions)
    let (right, bottom) = NormalizedPoint(x: region.maxX, y: region.maxY).pixel(in: dimensions)
    var values: [Float] = []
    for y in top...max(top, bottom) {
      for x in left...max(left, right) {
        if let value = uncheckedDisparity(x: x, y: y) { values.append(value) }
      }
    }
    guard !values.isEmpty else { return nil }
    values.sort()
    return values[min(values.count - 1, Int(min(max(share, 0), 1) * Double(values.count)))]
  }

  /// The disparity of what is seen at a point: the median of a patch of a fiftieth of the width and
  /// height around it, so that one wrong pixel does not decide.
  ///
  /// - Returns: `nil` when the patch holds no valid disparity, or the buffer is no disparity map.
  public func disparity(at point: NormalizedPoint) -> Float? {
    let side = 0.02
    return disparity(
      in: NormalizedRect(
        x: point.x - side / 2, y: point.y - side / 2, width: side, height: side), share: 0.5)
  }

  /// The disparity of a pixel; `nil` where it is not finite or absurdly large, outside the map, and when the buffer is no
  /// disparity map.
  public func disparity(x: Int, y: Int) -> Float? {
    guard format.isDisparity, (0..<width).contains(x), (0..<height).contains(y) else { return nil }
    return uncheckedDisparity(x: x, y: y)
  }

  /// - Precondition: a disparity format, and a pixel of the map.
  private func uncheckedDisparity(x: Int, y: Int) -> Float? {
    let offset = y * planes[0].bytesPerRow + x * planes[0].bytesPerElement
    let value = withUnsafeBytes { bytes -> Float in
      format == .disparityHalf
        ? Float(half: bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
        : bytes.loadUnaligned(fromByteOffset: offset, as: Float.self)
    }
    return abs(value) <= Self.largestDisparity ? value : nil
  }

  /// The largest magnitude that is taken for a disparity; anything above marks a hole.
  public static let largestDisparity: Float = FOCAL_LARGEST_DISPARITY

  /// A map of floats as one of halves, to nearest even.
  ///
  /// - Precondition: `disparityFloat`.
  /// - Throws: `outOfMemory`.
  package func storedAsHalves() throws(CinematicError) -> PixelBuffer {
    let codes = cells.map { UInt16(truncatingIfNeeded: focal_float_to_half($0)) }
    return try PixelBuffer(
      dimensions: dimensions, format: .disparityHalf, tags: tags, values: codes)
  }

  /// A map of either format as one of floats; a map of floats is itself.
  ///
  /// - Throws: `unsupported` for a format that is not a disparity, `outOfMemory`.
  package func storedAsFloats() throws(CinematicError) -> PixelBuffer {
    try checkDisparity()
    guard format == .disparityHalf else { return self }
    var values: [Float] = []
    values.reserveCapacity(dimensions.count)
    withUnsafeBytes { bytes in
      for y in 0..<height {
        for x in 0..<width {
          let offset = y * planes[0].bytesPerRow + 2 * x
          values.append(
            Float(half: bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self)))
        }
      }
    }
    return try PixelBuffer(
      dimensions: dimensions, format: .disparityFloat, tags: tags, values: values)
  }

  private func checkDisparity() throws(CinematicError) {
    guard format.isDisparity else {
      throw CinematicError(
        .unsupported, "\(format) is not a disparity format",
        remedy: "give the map as \(PixelFormat.disparityFloat) or \(PixelFormat.disparityHalf)")
    }
  }

  /// The map turned by a quarter turn: a copy in rows without padding.
  ///
  /// - Throws: `unsupported` for a format that is not a disparity, `outOfMemory`.
  public func turnedDisparity(by turn: QuarterTurn) throws(CinematicError) -> PixelBuffer {
    try checkDisparity()
    return try turnedPixels(by: turn)
  }

  /// The pixels turned by a quarter turn: a copy in rows without padding.
  ///
  /// - Precondition: there is one plane.
  /// - Throws: `outOfMemory`.
  package func turnedPixels(by turn: QuarterTurn) throws(CinematicError) -> PixelBuffer {
    let result = try PixelBuffer(
      dimensions: turn.applied(to: dimensions), format: format, tags: tags,
      bytesPerRowAlignment: planes[0].bytesPerElement)
    switch planes[0].bytesPerElement {
    case 1: copy(to: result, turn, as: UInt8.self)
    case 2: copy(to: result, turn, as: UInt16.self)
    case 4: copy(to: result, turn, as: UInt32.self)
    case 8: copy(to: result, turn, as: UInt64.self)
    default: copy(to: result, turn, as: SIMD4<Float>.self)
    }
    return result
  }

  private func copy<Pixel: BitwiseCopyable>(
    to result: PixelBuffer, _ turn: QuarterTurn, as type: Pixel.Type
  ) {
    let (from, to) = (planes[0].bytesPerRow, result.planes[0].bytesPerRow)
    let size = planes[0].bytesPerElement
    withUnsafeBytes { source in
      result.withUnsafeMutableBytes { target in
        for y in 0..<result.height {
          for x in 0..<result.width {
            let (i, j) = turn.stored(x, y, width: width, height: height)
            target.storeBytes(
              of: source.loadUnaligned(fromByteOffset: j * from + i * size, as: type),
              toByteOffset: y * to + x * size, as: type)
          }
        }
      }
    }
  }
}
