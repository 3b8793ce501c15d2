// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Takes big-endian numbers out of bytes, one after another. Never reads beyond them: whatever asks for more than is left
/// throws `malformed`.
public struct ByteReader {
  /// The bytes that are not read yet.
  public private(set) var rest: ArraySlice<UInt8>
  /// The name of the bytes in messages: `the box 'stsz'`.
  private let subject: String

  /// - Parameter subject: names the bytes in errors.
  public init(_ bytes: ArraySlice<UInt8>, of subject: String) {
    rest = bytes
    self.subject = subject
  }

  /// The contents of a box.
  public init(_ bytes: ArraySlice<UInt8>, box type: FourCC) {
    self.init(bytes, of: "the box '\(type)'")
  }

  /// Whether everything is read.
  public var isAtEnd: Bool { rest.isEmpty }
  /// Bytes that are not read yet.
  public var remaining: Int { rest.count }

  /// The next bytes.
  ///
  /// - Throws: `malformed` where there are fewer.
  public mutating func bytes(_ count: Int) throws(CinematicError) -> ArraySlice<UInt8> {
    guard count >= 0, count <= rest.count else { throw short() }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  /// Passes over bytes.
  public mutating func skip(_ count: Int) throws(CinematicError) { _ = try bytes(count) }

  /// The next byte.
  public mutating func u8() throws(CinematicError) -> UInt8 {
    guard let byte = rest.popFirst() else { throw short() }
    return byte
  }

  /// The next two bytes as a number.
  public mutating func u16() throws(CinematicError) -> UInt16 {
    UInt16(truncatingIfNeeded: try number(2))
  }

  /// The next three bytes as a number.
  public mutating func u24() throws(CinematicError) -> UInt32 {
    UInt32(truncatingIfNeeded: try number(3))
  }

  /// The next four bytes as a number.
  public mutating func u32() throws(CinematicError) -> UInt32 {
    UInt32(truncatingIfNeeded: try number(4))
  }

  /// The next eight bytes as a number.
  public mutating func u64() throws(CinematicError) -> UInt64 { try number(8) }

  /// The next two bytes as a signed number.
  public mutating func i16() throws(CinematicError) -> Int16 { Int16(bitPattern: try u16()) }
  /// The next four bytes as a signed number.
  public mutating func i32() throws(CinematicError) -> Int32 { Int32(bitPattern: try u32()) }
  /// The next eight bytes as a signed number.
  public mutating func i64() throws(CinematicError) -> Int64 { Int64(bitPattern: try u64()) }

  /// The next four bytes as characters.
  public mutating func fourCC() throws(CinematicError) -> FourCC { FourCC(rawValue: try u32()) }

  /// The version and the flags that a full box begins with.
  public mutating func versionAndFlags() throws(CinematicError) -> (version: UInt8, flags: UInt32) {
    (try u8(), try u24())
  }

  /// The 32 bits of version 0 or the 64 of a later one, as a count that is not negative.
  public mutating func count(wide: Bool) throws(CinematicError) -> Int64 {
    guard wide else { return Int64(try u32()) }
    let value = try u64()
    guard value <= UInt64(Int64.max) else { throw malformed("a number in it is too large") }
    return Int64(value)
  }

  /// How many elements of a size follow, as their number says.
  ///
  /// - Throws: `malformed` where so many elements do not fit what is left: nothing is ever allocated
  ///   for elements that are not there.
  public mutating func elementCount(ofSize size: Int) throws(CinematicError) -> Int {
    let count = Int(try u32())
    guard count <= rest.count / max(size, 1) else {
      throw malformed("it claims \(count) elements where there is room for \(rest.count / size)")
    }
    return count
  }

  /// An error that names the bytes.
  public func malformed(_ reason: String) -> CinematicError {
    .malformedMovie("\(subject) is damaged: \(reason)")
  }

  private func short() -> CinematicError {
    .malformedMovie("\(subject) is cut short: \(rest.count) bytes are left")
  }

  private mutating func number(_ count: Int) throws(CinematicError) -> UInt64 {
    guard rest.count >= count else { throw short() }
    var value: UInt64 = 0
    let start = rest.startIndex
    for index in start..<(start + count) { value = value << 8 | UInt64(rest[index]) }
    rest = rest.dropFirst(count)
    return value
  }
}

extension CinematicError {
  /// A file that breaks its format.
  static func malformedMovie(_ message: String) -> CinematicError {
    CinematicError(.malformed, message, remedy: "copy or download the file again")
  }

  /// The same error with the file's name before it.
  package func naming(_ file: String) -> CinematicError {
    message.hasPrefix(file) || message.contains(" \(file):")
      ? self : replacing(message: "\(file): \(message)")
  }
}
