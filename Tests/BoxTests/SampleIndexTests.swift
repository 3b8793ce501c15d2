// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import MovieKit
import Testing

@Suite struct SampleIndexTests {
  /// A track with every irregularity: sizes, durations, reordered pictures, sync samples.
  static func layout(_ form: MovieLayout.Form) -> MovieLayout {
    var random = Seeded(3)
    let samples = (0..<41).map { number in
      MovieLayout.Sample(
        (0..<Int(random.next() % 30 + 1)).map { _ in UInt8(truncatingIfNeeded: random.next()) },
        duration: Int(random.next() % 3 + 1) * 100,
        compositionOffset: Int(random.next() % 4) * 100, isSync: number % 7 == 0)
    }
    let other = (0..<13).map { MovieLayout.Sample([UInt8($0), 1], duration: 317) }
    var layout = MovieLayout([
      MovieLayout.Track("vide", timescale: 3000, entry: Box("hvc1", data: []), samples: samples),
      MovieLayout.Track("meta", timescale: 1000, entry: Box("mebx", data: []), samples: other),
    ])
    layout.form = form
    layout.samplesPerChunk = 5
    return layout
  }

  @Test(arguments: MovieLayout.Form.allCases)
  func everySampleIsWhereItWasPut(_ form: MovieLayout.Form) throws {
    let layout = Self.layout(form)
    let bytes = layout.bytes()
    let indices = try HostileFile.indices(bytes)
    for track in layout.tracks {
      let index = try #require(indices[UInt32(track.id)])
      #expect(index.count == track.samples.count)
      var time = 0
      for (number, expected) in track.samples.enumerated() {
        let sample = index[number]
        let start = Int(sample.offset)
        #expect(Array(bytes[start..<(start + sample.size)]) == expected.data)
        #expect(sample.decodeTime == time)
        #expect(sample.compositionTime == time + expected.compositionOffset)
        #expect(sample.duration == expected.duration)
        #expect(sample.isSync == expected.isSync)
        #expect(sample.description == 0)
        time += expected.duration
      }
      #expect(index.decodeEnd == time)
      #expect(index.byteCount == Int64(track.samples.reduce(0) { $0 + $1.data.count }))
    }
    #expect(indices[2]?.isAllSync == true)
  }

  /// Decoding begins at a sync sample that is decoded and shown no later, and at none before it.
  @Test func decodingStarts() throws {
    let layout = Self.layout(.movieFirst)
    let index = try #require(try HostileFile.indices(layout.bytes())[1])
    for number in 0..<index.count {
      let start = index.decodingStart(for: number)
      #expect(start <= number)
      #expect(start == 0 || index[start].isSync)
      #expect(start == 0 || index[start].compositionTime <= index[number].compositionTime)
      for other in (start + 1)..<max(number + 1, start + 1) where index[other].isSync {
        #expect(index[other].compositionTime > index[number].compositionTime)
      }
    }
  }

  @Test(arguments: [4, 8, 16]) func compactSizes(_ bits: Int) throws {
    let sizes = [3, 15, 0, 7, 1]
    let table = Box.full("stz2") { builder in
      builder.u32(bits)
      builder.u32(sizes.count)
      switch bits {
      case 4: builder.bytes += [0x3F, 0x07, 0x10]
      case 8: sizes.forEach { builder.u8($0) }
      default: sizes.forEach { builder.u16($0) }
      }
    }
    let tables: [FourCC: ArraySlice<UInt8>] = [
      "stz2": table.data,
      "stts": Box.full("stts") { $0.bytes += [0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0, 2] }.data,
      "stsc": Box.full("stsc") { $0.bytes += [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 9, 0, 0, 0, 1] }
        .data,
      "stco": Box.full("stco") { $0.bytes += [0, 0, 0, 1, 0, 0, 0, 40] }.data,
    ]
    let index = try SampleIndex(tables: tables, fileSize: 1000)
    #expect((0..<5).map { index[$0].size } == sizes)
    #expect((0..<5).map { index[$0].offset } == [40, 43, 58, 58, 65])
  }

