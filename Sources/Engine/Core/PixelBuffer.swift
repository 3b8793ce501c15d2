// SPDX-License-Identifier: Apache-2.0

/// A picture or a disparity map in memory: planes of rows, each row possibly padded.
///
/// The counterpart of `CVPixelBuffer`. Geometry, format and tags never change; the bytes do.
// @unchecked Sendable: every stored property is immutable, and the bytes behind the base address are
// reached only inside the `withUnsafe...` calls; as with any shared graphics memory the program
// orders its writes before its reads (a command buffer's completion is such an order).
public final class PixelBuffer: @unchecked Sendable {
  /// Where a plane lies.
  public struct Layout: Hashable, Sendable {
    /// Bytes from the buffer's start to the plane's first element.
    public let offset: Int
    /// Bytes from a row to the next; at least the row's own bytes.
    public let bytesPerRow: Int
    /// Columns and rows of elements.
    public let dimensions: Dimensions
    /// Bytes of one element.
    public let bytesPerElement: Int

    /// Bytes from the first element to the end of the last row's padding.
    public var byteCount: Int { bytesPerRow * dimensions.height }
  }

  /// The largest width and height that a buffer may have.
  public static let maximumDimension = 32768
  /// From how many pixels on planes begin on pages: in small pictures they would be mostly empty.
  private static let leastPixelCountOnPages = 1 << 14

  /// The size in pixels.
  public let dimensions: Dimensions
  /// How pixels are stored.
  public let format: PixelFormat
  /// The meaning of the numbers as colour.
  public let tags: ColorTags
  /// The planes, in the order of ``PixelFormat/planes``.
  public let planes: [Layout]

  private let base: UnsafeMutableRawPointer
  private let byteCount: Int
  private let release: @Sendable (UnsafeMutableRawPointer) -> Void

  /// Columns of pixels.
  public var width: Int { dimensions.width }
  /// Rows of pixels.
  public var height: Int { dimensions.height }

  /// A buffer of zero bytes, rows aligned to 64 bytes, large planes to pages of 4096.
  ///
  /// - Parameter bytesPerRowAlignment: a power of two up to 65536; rows start at its multiples.
  /// - Throws: `invalidParameter` for a size outside 1...``maximumDimension``, `outOfMemory`.
  public init(
    dimensions: Dimensions, format: PixelFormat, tags: ColorTags = .sRGB,
    bytesPerRowAlignment: Int = 64
  ) throws(CinematicError) {
    try Self.check(dimensions)
    guard (1...65536).contains(bytesPerRowAlignment), bytesPerRowAlignment.nonzeroBitCount == 1
    else {
      throw CinematicError(
        .invalidParameter, "rows cannot be aligned to \(bytesPerRowAlignment) bytes",
        remedy: "the alignment must be a power of two up to 65536")
    }
    // Formats of several bytes a component need their rows aligned to it.
    let alignment = max(bytesPerRowAlignment, format.bytesPerComponent)
    var layouts: [Layout] = []
    var end = 0
    let planeAlignment = Self.planeAlignment(of: dimensions)
    for plane in format.planes {
      let size = plane.dimensions(of: dimensions)
      let rowBytes = size.width * plane.bytesPerElement
      let stride = (rowBytes + alignment - 1) & ~(alignment - 1)
      layouts.append(
        Layout(
          offset: end, bytesPerRow: stride, dimensions: size, bytesPerElement: plane.bytesPerElement
        ))
      end = (end + stride * size.height + planeAlignment - 1) & ~(planeAlignment - 1)
    }
    // The slack lets vector code read whole registers at the end of the last row.
    guard let memory = allocateZeroed(byteCount: end + 64, alignment: planeAlignment) else {
      throw CinematicError(
        .outOfMemory, "no memory for a \(dimensions) picture of format \(format) (\(end) bytes)",
        remedy: "render at a smaller size")
    }
    self.dimensions = dimensions
    self.format = format
    self.tags = tags
    self.planes = layouts
    self.base = memory
    self.byteCount = end
    self.release = { deallocateZeroed($0) }
  }

  /// A buffer that holds a copy of values in rows without padding.
  ///
  /// - Parameters:
  ///   - values: the components of all planes, one plane after another: for `rgba8` four bytes a
  ///     pixel, for `disparityFloat` a `Float` a pixel.
  /// - Throws: `invalidParameter` for a size outside 1...``maximumDimension`` or another number of
  ///   bytes than the picture has, `outOfMemory`.
  public convenience init<Value: BitwiseCopyable>(
    dimensions: Dimensions, format: PixelFormat, tags: ColorTags = .sRGB, values: [Value]
  ) throws(CinematicError) {
    try self.init(dimensions: dimensions, format: format, tags: tags)
    let expected = planes.reduce(0) { $0 + $1.dimensions.count * $1.bytesPerElement }
    let given = values.count * MemoryLayout<Value>.stride
    guard given == expected else {
      throw CinematicError(
        .invalidParameter, "\(given) bytes for a \(dimensions) picture of format \(format)",
        remedy: "give \(expected) bytes, in rows without padding")
    }
    values.withUnsafeBytes { source in
      var next = 0
      for index in planes.indices {
        let plane = planes[index]
        let rowBytes = plane.dimensions.width * plane.bytesPerElement
        withUnsafeMutableBytes(ofPlane: index) { bytes in
          for row in 0..<plane.dimensions.height {
            (bytes.baseAddress! + row * plane.bytesPerRow).copyMemory(
              from: source.baseAddress! + next, byteCount: rowBytes)
            next += rowBytes
          }
        }
      }
    }
  }

