// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore
import ShaderTypes

/// DPX (SMPTE 268M): scans and graded frames, through FFmpeg.
///
/// A file says by a byte what its codes are. Printing density and logarithmic codes are taken for Cineon's
/// (``CineonCurve``), linear ones for light, all others for video, as sRGB's are. Files are written with the
/// source's bits, 10, 12 or 16, and by the source's curve where that is logarithmic.
enum DPXFormat: PlainRowFormat {
  /// Where the first picture's transfer characteristic stands, and behind it its primaries.
  private static let transferPlace = 801
  /// Of the parts that every file has.
  private static let headerByteCount = 1664
  /// The parts for film and television behind them: every field is undefined but for those that a source says.
  private static let productionByteCount = 384
  /// The places of fields that describe a production: dates and names; source and device; film and television.
  private static let productionPlaces = [136..<660, 1432..<1620, 1664..<2048]
  /// Where the program or the person stands that made the file.
  private static let creatorPlaces = 160..<260
  /// Where the file's size stands.
  private static let byteCountPlace = 16
  /// Where the height stands, behind the width.
  private static let heightPlace = 776
  private static let printingDensity: UInt8 = 1
  private static let linear: UInt8 = 2
  private static let logarithmic: UInt8 = 3
  private static let video: UInt8 = 6

  /// How files call primaries: SMPTE 268M has numbers for BT.709 and for both systems of BT.601, and none for wider
  /// ones.
  static func colorimetric(_ primaries: ColorTags.Primaries) -> UInt8? {
    switch primaries {
    case .bt709: video
    case .bt470bg: 7
    case .smpte170m: 8
    case .displayP3, .bt2020: nil
    }
  }

  static func picture(
    in bytes: [UInt8], _ request: StillRequest
  ) throws(CinematicError) -> PictureFrame {
    guard bytes.count > headerByteCount else {
      throw FFmpegPictures.truncated(request.path, .dpx)
    }
    // Of one component of eight bits at least; FFmpeg reads no runs.
    let size = Dimensions(
      width: number(bytes, heightPlace - 4), height: number(bytes, heightPlace))
    let claim = PictureClaim(size, bytesPerPixel: 8, isDeep: true, request)
    try claim.check(bytes.count, mostPixelsPerByte: 1)
    try claim.checkMemory()
    let frame = try FFmpegPictures.decode(bytes, .dpx, AV_CODEC_ID_DPX, request)
    let transfer = bytes[transferPlace]
    frame.metadata.productionHeader = productionHeader(bytes)
    frame.metadata.storedDepth = PixelLayout(frame.pixelFormat)?.depth
    frame.metadata.isLogarithmic = transfer == printingDensity || transfer == logarithmic
    if transfer == linear {
      if !request.statesTransfer {
        frame.metadata.assumption = "says that its codes are linear light"
        frame.metadata.assumptionRemedy = "\(parameter: .transfer, to: "srgb") if they are not"
      }
    } else if frame.metadata.isLogarithmic {
      frame.metadata.assumption =
        request.statesTransfer
        ? nil : "is printing density, taken for Cineon's: white at 685, black at 95"
    } else {
      frame.pointer.pointee.color_trc = AVCOL_TRC_UNSPECIFIED
    }
    return frame
  }

  /// The header of a file that says something about a production, with the parts for film and television if it has them.
  private static func productionHeader(_ bytes: [UInt8]) -> [UInt8]? {
    let dataPlace = headerByteCount + productionByteCount
    let hasParts = bytes.count > dataPlace && number(bytes, 4) >= dataPlace
    let header = bytes[..<(hasParts ? dataPlace : headerByteCount)]
    func says(_ places: Range<Int>) -> Bool { header[places].contains { $0 != 0 && $0 != 0xFF } }
    // FFmpeg names itself.
    let hasCreator = says(creatorPlaces) && !header[creatorPlaces].starts(with: "Lavc".utf8)
    // A date alone is that of the file.
    let isSaid = productionPlaces.contains { places in
      places.upperBound <= header.count
        && says(places.clamped(to: creatorPlaces.upperBound..<dataPlace))
    }
    return hasCreator || isSaid ? Array(header) : nil
  }

  static func part(
    _ picture: StillPicture, _ layout: RowLayout
  ) throws(CinematicError) -> [UInt8] {
    let depth = picture.metadata.storedDepth ?? 10
    let format =
      layout.hasAlpha
      ? (layout.isDeep ? AV_PIX_FMT_RGBA64BE : AV_PIX_FMT_RGBA)
      : !layout.isDeep && depth <= 8
        ? AV_PIX_FMT_RGB24
        : depth <= 10 ? AV_PIX_FMT_GBRP10BE : depth <= 12 ? AV_PIX_FMT_GBRP12BE : AV_PIX_FMT_RGB48BE
    var bytes = try FFmpegPictures.encode(picture, .dpx, AV_CODEC_ID_DPX, format)
    guard bytes.count > headerByteCount else {
      throw CinematicError(.unwritable, "cannot encode \(picture.path) as DPX")
    }
    // The encoder calls everything linear.
    bytes[transferPlace] = picture.metadata.isLogarithmic ? printingDensity : video
    bytes[transferPlace + 1] =
      picture.metadata.isLogarithmic
      ? printingDensity : colorimetric(picture.buffer.tags.primaries) ?? video
    describeProduction(in: &bytes, picture.metadata.productionHeader)
    return bytes
  }

