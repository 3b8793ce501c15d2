// SPDX-License-Identifier: Apache-2.0

import FocalCore

extension SampleIndex {
  /// The boxes of `stbl` that an index is made from.
  public static let tableTypes: Set<FourCC> = [
    "stts", "ctts", "stsc", "stsz", "stz2", "stco", "co64", "stss",
  ]

  /// The index of the tables in a movie's `stbl`; empty for a track whose samples are all in
  /// fragments.
  ///
  /// - Parameters:
  ///   - tables: the contents of the boxes, by type.
  ///   - fileSize: bytes of the file, which bound what is believed.
  ///   - isSound: whether it is a sound track's. Where such tables list every tick as a sample, as they
  ///     do of plain sound, a chunk is taken as one: some fifty a second in the place of 48000.
  ///   - packings: of the track's sample entries, for tables that list every tick (``listsTicks(_:)``).
  /// - Throws: `malformed` for tables that contradict each other or are missing.
  public init(
    tables: [FourCC: ArraySlice<UInt8>], fileSize: Int64, isSound: Bool = false,
    packings: [SoundPacking?] = []
  ) throws(CinematicError) {
    if isSound, let (size, count) = try Self.plainSound(tables) {
      try readPlainSound(tables, packings, size: size, sampleCount: count, fileSize: fileSize)
      return
    }
    try readSizes(tables, fileSize)
    guard count > 0 else { return }
    try readTimes(tables)
    try readOffsets(tables)
    try readSyncSamples(tables)
  }

  /// Whether the tables of a sound track list every tick as a sample of one size.
  package static func listsTicks(_ tables: [FourCC: ArraySlice<UInt8>]) -> Bool {
    (try? plainSound(tables)) != nil
  }

  /// The most ticks of plain sound that are one sample: cameras' chunks are shorter.
  private static let plainPieceLength = 1 << 16

  /// Size and number of samples that are all alike and last a tick each; `nil` for others.
  private static func plainSound(
    _ tables: [FourCC: ArraySlice<UInt8>]
  ) throws(CinematicError) -> (size: UInt32, count: Int)? {
    guard tables["stsz"] != nil, tables["stts"] != nil, tables["ctts"] == nil,
      tables["stss"] == nil
    else { return nil }
    var sizes = try table("stsz", tables)
    let size = try sizes.u32()
    var times = try table("stts", tables)
    guard size > 0, try times.elementCount(ofSize: 8) == 1 else { return nil }
    try times.skip(4)
    guard try times.u32() == 1 else { return nil }
    return (size, Int(try sizes.u32()))
  }

  private mutating func readPlainSound(
    _ tables: [FourCC: ArraySlice<UInt8>], _ packings: [SoundPacking?], size: UInt32,
    sampleCount: Int, fileSize: Int64
  ) throws(CinematicError) {
    let chunks = try Self.chunks(tables, sampleCount: sampleCount)
    try checkRoom(for: chunks.count + sampleCount / Self.plainPieceLength, fileSize: fileSize)
    for chunk in chunks {
      if descriptionRuns.last?.description != chunk.description {
        descriptionRuns.append((count, chunk.description))
      }
      var (packetTicks, packetBytes) = (1, Int(size))
      let isListed = packings.indices.contains(chunk.description)
      // A true size is believed; one byte is what tables say that know none.
      if isListed, let packing = packings[chunk.description], size == 1 || packing.tickCount > 1 {
        (packetTicks, packetBytes) = (packing.tickCount, packing.byteCount)
      }
      let length = max(Self.plainPieceLength / packetTicks, 1) * packetTicks
      for first in stride(from: 0, to: chunk.count, by: length) {
        let ticks = min(length, chunk.count - first)
        let begin = Int64(first / packetTicks) * Int64(packetBytes)
        let bytes = Int64((ticks + packetTicks - 1) / packetTicks) * Int64(packetBytes)
        guard let bytes = UInt32(exactly: bytes), chunk.offset < Int64.max / 4,
          begin < Int64.max / 4
        else { throw .malformedMovie("a chunk of \(chunk.count) samples lies in no file") }
        append(
          offset: chunk.offset + begin, size: bytes, decodeTime: endTime, duration: UInt32(ticks),
          compositionOffset: 0, isSync: true)
      }
    }
  }

