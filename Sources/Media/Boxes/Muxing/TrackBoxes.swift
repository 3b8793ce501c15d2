// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Builds the box of a track.
struct TrackBoxes {
  /// When the track's samples are shown, in its own ticks.
  struct Timeline {
    /// The first sample's decoding time: zero of the media, seen from the movie's zero.
    var mediaZero: Int64
    /// When the first sample is shown, and when the last one ends, from the movie's zero.
    var start: Int64
    var end: Int64
  }

  var settings: TrackSettings
  var id: UInt32
  /// The tracks' numbers in the file by their order; `nil` for those that are left out.
  var ids: [UInt32?]
  var movieTimescale: Int32
  var format = MovieFormat.quickTime
  /// In seconds since 1904, as QuickTime counts.
  var creationTime: UInt32

  /// - Parameters:
  ///   - timeline: `nil` while that is not known.
  ///   - isGrowing: whether fragments follow, so that durations are not known.
  func track(log: SampleLog, timeline: Timeline?, isGrowing: Bool) -> Box {
    let duration = isGrowing ? 0 : timeline.map { movieTicks($0.end) } ?? 0
    var boxes = [header(duration: duration)]
    if let timeline, let edits = edits(timeline, isGrowing: isGrowing) { boxes.append(edits) }
    let references = references
    if !references.isEmpty { boxes.append(Box("tref", references)) }
    boxes.append(media(log))
    if !settings.metadata.isEmpty { boxes.append(.metadata(settings.metadata)) }
    return Box("trak", boxes + settings.extraBoxes)
  }

  func movieTicks(_ ticks: Int64) -> Int64 {
    Time(value: ticks, timescale: settings.timescale).converted(to: movieTimescale).value
  }

  private func header(duration: Int64) -> Box {
    let isWide = duration > Int64(UInt32.max)
    // Used in the movie and in its preview.
    let flags: UInt32 = settings.isEnabled ? 7 : 6
    return Box("tkhd", version: isWide ? 1 : 0, flags: flags) { writer in
      writer.count(Int64(creationTime), wide: isWide)
      writer.count(Int64(creationTime), wide: isWide)
      writer.u32(id)
      writer.u32(0)
      writer.count(duration, wide: isWide)
      writer.zeros(8)
      writer.u16(0)  // layer
      writer.u16(settings.alternateGroup)
      writer.u16(settings.handler == "soun" ? 0x100 : 0)
      writer.u16(0)
      for value in settings.matrix.values { writer.i32(value) }
      writer.fixed(settings.shownSize.width)
      writer.fixed(settings.shownSize.height)
    }
  }

  /// The edit list: nothing up to the start, then the media from the sample shown there.
  private func edits(_ timeline: Timeline, isGrowing: Bool) -> Box? {
    let mediaStart = timeline.start - timeline.mediaZero
    guard !isGrowing || timeline.start > 0 || mediaStart > 0 else { return nil }
    var edits: [(duration: Int64, mediaTime: Int64)] = []
    if timeline.start > 0 { edits.append((movieTicks(timeline.start), -1)) }
    // While the movie grows, zero stands for all there is.
    let length = isGrowing ? 0 : movieTicks(timeline.end) - movieTicks(timeline.start)
    edits.append((length, mediaStart))
    let isWide = edits.contains {
      $0.duration > Int64(UInt32.max) || $0.mediaTime > Int64(Int32.max)
    }
    let list = Box("elst", version: isWide ? 1 : 0) { writer in
      writer.u32(UInt32(edits.count))
      for edit in edits {
        writer.count(edit.duration, wide: isWide)
        writer.count(edit.mediaTime, wide: isWide)
        writer.u32(1 << 16)  // at normal speed
      }
    }
    return Box("edts", [list])
  }

  private var references: [Box] {
    var types: [FourCC] = []
    for reference in settings.references where !types.contains(reference.type) {
      types.append(reference.type)
    }
    return types.compactMap { type in
      let targets = settings.references.filter { $0.type == type }
        .compactMap { ids.indices.contains($0.track) ? ids[$0.track] : nil }
      guard !targets.isEmpty else { return nil }
      return Box(type) { writer in for target in targets { writer.u32(target) } }
    }
  }

