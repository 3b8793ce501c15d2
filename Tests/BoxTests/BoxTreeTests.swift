// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import MovieKit
import Testing

@Suite struct BoxTreeTests {
  @Test(arguments: MovieLayout.Form.allCases)
  func whatIsReadIsWrittenByteForByte(_ form: MovieLayout.Form) throws {
    let bytes = PhoneMovie.layout(form: form).bytes()
    let boxes = try Box.parse(bytes[...])
    #expect(boxes.flatMap(\.bytes) == bytes)
    let moov = try #require(boxes.first { $0.type == "moov" })
    #expect(moov.all("trak").count == 4)
    #expect(moov.at("trak", "mdia", "minf", "stbl", "stsd") != nil)
    #expect(moov.size == moov.bytes.count)
  }

  /// A changed tree differs where it was changed, and nowhere else.
  @Test func changes() throws {
    let bytes = PhoneMovie.layout().bytes()
    var boxes = try Box.parse(bytes[...])
    let place = try #require(boxes.firstIndex { $0.type == "moov" })
    let unknown = Box("abcd", data: [1, 2, 3])
    boxes[place].boxes.append(unknown)
    let again = try Box.parse(boxes.flatMap(\.bytes)[...])
    #expect(again[place].boxes.last == unknown)
    #expect(again[place].boxes.dropLast() == boxes[place].boxes.dropLast())
    #expect(again[place].size == boxes[place].size)
  }

  @Test func sizes() throws {
    // 64 bits, a uuid, and zero: to the end.
    var builder = ByteBuilder()
    builder.u32(1)
    builder.code("free")
    builder.u64(18)
    builder.u16(0xABCD)
    builder.u32(28)
    builder.code("uuid")
    builder.bytes += (0..<16).map { UInt8($0) }
    builder.u32(0xDEAD_BEEF as UInt32)
    builder.u32(0)
    builder.code("mdat")
    builder.bytes += [5, 6, 7]
    let boxes = try Box.parse(builder.bytes[...])
    #expect(boxes.map(\.type) == ["free", "uuid", "mdat"])
    #expect(boxes.map(\.form) == [.large, .compact, .toEnd])
    #expect(boxes[1].extendedType == (0..<16).map { UInt8($0) })
    #expect(boxes.map { Array($0.data) } == [[0xAB, 0xCD], [0xDE, 0xAD, 0xBE, 0xEF], [5, 6, 7]])
    #expect(boxes.flatMap(\.bytes) == builder.bytes)
  }

  /// Every size that a head can claim: those that fit are boxes, the others are errors.
  @Test func claimedSizes() {
    let sizes: [UInt64] = Array(0...40) + [1 << 31, 0xFFFF_FFFF]
    for size in sizes {
      var builder = ByteBuilder()
      builder.u32(size)
      builder.code("free")
      builder.zeros(16)
      let error = failure { () throws(CinematicError) in _ = try Box.parse(builder.bytes[...]) }
      // One is the mark of 64 bits; those here are zero. From 8 on, what is left must be a box
      // again: eight bytes or more of zeros are one that reaches to the end.
      let rest = 24 - Int64(clamping: size)
      let fits = size == 0 || (size >= 8 && (rest == 0 || rest >= 8))
      #expect((error == nil) == fits, "\(size): \(String(describing: error))")
      if let error { #expect(error.code == .malformed) }
    }
    for size in [0, 15, 17, 1 << 61, 1 << 62, 1 << 63, UInt64.max] {
      var builder = ByteBuilder()
      builder.u32(1)
      builder.code("free")
      builder.u64(size)
      let error = failure { () throws(CinematicError) in _ = try Box.parse(builder.bytes[...]) }
      #expect(error?.code == .malformed, "\(size)")
    }
  }

  @Test func depthAndNumberAreBounded() {
    var box = Box("moov", data: [])
    for _ in 0..<40 { box = Box("moov", [box]) }
    let deep = failure { () throws(CinematicError) in _ = try Box.parse(box.bytes[...]) }
    #expect(deep?.message.contains("deep") == true)
    let many = [Box](repeating: Box("free", data: []), count: Box.maximumCount + 1)
    let bytes = many.flatMap(\.bytes)
    let wide = failure { () throws(CinematicError) in _ = try Box.parse(bytes[...]) }
    #expect(wide?.message.contains("more than") == true)
  }

  /// A movie's description may be broken; then it stays bytes, and the movie is read.
  @Test func brokenDescriptionsStayBytes() throws {
    var movie = PhoneMovie.layout()
    movie.extras.append(Box("udta", data: [0, 0, 0, 99, 1, 2, 3, 4, 5, 6, 7, 8]))
    let bytes = movie.bytes()
    let boxes = try Box.parse(bytes[...])
    #expect(boxes.flatMap(\.bytes) == bytes)
  }

  @Test func characterCodes() {
    #expect(FourCC("moov").rawValue == 0x6D6F_6F76)
    #expect(FourCC("©nam").rawValue == 0xA96E_616D)
    #expect("\(FourCC("©nam"))" == "©nam")
    #expect("\(FourCC(rawValue: 3))" == "0x00000003")
  }
}

/// The error that `body` throws, or `nil`.
func failure(_ body: () throws(CinematicError) -> Void) -> CinematicError? {
  do throws(CinematicError) {
    try body()
    return nil
  } catch {
    return error
  }
}
