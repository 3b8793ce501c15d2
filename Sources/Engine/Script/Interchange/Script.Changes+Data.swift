// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Foundation

// The binary form, version 1 to 3. Numbers are little endian; "varint" has seven bits a byte, low ones
// first, "signed" is a varint of alternating signs.
//
//   header, 32 bytes: "FOCC", u16 version, u16 zero, u64 u64 identity, u32 bytes of the payload,
//   u32 CRC-32 of the header before it and of the payload
//   payload: timescales (varint count, varints); f32 f-number;
//   user decisions (varint count, decisions); base decisions with a transition of their own
//   (likewise); added tracks (varint count, tracks); from version 2 on the parts that follow; nothing more
//   parts: u8 flags of those that are there, in version 2 at least one (1 base decisions, 2 look);
//   base decisions in place of the recording's (varint count, decisions without transitions);
//   look in place of the recording's: varint bytes, a JSON object with the values by their names
//   decision: u8 flags (1 strong, 2 group, 4 transition, in version 3 8 cut), time, signed id,
//   [transition: time duration, u8 curve, [cut: time elapsed, time remaining]]
//   time: varint index of its timescale, signed ticks less those of the last time of this timescale
//   tracks: see ``TrackCoder``
//
// What version 1 can hold is written in it, what version 2 can in that, so that older programs read it: only transitions
// that were cut need version 3, which has at least one.
extension Script.Changes {
  static let magic: [UInt8] = Array("FOCC".utf8)
  /// The newest that is read.
  static let version: UInt16 = 3
  static let headerSize = 32

  /// A compact form, for a file beside the film. It reads back equal, bit for bit.
  public var dataRepresentation: Data {
    var coder = ChangesEncoder(timescales: timescales)
    coder.writer.float(fNumber)
    coder.writer.varint(UInt64(userDecisions.count))
    for decision in userDecisions { coder.encode(decision, transitions[decision]) }
    let base = Recording.ordered(transitions.keys.filter { !$0.isUserDecision })
    coder.writer.varint(UInt64(base.count))
    for decision in base { coder.encode(decision, transitions[decision]) }
    coder.writer.varint(UInt64(addedDetectionTracks.count))
    for track in addedDetectionTracks { coder.encode(track) }
    let version = writtenVersion
    if version >= 2 { coder.writer.byte(parts.rawValue) }
    if let baseDecisions {
      coder.writer.varint(UInt64(baseDecisions.count))
      for decision in baseDecisions { coder.encode(decision, nil) }
    }
    if parts.contains(.look) {
      let text = Array(ScriptWriter.object(look).utf8)
      coder.writer.varint(UInt64(text.count))
      for byte in text { coder.writer.byte(byte) }
    }
    let payload = coder.writer.bytes

    var header = ChangesWriter()
    for byte in Self.magic { header.byte(byte) }
    header.fixed(version)
    header.fixed(UInt16(0))
    header.fixed(identity.high)
    header.fixed(identity.low)
    header.fixed(UInt32(payload.count))
    header.fixed(Checksum.crc32(header.bytes + payload))
    return Data(header.bytes + payload)
  }

