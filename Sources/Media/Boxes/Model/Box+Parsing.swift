// SPDX-License-Identifier: Apache-2.0

import FocalCore

extension Box {
  /// How deep boxes may lie in each other: real movies have eight levels.
  public static let maximumDepth = 16
  /// How many boxes one parse may give: what a moov of a thousand tracks has.
  public static let maximumCount = 1 << 16

  /// The boxes that follow each other in memory.
  ///
  /// Containers of a movie's structure are opened, everything else stays bytes; a container of
  /// descriptive data (`udta`, `meta`…) that does not parse stays bytes, too. Memory beyond the bytes
  /// themselves, which boxes share, is at most ``maximumCount`` boxes of some 100 bytes.
  ///
  /// - Parameter offset: where the bytes lie in their file, for messages.
  /// - Throws: `malformed` for boxes that reach beyond the bytes, lie too deep, or are too many.
  public static func parse(
    _ bytes: ArraySlice<UInt8>, offset: Int64 = 0
  ) throws(CinematicError) -> [Box] {
    var budget = maximumCount
    let (boxes, trailing) = try boxes(bytes, offset, depth: 0, &budget)
    guard trailing.isEmpty else {
      throw .malformedMovie("the boxes at byte \(offset) end in \(trailing.count) stray bytes")
    }
    return boxes
  }

  private static func boxes(
    _ bytes: ArraySlice<UInt8>, _ offset: Int64, depth: Int, _ budget: inout Int
  ) throws(CinematicError) -> (boxes: [Box], trailing: ArraySlice<UInt8>) {
    guard depth < maximumDepth else {
      throw .malformedMovie("boxes lie more than \(maximumDepth) deep at byte \(offset)")
    }
    var boxes: [Box] = []
    var rest = bytes
    let limit = offset + Int64(bytes.count)
    while rest.count >= 8 {
      let start = limit - Int64(rest.count)
      let header = try BoxHeader(rest, offset: start, limit: limit)
      guard header.size <= Int64(rest.count) else {
        throw .malformedMovie(
          "the box '\(header.type)' at byte \(start) claims \(header.size) bytes where"
            + " \(rest.count) are left")
      }
      guard budget > 0 else {
        throw .malformedMovie("there are more than \(maximumCount) boxes at byte \(offset)")
      }
      budget -= 1
      let content = rest.dropFirst(header.headerSize).prefix(Int(header.contentSize))
      var box = Box(header.type, data: content)
      box.extendedType = header.extendedType
      box.form = header.form
      box.content = try opened(header, content, depth: depth, &budget)
      boxes.append(box)
      rest = rest.dropFirst(Int(header.size))
    }
    return (boxes, rest)
  }

  private static func opened(
    _ header: BoxHeader, _ content: ArraySlice<UInt8>, depth: Int, _ budget: inout Int
  ) throws(CinematicError) -> Content {
    guard let leading = leadingSize(header.type, content) else { return .data(content) }
    let isStructure = structure.contains(header.type)
    guard content.count >= leading else {
      guard isStructure else { return .data(content) }
      throw .malformedMovie("the box '\(header.type)' at byte \(header.offset) is cut short")
    }
    do throws(CinematicError) {
      let (boxes, trailing) = try boxes(
        content.dropFirst(leading), header.contentOffset + Int64(leading), depth: depth + 1, &budget
      )
      return .boxes(leading: content.prefix(leading), boxes, trailing: trailing)
    } catch {
      guard !isStructure, budget > 0 else { throw error }
      return .data(content)
    }
  }

  /// Containers without which a movie cannot be read.
  private static let structure: Set<FourCC> = [
    "moov", "trak", "mdia", "minf", "stbl", "mvex", "moof", "traf", "edts", "stsd",
  ]

  private static let plain: Set<FourCC> = [
    "moov", "trak", "mdia", "minf", "stbl", "mvex", "moof", "traf", "edts", "dinf", "tref", "udta",
    "ilst", "mfra", "tapt", "gmhd",
  ]

  /// Bytes before the first box of a container; `nil` for what is not opened. Sample entries stay
  /// bytes: what they hold depends on the track's handler (``SampleEntry``).
  private static func leadingSize(_ type: FourCC, _ content: ArraySlice<UInt8>) -> Int? {
    if plain.contains(type) { return 0 }
    switch type {
    case "stsd", "dref": return 8
    case "meta":
      // QuickTime's is a plain box, ISO's a full one; both begin with their handler.
      let type = content.dropFirst(4).prefix(4)
      return type.elementsEqual("hdlr".utf8) ? 0 : 4
    default: return nil
    }
  }
}