  /// Tables that list every tick as a byte: the description says what a chunk holds. Numbers that nobody means
  /// do no harm.
  @Test(arguments: [
    (64, 68, [10 * 68, 5 * 68]), (1, 4, [2560, 1200]), (1, 1, [640, 300]), (0, 4, [640, 300]),
    (1 << 24, 1 << 24, [1 << 24, 1 << 24]), (1, 0x7FFF_FFFF, [640, 300]),
  ]) func ticksOfOneByte(_ ticks: Int, _ bytes: Int, _ sizes: [Int]) throws {
    let entry = Box.of("wxyz") { builder in
      builder.zeros(8)
      builder.u16(1)
      builder.zeros(6)
      builder.u16(2)
      builder.u16(16)
      builder.u32(0)
      builder.u32(22050 << 16)
      for value in [ticks, 0, bytes, 2] { builder.u32(value) }
    }
    let numbers: [(FourCC, [Int])] = [
      ("stsz", [1, 940]), ("stts", [1, 940, 1]), ("stsc", [1, 1, 640, 1]), ("stco", [2, 40, 9000]),
    ]
    var tables: [FourCC: ArraySlice<UInt8>] = [:]
    for (type, values) in numbers {
      tables[type] = Box.full(type) { builder in for value in values { builder.u32(value) } }.data
    }
    let index = try SampleIndex(
      tables: tables, fileSize: 100_000, isSound: true,
      packings: [try SampleEntry(entry, handler: "soun").soundPacking])
    #expect((0..<index.count).map { index[$0].size } == sizes)
    #expect((0..<index.count).map { index[$0].offset } == [40, 9000])
    #expect((0..<index.count).map { index[$0].duration } == [640, 300])
    #expect(SampleIndex.listsTicks(tables) && index.usedDescriptions == [0])
  }

  /// Claims of samples that no file of the size can hold.
  @Test func claimsAreBounded() {
    func index(_ size: UInt32, _ count: UInt32, file: Int64) -> CinematicError? {
      let table = Box.full("stsz") { builder in
        builder.u32(size)
        builder.u32(count)
      }
      return failure { () throws(CinematicError) in
        _ = try SampleIndex(tables: ["stsz": table.data], fileSize: file)
      }
    }
    #expect(index(1, .max, file: 1000)?.code == .malformed)
    #expect(index(.max, 1 << 20, file: 1 << 19)?.code == .malformed)
    #expect(index(1, .max, file: 1 << 40)?.code == .unsupported)
    #expect(index(0, 1, file: 1000)?.code == .malformed)
  }

  /// A file that a writer did not finish ends with the last whole sample.
  @Test func aCutFragmentEndsWithItsLastWholeSample() throws {
    let layout = Self.layout(.fragments)
    let whole = layout.bytes()
    let full = try HostileFile.indices(whole)
    let boxes = try Box.parse(whole[...])
    let last = boxes.last!.size
    // Cut within the last fragment's data, which the head of its box does not know of.
    let cut = whole.dropLast(last / 2)
    var fewer = full
    fewer[1] = SampleIndex()
    var offset: Int64 = 0
    var indices: [UInt32: SampleIndex] = [:]
    let defaults = Dictionary(
      uniqueKeysWithValues: try boxes.first { $0.type == "moov" }!["mvex"]!.all("trex").map {
        let extends = try TrackExtends($0.data)
        return (extends.trackID, extends)
      })
    for box in boxes {
      if box.type == "moof" {
        try SampleIndex.append(
          fragment: box, at: offset, defaults: defaults, to: &indices, fileSize: Int64(cut.count))
      }
      offset += Int64(box.size)
    }
    let index = try #require(indices[1])
    #expect(index.isCutShort)
    #expect(index.count < full[1]!.count)
    for number in 0..<index.count {
      #expect(index[number] == full[1]![number] || number == index.count - 1)
      #expect(index[number].offset + Int64(index[number].size) <= Int64(cut.count))
    }
  }
}