  /// Changes as ``dataRepresentation`` wrote them.
  ///
  /// - Throws: `malformed` for bytes that are not changes or are damaged, `incomplete` for a cut-off
  ///   file, `unsupported` for those of a newer version. Whether they belong to a script shows when
  ///   they are applied to it.
  public init(dataRepresentation data: Data) throws(CinematicError) {
    let bytes = [UInt8](data)
    guard bytes.starts(with: Self.magic) else {
      throw CinematicError(
        .malformed, "the data are not changes of a focus script",
        remedy: "give a file that was written as changes")
    }
    guard bytes.count >= Self.headerSize else {
      throw CinematicError(.incomplete, "the changes end in their header")
    }
    var header = ChangesReader(bytes, from: Self.magic.count)
    let version = try header.fixed(UInt16.self)
    guard (1...Self.version).contains(version) else {
      throw CinematicError(
        .unsupported,
        "the changes have version \(version), this program reads up to \(Self.version)",
        remedy: "use a newer program")
    }
    _ = try header.fixed(UInt16.self)
    let identity = Identity(
      high: try header.fixed(UInt64.self), low: try header.fixed(UInt64.self))
    let size = Int(try header.fixed(UInt32.self))
    let sum = try header.fixed(UInt32.self)
    guard bytes.count - Self.headerSize >= size else {
      throw CinematicError(
        .incomplete,
        "the changes are cut off: \(bytes.count - Self.headerSize) of \(size) bytes are there")
    }
    guard bytes.count - Self.headerSize == size else {
      throw ChangesReader.malformed("something follows them")
    }
    guard
      Checksum.crc32(bytes[..<(Self.headerSize - 4)] + bytes[Self.headerSize...]) == sum
    else { throw ChangesReader.malformed("the checksum does not fit") }

    var coder = try ChangesDecoder(
      ChangesReader(bytes, from: Self.headerSize), version: version)
    let fNumber = try coder.reader.float()
    guard fNumber > 0 else { throw ChangesReader.malformed("the f-number is not positive") }
    let user = try coder.decisions(user: true)
    let base = try coder.decisions(user: false)
    let tracks = try coder.tracks()
    let parts = version < 2 ? [] : try coder.parts()
    let edited = parts.contains(.baseDecisions) ? try coder.baseDecisions() : nil
    let look = parts.contains(.look) ? try coder.look() : Look()
    guard coder.reader.remaining == 0 else {
      throw ChangesReader.malformed("something follows them")
    }
    self.init(
      identity: identity, fNumber: fNumber, look: look, userDecisions: user, baseDecisions: edited,
      addedDetectionTracks: tracks, transitions: coder.transitions)
    guard base.allSatisfy({ transitions[$0] != nil }) else {
      throw ChangesReader.malformed("a transition is missing")
    }
    guard writtenVersion == version else {
      throw ChangesReader.malformed("they need no version \(version)")
    }
  }

  /// The oldest that can hold them.
  private var writtenVersion: UInt16 {
    if transitions.values.contains(where: \.isCut) { return 3 }
    return parts.isEmpty ? 1 : 2
  }

  private var parts: ChangesParts {
    ChangesParts(baseDecisions == nil ? [] : [.baseDecisions])
      .union(look.isEmpty ? [] : [.look])
  }

  /// Every timescale that occurs, rising.
  private var timescales: [Int32] {
    var scales: Set<Int32> = []
    for decision in userDecisions + (baseDecisions ?? []) {
      scales.insert(decision.time.timescale)
    }
    for (decision, transition) in transitions {
      scales.insert(decision.time.timescale)
      scales.insert(transition.duration.timescale)
      guard transition.isCut else { continue }
      scales.insert(transition.elapsed.timescale)
      scales.insert(transition.remaining.timescale)
    }
    for track in addedDetectionTracks {
      for time in track.samples.times { scales.insert(time.timescale) }
      if let original = (track as? FixedDetectionTrack)?.originalDetection {
        scales.insert(original.time.timescale)
      }
    }
    return scales.sorted()
  }
}

/// What version 2 holds beyond version 1.
struct ChangesParts: OptionSet {
  let rawValue: UInt8
  static let baseDecisions = ChangesParts(rawValue: 1)
  static let look = ChangesParts(rawValue: 2)
}

/// The state of writing a payload.
struct ChangesEncoder {
  var writer = ChangesWriter()
  private let timescales: [Int32: Int]
  private var lastTicks: [Int64]

  init(timescales: [Int32]) {
    self.timescales = Dictionary(
      uniqueKeysWithValues: timescales.enumerated().map { ($0.element, $0.offset) })
    lastTicks = [Int64](repeating: 0, count: timescales.count)
    writer.varint(UInt64(timescales.count))
    for scale in timescales { writer.varint(UInt64(scale)) }
  }

  func index(of timescale: Int32) -> Int { timescales[timescale] ?? 0 }

  mutating func encode(_ time: Time) {
    let scale = index(of: time.timescale)
    writer.varint(UInt64(scale))
    writer.signed(time.value &- lastTicks[scale])
    lastTicks[scale] = time.value
  }

