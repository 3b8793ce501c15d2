// SPDX-License-Identifier: Apache-2.0

import FocalBoxes

extension MovieLayout {
  /// Ticks of the movie.
  public func movieDuration(_ track: Track) -> Int {
    track.edits.isEmpty
      ? track.duration * timescale / track.timescale : track.edits.reduce(0) { $0 + $1.0 }
  }

  /// - Parameter offsets: of each track's chunks; `nil` where the samples are in fragments.
  func moov(_ offsets: [[Int64]]?) -> Box {
    let isFragmented = offsets == nil
    let duration = isFragmented ? 0 : tracks.map(movieDuration).max() ?? 0
    let header = Box.full("mvhd") { builder in
      builder.u32(0)
      builder.u32(0)
      builder.u32(timescale)
      builder.u32(duration)
      builder.u32(0x1_0000)
      builder.u16(0x100)
      builder.zeros(10)
      for value in TransformMatrix.identity.values { builder.u32(value) }
      builder.zeros(24)
      builder.u32(tracks.count + 1)
    }
    var boxes = [header]
    for (number, track) in tracks.enumerated() { boxes.append(trak(track, offsets?[number])) }
    if isFragmented {
      boxes.append(
        Box(
          "mvex",
          tracks.map { track in
            Box.full("trex") { builder in
              builder.u32(track.id)
              builder.u32(1)
              builder.zeros(12)
            }
          }))
    }
    return Box("moov", boxes + extras)
  }

  private func trak(_ track: Track, _ offsets: [Int64]?) -> Box {
    let header = Box.full("tkhd", flags: track.isEnabled ? 15 : 14) { builder in
      builder.u32(0)
      builder.u32(0)
      builder.u32(track.id)
      builder.u32(0)
      builder.u32(offsets == nil ? 0 : movieDuration(track))
      builder.zeros(16)
      for value in track.matrix { builder.u32(value) }
      builder.u32(track.width << 16)
      builder.u32(track.height << 16)
    }
    var boxes = [header]
    if !track.edits.isEmpty {
      let list = Box.full("elst") { builder in
        builder.u32(track.edits.count)
        for (duration, time, rate) in track.edits {
          builder.u32(duration)
          builder.u32(Int32(time))
          builder.u32(rate)
        }
      }
      boxes.append(Box("edts", [list]))
    }
    if !track.references.isEmpty {
      boxes.append(
        Box(
          "tref",
          track.references.map { type, numbers in
            Box.of(type) { builder in
              for number in numbers { builder.u32(number) }
            }
          }))
    }
    boxes.append(mdia(track, offsets))
    return Box("trak", boxes + track.extras)
  }

  private func mdia(_ track: Track, _ offsets: [Int64]?) -> Box {
    let header = Box.full("mdhd") { builder in
      builder.u32(0)
      builder.u32(0)
      builder.u32(track.timescale)
      builder.u32(offsets == nil ? 0 : track.duration)
      builder.u16(track.language.utf8.reduce(0) { $0 << 5 | Int($1 & 31) })
      builder.u16(0)
    }
    let handler = Box.full("hdlr") { builder in
      builder.code("mhlr")
      builder.code(track.handler)
      builder.zeros(12)
      builder.u8(track.handlerName.utf8.count)
      builder.text(track.handlerName)
    }
    let mediaHeader: Box =
      switch track.handler {
      case "vide", "auxv": Box.full("vmhd", flags: 1) { $0.zeros(8) }
      case "soun": Box.full("smhd") { $0.zeros(4) }
      default:
        Box(
          "gmhd",
          [
            Box.full("gmin") { builder in
              builder.u16(64)
              builder.zeros(10)
            }
          ])
      }
    let data = Box(
      "dinf",
      [
        Box(
          "dref", leading: [0, 0, 0, 0, 0, 0, 0, 1], [Box.full("url ", flags: 1)])
      ])
    return Box(
      "mdia", [header, handler, Box("minf", [mediaHeader, data, stbl(track, offsets)])])
  }

  private func stbl(_ track: Track, _ offsets: [Int64]?) -> Box {
    var count = ByteBuilder()
    count.u32(0)
    count.u32(track.entry == nil ? 0 : 1)
    let description = Box("stsd", leading: count.bytes, track.entry.map { [$0] } ?? [])
    let samples = offsets == nil ? [] : track.samples
    func runs(_ type: FourCC, _ values: [Int]) -> Box {
      var list: [(count: Int, value: Int)] = []
      for value in values {
        if list.last?.value == value {
          list[list.count - 1].count += 1
        } else {
          list.append((1, value))
        }
      }
      return Box.full(type) { builder in
        builder.u32(list.count)
        for (count, value) in list {
          builder.u32(count)
          builder.u32(value)
        }
      }
    }
    var boxes = [description, runs("stts", samples.map(\.duration))]
    if samples.contains(where: { $0.compositionOffset != 0 }) {
      boxes.append(runs("ctts", samples.map(\.compositionOffset)))
    }
    if samples.contains(where: { !$0.isSync }) {
      let numbers = samples.indices.filter { samples[$0].isSync }.map { $0 + 1 }
      boxes.append(
        Box.full("stss") { builder in
          builder.u32(numbers.count)
          for number in numbers { builder.u32(number) }
        })
    }
    let rest = samples.count % samplesPerChunk
    boxes.append(
      Box.full("stsc") { builder in
        let chunks = samples.count / samplesPerChunk
        builder.u32((chunks > 0 ? 1 : 0) + (rest > 0 ? 1 : 0))
        for (first, size) in [(1, chunks > 0 ? samplesPerChunk : 0), (chunks + 1, rest)]
        where size > 0 {
          builder.u32(first)
          builder.u32(size)
          builder.u32(1)
        }
      })
    boxes.append(
      Box.full("stsz") { builder in
        builder.u32(0)
        builder.u32(samples.count)
        for sample in samples { builder.u32(sample.data.count) }
      })
    boxes.append(
      Box.full("co64") { builder in
        builder.u32(offsets?.count ?? 0)
        for offset in offsets ?? [] { builder.u64(offset) }
      })
    return Box("stbl", boxes)
  }
}
