// SPDX-License-Identifier: Apache-2.0

/// Goes through a container from head to head, to learn how long it says to be.
///
/// Demuxers end a cut-off file as if it ended there, which would make a silent short clip. It asks for a few bytes
/// at a place that only rises, so that it works in files and, by ``PassingWalk``, in what goes by once.
struct ContainerWalk {
  /// Where the next head stands; `nil` if no more is said.
  private(set) var place: Int64? = 0
  /// How long the whole has to be by the heads so far.
  private(set) var claimedEnd: Int64 = 0
  private var kind: Kind?
  /// Whether a Matroska segment says no length, and has not come to the parts that writers put behind the
  /// pictures: then nothing tells whether more belonged to it.
  private(set) var hasOpenEnd = false

  private enum Kind {
    case boxes
    case matroska
    case avi
  }

  /// The most that a head takes.
  static let headSize = 16

  /// Takes the bytes at ``place``: ``headSize`` of them, fewer where the file ends.
  mutating func take(_ head: [UInt8]) {
    guard let start = place else { return }
    place = nil
    if start == 0 {
      guard head.count >= 12 else { return }
      kind =
        if head.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) {
          .matroska
        } else if head.starts(with: Array("RIFF".utf8)), head[8...].starts(with: Array("AVI ".utf8))
        {
          .avi
        } else {
          .boxes
        }
    }
    switch kind {
    case .boxes: takeBox(head, start)
    case .matroska: takeElement(head, start)
    case .avi: takeList(head, start)
    case nil: break
    }
  }

  private mutating func claim(_ start: Int64, _ size: Int64) -> Int64? {
    let (end, overflow) = start.addingReportingOverflow(size)
    claimedEnd = max(claimedEnd, overflow ? .max : end)
    return overflow ? nil : end
  }

  /// QuickTime and MP4: the boxes of the file follow each other to its end (ISO/IEC 14496-12 §4.2).
  private mutating func takeBox(_ head: [UInt8], _ start: Int64) {
    guard head.count >= 8 else { return }
    let type = Array(head[4..<8])
    // Only these carry what a movie needs; junk behind the last of them is harmless.
    let isEssential = Self.essentialBoxes.contains(type)
    guard start > 0 || isEssential || type == Array("wide".utf8) else { return }
    var size = Int64(Self.bigEndian32(head, 0))
    if size == 1 {
      guard head.count == 16, head[8] < 0x7F else { return }
      size = Int64(Self.bigEndian32(head, 8)) << 32 | Int64(Self.bigEndian32(head, 12))
    }
    // Zero means to the end of the file; less than a head is junk.
    guard size >= 8 else { return }
    place =
      isEssential ? claim(start, size) : start.addingReportingOverflow(size).partialValue
  }

  private static let essentialBoxes = Set(["ftyp", "mdat", "moov", "moof"].map { Array($0.utf8) })

  /// AVI: lists of at most 1 GB (OpenDML 1.02, section 5). A size of all ones or of zero was never filled in.
  private mutating func takeList(_ head: [UInt8], _ start: Int64) {
    guard head.count >= 12, head.starts(with: Array("RIFF".utf8)),
      head[8...].starts(with: Array((start == 0 ? "AVI " : "AVIX").utf8))
    else { return }
    let size = head[4..<8].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    guard size != 0, size != .max else { return }
    place = claim(start, Int64(size) + 8)
  }

  /// Matroska and WebM: an EBML head, then a segment (RFC 8794 §4, RFC 9559 §5). A file that is written
  /// into a pipe has a segment of unknown size; the sizes of its parts are stated.
  private mutating func takeElement(_ head: [UInt8], _ start: Int64) {
    guard let first = head.first, first & 0xF0 != 0 else { return }
    let idLength = first.leadingZeroBitCount + 1
    guard head.count > idLength else {
      _ = claim(start, Int64(idLength) + 1)
      return
    }
    guard head[idLength] != 0 else { return }
    let sizeLength = head[idLength].leadingZeroBitCount + 1
    let headLength = idLength + sizeLength
    guard head.count >= headLength else {
      _ = claim(start, Int64(headLength))
      return
    }
    let id = head[..<idLength].reduce(0) { $0 << 8 | UInt32($1) }
    var size = Int64(head[idLength]) & ((1 << Int64(8 - sizeLength)) - 1)
    for byte in head[(idLength + 1)..<headLength] { size = size << 8 | Int64(byte) }
    let isUnknown = size == (1 << Int64(7 * sizeLength)) - 1
    let (segment, cluster, cues): (UInt32, UInt32, UInt32) = (0x1853_8067, 0x1F43_B675, 0x1C53_BB6B)
    if isUnknown {
      // Only these may lack it: their parts follow.
      if id == segment || id == cluster { place = start + Int64(headLength) }
      if id == segment { hasOpenEnd = true }
      return
    }
    if id == cues { hasOpenEnd = false }
    let end = claim(start + Int64(headLength), size)
    // All of a film lies in it.
    if id != segment { place = end }
  }

  private static func bigEndian32(_ bytes: [UInt8], _ index: Int) -> UInt32 {
    bytes[index..<(index + 4)].reduce(0) { $0 << 8 | UInt32($1) }
  }
}

/// The same for bytes that go by once.
struct PassingWalk {
  private var walk = ContainerWalk()
  /// The bytes before ``byteCount`` that heads may need.
  private var window: [UInt8] = []
  /// How many bytes have gone by.
  private(set) var byteCount: Int64 = 0

  /// How long the whole has to be by what has gone by.
  var claimedEnd: Int64 { walk.claimedEnd }

  mutating func pass(_ bytes: some Collection<UInt8>) {
    guard walk.place != nil else {
      byteCount += Int64(bytes.count)
      return
    }
    window += bytes
    byteCount += Int64(bytes.count)
    while let place = walk.place, place + Int64(ContainerWalk.headSize) <= byteCount {
      let index = window.count - Int(byteCount - place)
      walk.take(Array(window[index..<(index + ContainerWalk.headSize)]))
    }
    let kept = walk.place.map { Int(max(byteCount - $0, 0)) } ?? 0
    window.removeFirst(window.count - kept)
  }

  /// The end of the bytes.
  mutating func finish() {
    while let place = walk.place, place < byteCount {
      walk.take(Array(window.suffix(Int(byteCount - place)).prefix(ContainerWalk.headSize)))
    }
  }
}