  private static func table(
    _ type: FourCC, _ tables: [FourCC: ArraySlice<UInt8>]
  ) throws(CinematicError) -> ByteReader {
    guard let content = tables[type] else {
      throw .malformedMovie("a track has no box '\(type)'")
    }
    var reader = ByteReader(content, box: type)
    _ = try reader.versionAndFlags()
    return reader
  }

  private mutating func readSizes(
    _ tables: [FourCC: ArraySlice<UInt8>], _ fileSize: Int64
  ) throws(CinematicError) {
    if tables["stsz"] == nil, tables["stz2"] != nil {
      return try readCompactSizes(tables, fileSize)
    }
    guard tables["stsz"] != nil else { return }
    var reader = try Self.table("stsz", tables)
    let size = try reader.u32()
    if size != 0 {
      let count = Int(try reader.u32())
      try checkRoom(for: count, fileSize: fileSize)
      sizes = [UInt32](repeating: size, count: count)
    } else {
      let count = try reader.elementCount(ofSize: 4)
      try checkRoom(for: count, fileSize: fileSize)
      sizes = Self.numbers(reader.rest, count)
    }
  }

  private mutating func readCompactSizes(
    _ tables: [FourCC: ArraySlice<UInt8>], _ fileSize: Int64
  ) throws(CinematicError) {
    var reader = try Self.table("stz2", tables)
    let bits = Int(try reader.u32() & 0xFF)
    guard bits == 4 || bits == 8 || bits == 16 else {
      throw reader.malformed("its sizes have \(bits) bits")
    }
    let count = Int(try reader.u32())
    guard (count * bits + 7) / 8 <= reader.remaining else {
      throw reader.malformed("it claims \(count) sizes, more than it has room for")
    }
    try checkRoom(for: count, fileSize: fileSize)
    sizes.reserveCapacity(count)
    while sizes.count < count {
      if bits == 16 {
        sizes.append(UInt32(try reader.u16()))
        continue
      }
      let byte = UInt32(try reader.u8())
      if bits == 8 {
        sizes.append(byte)
      } else {
        sizes.append(byte >> 4)
        if sizes.count < count { sizes.append(byte & 15) }
      }
    }
  }

  private mutating func readTimes(
    _ tables: [FourCC: ArraySlice<UInt8>]
  ) throws(CinematicError) {
    var reader = try Self.table("stts", tables)
    let runs = try reader.elementCount(ofSize: 8)
    decodeTimes.reserveCapacity(count)
    var time: Int64 = 0
    var delta: Int64 = 0
    for _ in 0..<runs {
      let repeats = min(Int(try reader.u32()), count - decodeTimes.count)
      // Some writers store small negative steps; a picture cannot be decoded before the one before.
      delta = Int64(max(try reader.i32(), 0))
      for _ in 0..<repeats {
        decodeTimes.append(time)
        time += delta
      }
    }
    // A table that ends early goes on with its last step.
    while decodeTimes.count < count {
      decodeTimes.append(time)
      time += delta
    }
    endTime = time

    guard tables["ctts"] != nil else { return }
    reader = try Self.table("ctts", tables)
    let offsetRuns = try reader.elementCount(ofSize: 8)
    var offsets: [Int32] = []
    offsets.reserveCapacity(count)
    for _ in 0..<offsetRuns {
      let repeats = min(Int(try reader.u32()), count - offsets.count)
      // Version 0 has no sign by the standard; QuickTime stores negative offsets all the same.
      let offset = try reader.i32()
      offsets.append(contentsOf: repeatElement(offset, count: repeats))
    }
    offsets.append(contentsOf: repeatElement(0, count: count - offsets.count))
    if offsets.contains(where: { $0 != 0 }) { compositionOffsets = offsets }
  }

