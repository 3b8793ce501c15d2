// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

/// TIFF: pixels are read through libtiff and written through FFmpeg; what is said about them stands in a
/// directory of our own.
enum TIFFFormat: StillFormat {
  static func picture(
    in bytes: [UInt8], _ request: StillRequest
  ) throws(CinematicError) -> PictureFrame {
    let directory = TIFFDirectory(bytes, seeksPicture: true)
    let isWhole = directory?.cutOff.isDisjoint(with: TIFFDirectory.Tag.samples)
    if !(isWhole ?? StillKind.isBigTIFF(bytes)) {
      try request.damage.meet(FFmpegPictures.truncated(request.path, .tiff))
    }
    // Canon's raw data say so behind the head.
    if directory?.isRaw == true || bytes.dropFirst(8).starts(with: "CR\u{2}".utf8) {
      throw CinematicError(
        .unsupported,
        "\(request.path) holds raw sensor data, and the picture in it is only a preview",
        remedy: "develop it to TIFF or PNG first")
    }
    if directory?.isThumbnail == true {
      let most = TIFFDirectory.mostPages
      throw CinematicError(
        .unsupported,
        "\(request.path) holds thumbnails of a picture, which is not among its first \(most) pages",
        remedy: "give a file that has the picture itself among them")
    }
    if let directory { try check(directory, request) }
    let frame = try TIFFPicture.decode(bytes, request)
    frame.metadata.storedDepth = PixelLayout(frame.pixelFormat)?.depth
    if let directory { describe(frame, by: directory) }
    return frame
  }

  /// Meets a directory that is left out in part.
  ///
  /// - Throws: `malformed`.
  static func check(
    _ directory: TIFFDirectory, _ request: StillRequest
  ) throws(CinematicError) {
    guard directory.isOverfull else { return }
    try request.damage.meet(
      CinematicError(
        .malformed,
        "\(request.path) is damaged (TIFF: what it says about its picture takes more bytes than it has,"
          + " and is not read as a whole)", remedy: "make or copy the file again"))
  }

  /// Adds to a picture what its directory says about it.
  static func describe(_ frame: PictureFrame, by directory: TIFFDirectory) {
    frame.metadata.profile = directory[TIFFDirectory.Tag.profile].map { ColorProfile($0.value) }
    frame.metadata.xmp = directory[TIFFDirectory.Tag.xmp]?.value
    frame.metadata.resolution = directory.resolution
    frame.metadata.iptc =
      directory[TIFFDirectory.Tag.photoshop]?.value
      ?? directory[TIFFDirectory.Tag.iptc].map { PhotoshopBlocks.holding(iptc: $0.value) }
    // The same tags as EXIF block of its own, without those that say how pixels are stored.
    let kept = TIFFDirectory.Tag.descriptive.union([TIFFDirectory.Tag.orientation])
    var described = TIFFDirectory(
      entries: directory.entries.filter { kept.contains($0.tag) },
      isBigEndian: directory.isBigEndian)
    guard !described.entries.isEmpty else { return }
    // HEIC and AVIF have no other place for it.
    if let resolution = directory.resolution { described.set(resolution) }
    frame.metadata.exif = described.structure
  }

  static func file(_ picture: StillPicture) throws(CinematicError) -> [UInt8] {
    let format = RowLayout(picture).codeFormat(isBigEndian: false)
    var bytes = try FFmpegPictures.encode(
      picture, .tiff, AV_CODEC_ID_TIFF, format, options: ["compression_algo": "deflate"])
    guard var directory = TIFFDirectory(bytes) else { return bytes }
    add(picture, to: &directory)
    // The new directory stands behind the pixels, which stay where they are.
    if bytes.count % 2 != 0 { bytes.append(0) }
    let place = directory.bytes(bytes.count, 4)
    bytes += directory.stored(at: bytes.count)
    bytes.replaceSubrange(4..<8, with: place)
    return bytes
  }

  /// Adds to a directory what is said about a picture.
  static func add(_ picture: StillPicture, to directory: inout TIFFDirectory) {
    let metadata = picture.metadata
    let isBigEndian = directory.isBigEndian
    if let exif = metadata.exif.flatMap({ TIFFDirectory($0) })?.ordered(asBigEndian: isBigEndian) {
      for entry in exif.entries where TIFFDirectory.Tag.descriptive.contains(entry.tag) {
        directory.entries.removeAll { $0.tag == entry.tag }
        directory.entries.append(entry)
      }
    }
    if let resolution = metadata.resolution { directory.set(resolution) }
    if let xmp = metadata.xmp { directory.set(TIFFDirectory.Tag.xmp, type: 1, xmp) }
    if let iptc = metadata.iptc {
      // Readers look for either.
      directory.set(TIFFDirectory.Tag.photoshop, type: 1, iptc)
      if let records = PhotoshopBlocks.iptc(in: iptc) {
        directory.set(TIFFDirectory.Tag.iptc, type: 7, records)
      }
    }
    if let profile = picture.storedProfile {
      directory.set(TIFFDirectory.Tag.profile, type: 7, profile.bytes)
    }
  }
}