  mutating func encode(_ decision: Decision, _ transition: Transition?) {
    let isCut = transition?.isCut == true
    writer.byte(
      (decision.isStrongDecision ? 1 : 0) | (decision.isGroupDecision ? 2 : 0)
        | (transition == nil ? 0 : 4) | (isCut ? 8 : 0))
    encode(decision.time)
    writer.signed(decision.detectionID?.rawValue ?? decision.detectionGroupID?.rawValue ?? 0)
    if let transition {
      encode(transition.duration)
      writer.byte(UInt8(transition.curve.rawValue))
      guard isCut else { return }
      encode(transition.elapsed)
      encode(transition.remaining)
    }
  }
}

/// The state of reading a payload.
struct ChangesDecoder {
  var reader: ChangesReader
  private(set) var transitions: [Decision: Transition] = [:]
  private var timescales: [Int32] = []
  private var lastTicks: [Int64]
  private let version: UInt16

  init(_ reader: ChangesReader, version: UInt16) throws(CinematicError) {
    self.reader = reader
    self.version = version
    lastTicks = []
    for _ in 0..<(try self.reader.count(ofAtLeast: 1)) {
      guard let scale = Int32(exactly: try self.reader.varint()), scale > 0 else {
        throw ChangesReader.malformed("a timescale is out of range")
      }
      timescales.append(scale)
    }
    lastTicks = [Int64](repeating: 0, count: timescales.count)
  }

  mutating func timescale() throws(CinematicError) -> Int32 {
    let index = try reader.varint()
    guard index < UInt64(timescales.count) else {
      throw ChangesReader.malformed("no such timescale")
    }
    return timescales[Int(index)]
  }

  mutating func time() throws(CinematicError) -> Time {
    let index = try reader.varint()
    guard index < UInt64(timescales.count) else {
      throw ChangesReader.malformed("no such timescale")
    }
    let ticks = lastTicks[Int(index)] &+ (try reader.signed())
    lastTicks[Int(index)] = ticks
    return Time(value: ticks, timescale: timescales[Int(index)])
  }

  mutating func parts() throws(CinematicError) -> ChangesParts {
    let flags = try reader.byte()
    guard (version > 2 ? 0...3 : 1...3).contains(flags) else {
      throw ChangesReader.malformed("a part of an unknown kind")
    }
    return ChangesParts(rawValue: flags)
  }

  mutating func look() throws(CinematicError) -> Look {
    let text = Array(try reader.bytes(try reader.count(ofAtLeast: 1)))
    guard let look = try? ScriptParser.look(text), !look.isEmpty else {
      throw ChangesReader.malformed("the look is not understood")
    }
    return look
  }

  mutating func baseDecisions() throws(CinematicError) -> [Decision] {
    let known = transitions
    let decisions = try decisions(user: false)
    guard transitions == known else { throw ChangesReader.malformed("a transition is twice there") }
    return decisions
  }

  mutating func decisions(user: Bool) throws(CinematicError) -> [Decision] {
    let count = try reader.count(ofAtLeast: 4)
    var decisions: [Decision] = []
    decisions.reserveCapacity(count)
    for _ in 0..<count {
      let flags = try reader.byte()
      guard flags < (version > 2 ? 16 : 8), flags & 12 != 8 else {
        throw ChangesReader.malformed("a decision of an unknown kind")
      }
      let time = try time()
      let id = try reader.signed()
      guard id > 0 else { throw ChangesReader.malformed("an id is not positive") }
      if let last = decisions.last, time <= last.time {
        throw ChangesReader.malformed("the decisions are not in the order of time")
      }
      let decision = Decision(
        time: time, focus: flags & 2 != 0 ? .group(DetectionGroupID(id)) : .single(DetectionID(id)),
        strong: flags & 1 != 0, user: user)
      decisions.append(decision)
      guard flags & 4 != 0 else { continue }
      let duration = try self.time()
      guard duration >= .zero, let curve = Transition.Curve(rawValue: Int(try reader.byte())) else {
        throw ChangesReader.malformed("a transition is out of range")
      }
      transitions[decision] = Transition(duration: duration, curve: curve)
      guard flags & 8 != 0 else { continue }
      let (elapsed, remaining) = (try self.time(), try self.time())
      guard min(elapsed, remaining) >= .zero, max(elapsed, remaining) > .zero else {
        throw ChangesReader.malformed("a transition is out of range")
      }
      transitions[decision]?.elapsed = elapsed
      transitions[decision]?.remaining = remaining
    }
    return decisions
  }
}