  private static func isBigEndian(_ header: [UInt8]) -> Bool { header[0] == UInt8(ascii: "S") }

  private static func put(_ value: Int, at place: Int, in header: inout [UInt8]) {
    for index in 0..<4 {
      let shift = isBigEndian(header) ? 24 - 8 * index : 8 * index
      header[place + index] = UInt8(truncatingIfNeeded: value >> shift)
    }
  }

  /// A number of 2 or 4 bytes.
  private static func number(_ header: [UInt8], _ place: Int, byteCount: Int = 4) -> Int {
    let bytes = header[place..<(place + byteCount)]
    return (isBigEndian(header) ? Array(bytes) : bytes.reversed()).reduce(0) { $0 << 8 | Int($1) }
  }

  /// Makes room for the parts of film and television, which readers expect, and fills them as the source's are.
  private static func describeProduction(in bytes: inout [UInt8], _ source: [UInt8]?) {
    bytes.insert(
      contentsOf: [UInt8](repeating: 0xFF, count: productionByteCount), at: headerByteCount)
    // Texts are undefined where they are empty: film stock, frame and slate.
    for text in [1664..<1712, 1732..<1864] {
      for place in text { bytes[place] = 0 }
    }
    let dataPlace = headerByteCount + productionByteCount
    for (place, value) in [
      (4, dataPlace), (byteCountPlace, bytes.count), (24, headerByteCount),
      (28, productionByteCount), (808, dataPlace),
    ] {
      put(value, at: place, in: &bytes)
    }
    guard let source else { return }
    for places in productionPlaces where places.upperBound <= source.count {
      bytes.replaceSubrange(places, with: source[places])
    }
    // Without the parts for film and television all is text.
    guard source.count == dataPlace, isBigEndian(source) != isBigEndian(bytes) else { return }
    // Numbers of four bytes, of film and of television.
    for places in [1712..<1732, 1920..<1928, 1932..<1984] {
      for place in stride(from: places.lowerBound, to: places.upperBound, by: 4) {
        bytes[place..<(place + 4)].reverse()
      }
    }
  }
}

extension DPXFormat {
  /// Bytes of a row, of pixels that FFmpeg reads, without what fills the last word of four; `nil` for others.
  private static func rowByteCount(_ header: [UInt8], width: Int) -> Int? {
    let components: Int
    switch header[800] {
    case 6: components = 1
    case 50: components = 3
    case 51, 52: components = 4
    default: return nil
    }
    let isFilled = number(header, 804, byteCount: 2) != 0
    let count = width * components
    switch (header[803], isFilled) {
    case (8, _): return count
    case (10, true): return (count + 2) / 3 * 4
    case (12, true), (16, _): return 2 * count
    default: return nil
    }
  }

  static func rows(in head: [UInt8], byteCount: Int) -> PlainRowPlaces? {
    guard head.count > headerByteCount else { return nil }
    let (start, width, height) = (
      number(head, 4), number(head, heightPlace - 4), number(head, heightPlace)
    )
    let isEncoded = number(head, 806, byteCount: 2) != 0
    let elements = number(head, 770, byteCount: 2)
    // One scanner's rows are no whole words.
    let isOfScanity = head[1556..<1563].elementsEqual("Scanity".utf8)
    guard start >= headerByteCount, start <= head.count, elements == 1, !isEncoded, !isOfScanity,
      (1...PixelBuffer.maximumDimension).contains(width),
      (1...PixelBuffer.maximumDimension).contains(height),
      let exact = rowByteCount(head, width: width)
    else { return nil }
    // Rows are whole words, but for those of some writers.
    let filled = (exact + 3) / 4 * 4
    for rowByteCount in [filled, exact] where start + rowByteCount * height <= byteCount {
      return PlainRowPlaces(
        dimensions: Dimensions(width: width, height: height), head: Array(head[..<start]),
        rowByteCount: rowByteCount, isUpsideDown: false)
    }
    return nil
  }

  static func head(_ head: [UInt8], height: Int, byteCount: Int) -> [UInt8] {
    var head = head
    put(height, at: heightPlace, in: &head)
    // Larger files have no number.
    put(byteCount <= Int(UInt32.max) ? byteCount : -1, at: byteCountPlace, in: &head)
    return head
  }
}

/// Codes of printing density as Cineon files have them: 0.002 of density a code of ten bits, and a negative's
/// gamma of 0.6, so that
///
///     light = (10^((1023 code - 685) 0.002 / 0.6) - black) / (1 - black),
///
/// black being the first term at 95: white is 1 at the code 685, and light goes on to 13.5 above it.
enum CineonCurve {
  private static let white: Float = 685
  private static let step: Float = 0.002 / 0.6
  // log2(10) and its inverse.
  private static let octaves: Float = 3.321928
  private static let black: Float = exponential((95 - white) * step)

  private static func exponential(_ x: Float) -> Float { focal_exp2(x * octaves) }

  static func light(_ code: Float) -> Float {
    (exponential((1023 * code - white) * step) - black) / (1 - black)
  }

  static func code(_ light: Float) -> Float {
    let density = max(light * (1 - black) + black, 1e-6)
    return (white + focal_log2(density) / (octaves * step)) / 1023
  }
}
