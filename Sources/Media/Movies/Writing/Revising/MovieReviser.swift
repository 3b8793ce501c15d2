// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

/// Writes a Cinematic movie anew with other rendering attributes and another focus script.
///
/// Every other byte of the movie stays where it is: pictures, disparity, sound, tracks and boxes of
/// unknown types, and with them all offsets. The old index becomes unused space, unless it
/// stands last and goes; the new metadata and the new index follow the rest. A movie in fragments gets
/// one index of them all: the heads of its fragments become unused space, too.
public enum MovieReviser {
  /// The rendering attributes of a frame.
  public struct Frame: Sendable {
    /// On the movie's timeline.
    public var timeRange: TimeRange
    public var focusDisparity: Float
    public var fNumber: Float

    public init(timeRange: TimeRange, focusDisparity: Float, fNumber: Float) {
      self.timeRange = timeRange
      self.focusDisparity = focusDisparity
      self.fNumber = fNumber
    }
  }

  private static let pieceSize = 4 << 20

  /// - Parameters:
  ///   - source: a finished QuickTime movie; it is only read.
  ///   - path: ends in `.mov`; may be the source's, if existing files may be replaced.
  ///   - frames: in the order of their times, at least one.
  ///   - script: the focus script's JSON, UTF-8.
  /// - Throws: `invalidParameter` for another ending, for a focus that is not finite or an f-number that is not above zero, and
  ///   for times that do not rise, `incomplete` without frames, the errors of a movie that cannot be read or changes meanwhile,
  ///   `unsupported` for encrypted fragments and for times beyond the format, `unwritable`.
  public static func write(
    _ source: String, to path: String, frames: [Frame], script: [UInt8], overwrite: Bool = false,
    temporaryFiles: TemporaryFiles = .shared
  ) throws(CinematicError) {
    try MovieWriter.check(name: path)
    for frame in frames {
      try CinematicMetadata.check(focusDisparity: frame.focusDisparity, fNumber: frame.fNumber)
    }
    let file = try SourceFile(path: source)
    guard file.isBoxFile else {
      throw CinematicError(
        .unsupported, "\(source) is no QuickTime movie",
        remedy: "make one with \(parameter: .movieImport)")
    }
    let boxes = try file.topLevelBoxes()
    let (stored, header) = try file.movieBox(boxes)
    let movie = try defragmented(stored, file, boxes)
    let output = try OutputFile(path: path, overwrite: overwrite, registry: temporaryFiles)
    let sink = try FileSink(output)
    var unused: Set<FourCC> = ["moov"]
    // Without fragments nothing may speak of them: their heads and the indices of them.
    if stored["mvex"] != nil { unused.formUnion(["moof", "sidx", "ssix", "mfra"]) }
    var end = try copy(file, boxes, movie: header, unused: unused, to: sink)
    do throws(CinematicError) {
      let revision = try MovieRevision(movie)
      var samples: [MovieRevision.Sample] = []
      var data = ByteWriter()
      for (index, frame) in frames.enumerated() {
        let bytes = CinematicMetadata.sample(
          focusDisparity: frame.focusDisparity, fNumber: frame.fNumber,
          script: index == 0 ? script : nil)
        let start = frame.timeRange.start.converted(to: revision.timescale).value
        let stop = frame.timeRange.end.converted(to: revision.timescale).value
        // Longer than 64 bits say is too long in any case.
        let length = stop.subtractingReportingOverflow(start)
        samples.append(
          .init(
            size: bytes.count, time: start,
            duration: length.overflow ? .max : max(1, length.partialValue)))
        data.append(bytes)
      }
      let box = Box("mdat", data: data.bytes)
      let index = try revision.movie(with: samples, at: end + Int64(box.headerSize))
      try sink.write(box.bytes)
      try sink.write(index.bytes)
      end += Int64(box.size + index.size)
    } catch {
      throw error.naming(source)
    }
    try file.checkVersion()
    try sink.synchronize()
    try output.publish()
  }

  /// The largest head of a fragment that is read: some hundred thousand samples.
  private static let maximumFragmentSize: Int64 = 64 << 20

  /// The index, with the samples of the fragments where there are any.
  static func defragmented(
    _ movie: Box, _ file: SourceFile, _ boxes: [BoxHeader]
  ) throws(CinematicError) -> Box {
    guard movie["mvex"] != nil else { return movie }
    do throws(CinematicError) {
      var work = try Defragmentation(movie, fileSize: file.byteCount)
      for header in boxes where header.type == "moof" {
        guard header.size <= maximumFragmentSize else {
          throw CinematicError(
            .unsupported,
            "the fragment at byte \(header.offset) has a head of \(header.size) bytes",
            remedy: "save the movie anew")
        }
        let bytes = file.read(at: header.offset, count: Int(header.size))
        for box in try Box.parse(bytes[...], offset: header.offset) {
          try work.add(fragment: box, at: header.offset)
        }
      }
      return try work.movieBox()
    } catch {
      throw error.naming(file.path)
    }
  }

  /// Copies everything but the index.
  ///
  /// - Parameter unused: boxes that become unused space.
  /// - Returns: where the copy ends.
  private static func copy(
    _ file: SourceFile, _ boxes: [BoxHeader], movie: BoxHeader, unused: Set<FourCC>,
    to sink: FileSink
  ) throws(CinematicError) -> Int64 {
    let last = boxes.last ?? movie
    let isLast = last.offset == movie.offset
    let end = isLast ? movie.offset : last.end
    var offset: Int64 = 0
    while offset < end {
      let wanted = Int(min(Int64(pieceSize), end - offset))
      let piece = file.read(at: offset, count: wanted)
      guard piece.count == wanted else {
        throw FileVersion.changed(file.path)
      }
      try sink.write(piece)
      offset += Int64(wanted)
    }
    var name = ByteWriter()
    name.fourCC("free")
    for box in boxes where unused.contains(box.type) && box.offset < end {
      try sink.patch(name.bytes, at: box.offset + 4)
    }
    guard !isLast else { return end }
    if last.form == .toEnd {
      // A box that reached to the end of the file must now state its size.
      guard let size = UInt32(exactly: last.size) else {
        throw CinematicError(
          .unsupported,
          "\(file.path) ends in a box '\(last.type)' of more than four gigabytes without a size",
          remedy: "save the movie anew, with ffmpeg -map 0 -c copy, say")
      }
      var head = ByteWriter()
      head.u32(size)
      try sink.patch(head.bytes, at: last.offset)
    }
    return end
  }
}