  private mutating func readOffsets(
    _ tables: [FourCC: ArraySlice<UInt8>]
  ) throws(CinematicError) {
    offsets.reserveCapacity(count)
    for chunk in try Self.chunks(tables, sampleCount: count) {
      if descriptionRuns.last?.description != chunk.description {
        descriptionRuns.append((offsets.count, chunk.description))
      }
      var offset = chunk.offset
      for _ in 0..<chunk.count {
        offsets.append(offset)
        offset += Int64(sizes[offsets.count - 1])
      }
    }
  }

  private typealias Chunk = (offset: Int64, count: Int, description: Int)

  /// The chunks of a number of samples.
  private static func chunks(
    _ tables: [FourCC: ArraySlice<UInt8>], sampleCount: Int
  ) throws(CinematicError) -> [Chunk] {
    let isWide = tables["co64"] != nil
    var offsets = try table(isWide ? "co64" : "stco", tables)
    let chunkCount = try offsets.elementCount(ofSize: isWide ? 8 : 4)
    var runs = try table("stsc", tables)
    var runsLeft = try runs.elementCount(ofSize: 12)
    guard runsLeft > 0 else { throw runs.malformed("it is empty") }
    var next = try chunkRun(&runs, &runsLeft)
    var current = next
    var chunks: [Chunk] = []
    var number = 0
    var left = sampleCount
    while left > 0 {
      guard number < chunkCount else {
        throw offsets.malformed(
          "its \(chunkCount) chunks hold \(sampleCount - left) of \(sampleCount) samples")
      }
      while let run = next, run.firstChunk <= number + 1 {
        current = run
        next = try chunkRun(&runs, &runsLeft)
      }
      let offset = try offsets.count(wide: isWide)
      guard let current, offset <= Int64.max / 2 else {
        throw offsets.malformed("a chunk lies at byte \(offset)")
      }
      number += 1
      let count = min(current.sampleCount, left)
      guard count > 0 else { continue }
      guard chunks.count < Self.maximumSampleCount else {
        throw offsets.malformed("it has more than \(Self.maximumSampleCount) chunks")
      }
      chunks.append((offset, count, current.description))
      left -= count
    }
    return chunks
  }

  private static func chunkRun(
    _ reader: inout ByteReader, _ left: inout Int
  ) throws(CinematicError) -> (firstChunk: Int, sampleCount: Int, description: Int)? {
    guard left > 0 else { return nil }
    left -= 1
    let firstChunk = Int(try reader.u32())
    let sampleCount = Int(try reader.u32())
    return (firstChunk, sampleCount, max(Int(try reader.u32()), 1) - 1)
  }

  private mutating func readSyncSamples(
    _ tables: [FourCC: ArraySlice<UInt8>]
  ) throws(CinematicError) {
    guard tables["stss"] != nil else { return }
    var reader = try Self.table("stss", tables)
    let listed = try reader.elementCount(ofSize: 4)
    syncFlags = [Bool](repeating: false, count: count)
    for number in Self.numbers(reader.rest, listed) where number >= 1 && Int(number) <= count {
      syncFlags[Int(number) - 1] = true
    }
    if syncFlags.allSatisfy({ $0 }) { syncFlags = [] }
  }

  /// Big-endian numbers of 32 bits.
  private static func numbers(_ bytes: ArraySlice<UInt8>, _ count: Int) -> [UInt32] {
    bytes.withUnsafeBytes { bytes in
      [UInt32](unsafeUninitializedCapacity: count) { buffer, filled in
        for index in 0..<count {
          buffer[index] = UInt32(
            bigEndian: bytes.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self))
        }
        filled = count
      }
    }
  }
}