  private func media(_ log: SampleLog) -> Box {
    let isWide = log.duration > Int64(UInt32.max)
    let header = Box("mdhd", version: isWide ? 1 : 0) { writer in
      writer.count(Int64(creationTime), wide: isWide)
      writer.count(Int64(creationTime), wide: isWide)
      writer.u32(UInt32(settings.timescale))
      writer.count(log.duration, wide: isWide)
      writer.u16(packedLanguage)
      writer.u16(0)
    }
    let dataReference = Box(
      "dinf",
      [
        Box(
          "dref", leading: [0, 0, 0, 0, 0, 0, 0, 1],
          [Box("url ", version: 0, flags: 1) { _ in }])
      ])
    let language = settings.extendedLanguage.map { text in
      Box("elng", version: 0) { writer in
        writer.append(text.utf8)
        writer.u8(0)
      }
    }
    return Box(
      "mdia",
      [header] + (language.map { [$0] } ?? []) + [
        handler("mhlr", settings.handler, settings.name),
        Box("minf", [mediaHeader] + dataHandler + [dataReference, sampleTable(log)]),
      ])
  }

  private func sampleTable(_ log: SampleLog) -> Box {
    var table = log.box(sampleEntry: settings.sampleEntry)
    guard let distance = settings.rollDistance else { return table }
    // All samples form one group (ISO/IEC 14496-12 §10.1).
    table.boxes.append(
      Box("sgpd", version: 1) { writer in
        writer.fourCC("roll")
        writer.u32(2)
        writer.u32(1)
        writer.i16(distance)
      })
    table.boxes.append(
      Box("sbgp", version: 0) { writer in
        writer.fourCC("roll")
        writer.u32(1)
        writer.u32(UInt32(log.count))
        writer.u32(1)
      })
    return table
  }

  /// MP4 has only the media's own handler.
  private var dataHandler: [Box] {
    format == .quickTime ? [handler("dhlr", "url ", "Data Handler")] : []
  }

  private func handler(_ component: FourCC, _ type: FourCC, _ name: String) -> Box {
    Box("hdlr", version: 0) { writer in
      if format == .quickTime { writer.fourCC(component) } else { writer.u32(0) }
      writer.fourCC(type)
      writer.zeros(12)
      if format == .quickTime {
        writer.countedText(name)
      } else {
        writer.append(name.utf8)
        writer.u8(0)
      }
    }
  }

  private var generalHeader: Box {
    Box("gmin", version: 0) { writer in
      writer.u16(0x40)  // dither copy, as QuickTime's own
      for _ in 0..<3 { writer.u16(0x8000) }
      writer.zeros(4)
    }
  }

  /// How a clock is drawn.
  private var timecodeHeader: Box {
    Box("tcmi", version: 0) { writer in
      writer.zeros(4)
      writer.u16(12)  // points
      writer.u16(0)
      writer.zeros(6)  // black
      for _ in 0..<3 { writer.u16(0xFFFF) }  // on white
      writer.countedText("Lucida Grande")
    }
  }

  private var mediaHeader: Box {
    switch settings.handler {
    case "soun": Box("smhd", version: 0) { $0.zeros(4) }
    case "subt": Box("sthd", version: 0) { _ in }
    case "sbtl": Box("nmhd", version: 0) { _ in }
    case "meta" where format == .mp4, "tmcd" where format == .mp4, "text" where format == .mp4,
      "clcp" where format == .mp4:
      Box("nmhd", version: 0) { _ in }
    case "meta", "clcp": Box("gmhd", [generalHeader])
    case "tmcd": Box("gmhd", [generalHeader, Box("tmcd", [timecodeHeader])])
    case "text":
      Box(
        "gmhd",
        [
          generalHeader,
          Box("text") { writer in
            for value in TransformMatrix.identity.values { writer.i32(value) }
          },
        ])
    default: Box("vmhd", version: 0, flags: 1) { $0.zeros(8) }
    }
  }

  /// Three letters in five bits each.
  private var packedLanguage: UInt16 {
    let letters = settings.language.utf8.prefix(3)
    guard letters.count == 3, letters.allSatisfy({ (0x61...0x7A).contains($0) }) else {
      return 0x55C4  // und
    }
    return letters.reduce(0) { $0 << 5 | UInt16($1 - 0x60) }
  }
}
