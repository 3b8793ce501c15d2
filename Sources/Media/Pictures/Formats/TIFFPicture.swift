// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore
import TIFFCoding

/// A TIFF file through libtiff, in memory or row by row.
final class TIFFPicture {
  let dimensions: Dimensions
  let format: AVPixelFormat
  /// Bytes that are held to decode a row: of a whole piece, and of what becomes of it.
  let bytesAtOnce: Int
  private let path: String
  private let request: StillRequest
  /// Whether damage was met.
  private var isDamaged = false
  private let facts: FocalTIFFPicture
  private let reader: OpaquePointer

  /// The picture of a file in memory.
  ///
  /// - Throws: `malformed` for a damaged file, `unsupported` for samples of another kind.
  static func decode(
    _ bytes: [UInt8], _ request: StillRequest
  ) throws(CinematicError) -> PictureFrame {
    // A closure could not carry the error's type through.
    try bytes.withUnsafeBytes { bytes in
      Result { () throws(CinematicError) in
        let picture = try TIFFPicture(request) { reader, facts, message in
          focal_tiff_open(
            bytes.baseAddress, bytes.count, Int32(PixelBuffer.maximumDimension), reader, facts,
            message)
        }
        return try picture.frame(0..<picture.dimensions.height)
      }
    }.get()
  }

  /// - Parameter file: must outlive the picture.
  /// - Throws: `malformed` for a damaged file, `unsupported` for samples of another kind.
  convenience init(_ file: FileDescriptor, _ request: StillRequest) throws(CinematicError) {
    try self.init(request) { reader, facts, message in
      focal_tiff_open_file(
        file.number, Int32(PixelBuffer.maximumDimension), reader, facts, message)
    }
  }

  private init(
    _ request: StillRequest,
    open: (
      UnsafeMutablePointer<OpaquePointer?>, UnsafeMutablePointer<FocalTIFFPicture>,
      UnsafeMutablePointer<CChar>
    ) -> FocalTIFFStatus
  ) throws(CinematicError) {
    let path = request.path
    var facts = FocalTIFFPicture()
    var reader: OpaquePointer?
    var message = [CChar](repeating: 0, count: Int(FOCAL_TIFF_MESSAGE_SIZE))
    let status = open(&reader, &facts, &message)
    let text = message.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    guard status != FocalTIFFUnsupported else {
      throw CinematicError(
        .unsupported, "\(path) cannot be read (TIFF of \(text))",
        remedy: "save it as 8 or 16 bits a sample, or as floats, in gray or RGB")
    }
    guard status == FocalTIFFRead, let reader else { throw Self.damaged(path, text) }
    self.path = path
    self.request = request
    self.reader = reader
    self.facts = facts
    dimensions = Dimensions(width: Int(facts.width), height: Int(facts.height))
    bytesAtOnce = Int(facts.bytesAtOnce)
    switch (facts.sampleSize, facts.components) {
    case (1, 1): format = AV_PIX_FMT_GRAY8
    case (1, 2): format = AV_PIX_FMT_YA8
    case (1, 3): format = AV_PIX_FMT_RGB24
    case (1, _): format = AV_PIX_FMT_RGBA
    case (2, 1): format = AV_PIX_FMT_GRAY16LE
    case (2, 2): format = AV_PIX_FMT_YA16LE
    case (2, 3): format = AV_PIX_FMT_RGB48LE
    case (2, _): format = AV_PIX_FMT_RGBA64LE
    case (_, 1), (_, 2): format = AV_PIX_FMT_GRAYF32LE
    case (_, 3): format = AV_PIX_FMT_GBRPF32LE
    default: format = AV_PIX_FMT_GBRAPF32LE
    }
    if !request.damage.stops { focal_tiff_tolerate_damage(reader) }
  }

  deinit { focal_tiff_close(reader) }

  private static func damaged(_ path: String, _ reason: String, row: Int? = nil) -> CinematicError {
    let place = row.map { "from row \($0) on: " } ?? ""
    return CinematicError(
      .malformed,
      "\(path) is damaged or cut short (TIFF: \(place)\(reason.isEmpty ? "pixels are missing" : reason))",
      remedy: "make or copy the file again")
  }

  /// The library's message, and the damaged row.
  private var damageFound: CinematicError {
    let row = Int(focal_tiff_damaged_row(reader))
    return Self.damaged(
      path, String(cString: focal_tiff_message(reader)), row: row < 0 ? nil : row)
  }

  /// Adds the meaning of the samples to a picture.
  func describe(_ frame: PictureFrame) {
    if facts.pages > 1 { frame.metadata.companions.insert(.otherPictures) }
    frame.metadata.hasPremultipliedAlpha = facts.isPremultiplied != 0 && facts.isFloatingPoint != 0
    if facts.extraSamples > 0 {
      frame.metadata.leftOutChannels = (1...facts.extraSamples).filter { $0 != facts.alphaSample }
        .map { "extra sample \($0)" }
    }
    // Frames hold no floats of gray with alpha.
    if facts.components == 2, facts.isFloatingPoint != 0 {
      frame.metadata.leftOutChannels.insert("alpha", at: 0)
    }
  }

  /// Some rows; codes that were multiplied by alpha are divided by it. Rows in order are decoded once.
  ///
  /// - Throws: `malformed` for a damaged file, `outOfMemory`.
  func frame(_ rows: Range<Int>) throws(CinematicError) -> PictureFrame {
    let components = Int(facts.components)
    let size = Dimensions(width: dimensions.width, height: rows.count)
    let bytesPerPixel = components * Int(facts.sampleSize)
    try PictureClaim(
      size, bytesPerPixel: bytesPerPixel, isDeep: facts.sampleSize > 1, request
    ).checkMemory()
    // The library decodes a strip or a tile whole, which may be far larger than the picture.
    try MemoryBudget.check(bytesAtOnce, for: "a piece of \(path)")
    guard let frame = PictureFrame(format, size) else { throw .outOfMemory(for: path) }
    describe(frame)
    let rowBytes = size.width * components * Int(facts.sampleSize)
    for y in 0..<rows.count {
      guard let row = focal_tiff_row(reader, Int32(rows.lowerBound + y)) else {
        if focal_tiff_lacks_memory(reader) != 0 { throw .outOfMemory(for: path) }
        throw damageFound
      }
      guard facts.isFloatingPoint != 0 else {
        let out = frame.row(y, ofPlane: 0)
        out.copyMemory(from: row, byteCount: rowBytes)
        if facts.isPremultiplied != 0 {
          if facts.sampleSize == 1 {
            PremultipliedCodes.divide(
              out.assumingMemoryBound(to: UInt8.self), components: components, count: size.width)
          } else {
            PremultipliedCodes.divide(
              out.assumingMemoryBound(to: UInt16.self), components: components, count: size.width)
          }
        }
        continue
      }
      let values = row.assumingMemoryBound(to: Float.self)
      // Planes of a frame are green, blue, red, alpha; of gray with alpha, the gray is taken.
      let places = components < 3 ? [0] : [2, 0, 1, 3]
      for (component, place) in places.prefix(components).enumerated() {
        let out = frame.row(y, ofPlane: place).assumingMemoryBound(to: Float.self)
        for x in 0..<size.width { out[x] = values[components * x + component] }
      }
    }
    if !isDamaged, focal_tiff_damaged_row(reader) >= 0 {
      isDamaged = true
      try request.damage.meet(damageFound)
    }
    return frame
  }
}
