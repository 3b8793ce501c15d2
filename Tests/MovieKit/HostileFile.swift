// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

/// All of a movie's boxes read, whatever they hold.
public enum HostileFile {
  /// Reads everything that can be read of a file. The result is an error or a value for any content,
  /// and no value is larger than the file allows.
  public static func exercise(_ bytes: [UInt8]) throws(CinematicError) {
    let boxes = try Box.parse(bytes[...])
    precondition(boxes.reduce(0) { $0 + $1.size } <= bytes.count, "boxes are larger than the file")
    for box in boxes { try visit(box, handler: "vide") }
    revise(boxes, fileSize: Int64(bytes.count))
    for (_, index) in try indices(bytes) {
      precondition(index.count <= bytes.count, "more samples than bytes")
      for number in 0..<min(index.count, 50) { _ = index[number] }
      if index.count > 0 { _ = index.decodingStart(for: index.count - 1) }
    }
  }

  /// The damage done before a movie is written anew.
  private static func revise(_ boxes: [Box], fileSize: Int64) {
    guard let movie = boxes.first(where: { $0.type == "moov" }) else { return }
    attempt { () throws(CinematicError) in _ = try MovieRevision(movie) }
    attempt { () throws(CinematicError) in
      var index = try Defragmentation(movie, fileSize: fileSize)
      var offset: Int64 = 0
      for box in boxes {
        if box.type == "moof" { try index.add(fragment: box, at: offset) }
        offset += Int64(box.size)
      }
      _ = try index.movieBox()
    }
  }

  private static func visit(_ box: Box, handler: FourCC) throws(CinematicError) {
    var handler = handler
    if let reference = box["hdlr"], let known = try? HandlerReference(reference.data) {
      handler = known.handler
    }
    attempt { () throws(CinematicError) in try readTypes(box, handler) }
    for child in box.boxes { try visit(child, handler: handler) }
  }

  private static func attempt(_ body: () throws(CinematicError) -> Void) {
    do throws(CinematicError) { try body() } catch { precondition(!error.message.isEmpty) }
  }

  private static func readTypes(_ box: Box, _ handler: FourCC) throws(CinematicError) {
    switch box.type {
    case "ftyp": _ = try FileType(box.data)
    case "mvhd": _ = try MovieHeader(box.data)
    case "tkhd": _ = try TrackHeader(box.data).dimensions
    case "mdhd": _ = try MediaHeader(box.data).languageCode
    case "elst":
      let edits = try EditList(box.data)
      let index = try sampleIndex()
      let timeline = Timeline(
        index, mediaTimescale: 600, movieTimescale: 600, edits: edits, isFragmented: false)
      for number in 0..<min(timeline.count, 50) { _ = timeline[number] }
      _ = timeline.number(at: Time(value: 50, timescale: 600))
    case "stbl":
      // As of plain sound, whose tables list every tick.
      var tables: [FourCC: ArraySlice<UInt8>] = [:]
      for table in box.boxes { tables[table.type] = table.data }
      let index = try SampleIndex(tables: tables, fileSize: 1 << 20, isSound: true)
      for number in 0..<min(index.count, 50) { _ = index[number] }
    case "tref": _ = try TrackReferences(box.bytes.dropFirst(box.headerSize))
    case "stsd":
      let content = box.bytes.dropFirst(box.headerSize)
      for entry in try SampleEntry.entries(content, handler: handler) {
        for box in entry.extensions where box.type == "hvcC" || box.type == "avcC" {
          let codec: DecoderConfiguration.Codec = box.type == "hvcC" ? .hevc : .h264
          _ = try DecoderConfiguration(codec, Array(box.data)).isComplete
        }
      }
    case "meta": _ = try ItemMetadata(box)
    case "sidx": _ = try SegmentIndex(box.data).duration
    case "tfra":
      let access = try TrackFragmentRandomAccess(box.data)
      precondition(access.entries.count <= box.data.count, "more entries than bytes")
    case "mfro": _ = TrackFragmentRandomAccess.indexSize(box.bytes.suffix(16))
    case "clap":
      let coded = Dimensions(width: 1920, height: 1080)
      if let aperture = CleanAperture(box.data, of: coded) {
        precondition(aperture.left >= 0 && aperture.top >= 0)
        precondition(aperture.left + aperture.dimensions.width <= coded.width)
        precondition(aperture.top + aperture.dimensions.height <= coded.height)
      }
    case "mdat": _ = try TimedMetadata.items(box.data)
    default: break
    }
  }

  private static func sampleIndex() throws(CinematicError) -> SampleIndex {
    try SampleIndex(
      tables: [
        "stsz": [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 9],
        "stts": [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 9, 0, 0, 0, 20],
        "stsc": [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 9, 0, 0, 0, 1],
        "stco": [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0],
      ], fileSize: 1000)
  }

  /// The indices of a file's tracks, through the parsed tree.
  public static func indices(_ bytes: [UInt8]) throws(CinematicError) -> [UInt32: SampleIndex] {
    let boxes = try Box.parse(bytes[...])
    var indices: [UInt32: SampleIndex] = [:]
    var defaults: [UInt32: TrackExtends] = [:]
    var offset: Int64 = 0
    for box in boxes {
      if box.type == "moov" {
        for track in box.all("trak") {
          guard let header = track["tkhd"], let table = track.at("mdia", "minf", "stbl") else {
            continue
          }
          var tables: [FourCC: ArraySlice<UInt8>] = [:]
          for box in table.boxes { tables[box.type] = box.data }
          indices[try TrackHeader(header.data).trackID] = try SampleIndex(
            tables: tables, fileSize: Int64(bytes.count))
        }
        for box in box["mvex"]?.all("trex") ?? [] {
          let extends = try TrackExtends(box.data)
          defaults[extends.trackID] = extends
        }
      }
      if box.type == "moof" {
        try SampleIndex.append(
          fragment: box, at: offset, defaults: defaults, to: &indices, fileSize: Int64(bytes.count))
      }
      offset += Int64(box.size)
    }
    return indices
  }
}
