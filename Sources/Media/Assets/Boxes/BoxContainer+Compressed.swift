// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

extension BoxContainer {
  /// The movie's box with the boxes in it, which old programs of QuickTime compressed as a whole (QuickTime File Format,
  /// "Compressed Movie Resources"): `cmov` holds the method, and the bytes of a `moov` behind their number.
  ///
  /// - Parameter moov: as it stands in the file.
  /// - Returns: the same where nothing is compressed.
  /// - Throws: `malformed` for a damaged stream, `unsupported` for another method than zlib's and for an index of more
  ///   than ``FocalBoxes/BoxBrowser/maximumContentSize`` bytes, `outOfMemory` beyond the budget.
  func unpacked(_ moov: BoxHeader) async throws(CinematicError) -> BoxHeader {
    guard let packed = try await browser.firstHeader(in: moov), packed.type == "cmov" else {
      return moov
    }
    let method = try await browser.content(try await box("dcom", in: packed))
    guard method.prefix(4).elementsEqual("zlib".utf8) else {
      throw CinematicError.compressedIndex(name, "in a way that is not known")
    }
    let stream = try await browser.content(try await box("cmvd", in: packed))
    let size = try named { () throws(CinematicError) -> Int in
      var reader = ByteReader(stream, box: "cmvd")
      return Int(try reader.u32())
    }
    guard size <= Int(BoxBrowser.maximumContentSize) else {
      throw CinematicError.compressedIndex(name, "and has \(size) bytes without that")
    }
    try MemoryBudget.check(size, for: "the compressed index of \(name)")
    let content = ZlibStream.inflated(stream.dropFirst(4), most: size)
    guard let content, content.count == size else {
      throw CinematicError(
        .malformed, "the compressed index of \(name) is damaged",
        remedy: "copy or download the file again")
    }
    let header = try await browser.add(unpacked: content)
    // Compressed twice, it would hold one compressed once.
    guard header.type == "moov", try await browser.firstHeader(in: header)?.type != "cmov" else {
      throw CinematicError.compressedIndex(name, "in a way that is not known")
    }
    return header
  }
}