  /// A buffer over memory that the caller owns.
  ///
  /// - Parameters:
  ///   - baseAddress: the first byte.
  ///   - byteCount: bytes from `baseAddress` that belong to the buffer.
  ///   - planes: where each plane lies, in the order of ``PixelFormat/planes``; rows may be padded,
  ///     planes must not overlap, and every row starts at a multiple of the format's component size.
  ///   - release: called once with `baseAddress`, when the buffer is no longer used; not called when
  ///     the initialiser throws.
  /// - Throws: `invalidParameter` for a size outside 1...``maximumDimension`` or planes that do not
  ///   fit the format or the memory.
  public init(
    dimensions: Dimensions, format: PixelFormat, tags: ColorTags,
    baseAddress: UnsafeMutableRawPointer, byteCount: Int,
    planes: [(offset: Int, bytesPerRow: Int)],
    release: @escaping @Sendable (UnsafeMutableRawPointer) -> Void
  ) throws(CinematicError) {
    try Self.check(dimensions)
    let layouts = try Self.layouts(
      dimensions: dimensions, format: format, byteCount: byteCount, given: planes,
      baseAddress: baseAddress)
    self.dimensions = dimensions
    self.format = format
    self.tags = tags
    self.planes = layouts
    self.base = baseAddress
    self.byteCount = byteCount
    self.release = release
  }

  /// A part of another buffer, in the same memory.
  private init(part: PixelBuffer, dimensions: Dimensions, planes: [Layout], tags: ColorTags) {
    self.dimensions = dimensions
    self.format = part.format
    self.tags = tags
    self.planes = planes
    self.base = part.base
    self.byteCount = part.byteCount
    self.release = { _ in withExtendedLifetime(part) {} }
  }

  deinit { release(base) }

  /// The columns and rows as a picture of their own, in the same memory.
  ///
  /// - Precondition: They lie in the picture; where planes are subsampled they begin at its multiples.
  package func part(columns: Range<Int>, rows: Range<Int>) -> PixelBuffer {
    let size = Dimensions(width: columns.count, height: rows.count)
    let parts = zip(format.planes, planes).map { plane, layout in
      Layout(
        offset: layout.offset + rows.lowerBound / plane.subsampling * layout.bytesPerRow
          + columns.lowerBound / plane.subsampling * layout.bytesPerElement,
        bytesPerRow: layout.bytesPerRow, dimensions: plane.dimensions(of: size),
        bytesPerElement: layout.bytesPerElement)
    }
    return PixelBuffer(part: self, dimensions: size, planes: parts, tags: tags)
  }

  /// The same values in the same memory, taken for other colours.
  package func tagged(_ tags: ColorTags) -> PixelBuffer {
    PixelBuffer(part: self, dimensions: dimensions, planes: planes, tags: tags)
  }

  /// Calls `body` with a plane's bytes, row by row ``Layout/bytesPerRow`` apart.
  public func withUnsafeBytes<Result, Failure: Error>(
    ofPlane index: Int = 0, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(UnsafeRawBufferPointer(bytes(ofPlane: index)))
  }

  /// Calls `body` with a plane's bytes to write.
  public func withUnsafeMutableBytes<Result, Failure: Error>(
    ofPlane index: Int = 0, _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(bytes(ofPlane: index))
  }

  private func bytes(ofPlane index: Int) -> UnsafeMutableRawBufferPointer {
    let plane = planes[index]
    return UnsafeMutableRawBufferPointer(
      start: base + plane.offset, count: min(plane.byteCount, byteCount - plane.offset))
  }

  /// Bytes at whose multiples the planes of a picture begin in memory: graphics devices that share it with the
  /// processor reach whole pages without a copy.
  package static func planeAlignment(of dimensions: Dimensions) -> Int {
    dimensions.width * dimensions.height >= leastPixelCountOnPages ? 4096 : 64
  }

  /// - Throws: `invalidParameter` for a size outside 1...``maximumDimension``.
  package static func check(_ dimensions: Dimensions) throws(CinematicError) {
    let valid = 1...maximumDimension
    guard valid.contains(dimensions.width), valid.contains(dimensions.height) else {
      throw CinematicError(
        .invalidParameter, "a picture of \(dimensions) pixels cannot be made",
        remedy: "width and height must be 1 to \(maximumDimension)")
    }
  }
}
