// SPDX-License-Identifier: Apache-2.0

import FocalCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A path with a number in its file name: `frames/%04d.png` stands for `frames/0000.png`, ….
///
/// `%d` and `%0Nd` (at least N digits, with leading zeros) are understood, once; `%%` beside it is a percent
/// sign. A name without a number is no pattern, and its percent signs are what they are: `my%20dog.png` is one file.
public struct NumberedPattern: Hashable, Sendable, CustomStringConvertible {
  /// The folder with its final slash; empty for the current one.
  public let folder: String
  let prefix: String
  let suffix: String
  /// The fewest digits of a number.
  public let minimumDigits: Int
  private let text: String

  /// How the folder of maps is named that a command keeps beside its output: by the output's name and this.
  package static let mapsEnding = ".maps"

  public var description: String { text }

  /// `nil` for a path without a number.
  ///
  /// - Throws: `invalidParameter` for a number that is not understood, or more than one.
  public init?(_ path: String) throws(CinematicError) {
    let cut = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    let name = path[cut...]
    // Zeros before a width are of numbers alone, and a width of one digit is: %04x and %4d are slips. %20 is a space in an
    // address, whatever follows it.
    guard name.replacing("%%", with: "").firstRange(of: /%(\d?d|0\d+[a-z])/) != nil else {
      return nil
    }
    var parts = [""]
    var digits = 1
    var rest = name[...]
    while let character = rest.popFirst() {
      guard character == "%" else {
        parts[parts.count - 1].append(character)
        continue
      }
      if rest.first == "%" {
        rest.removeFirst()
        parts[parts.count - 1].append("%")
        continue
      }
      let width = rest.prefix { $0.isASCII && $0.isNumber }
      rest = rest.dropFirst(width.count)
      let isPadded = width.isEmpty || width.first == "0"
      guard rest.popFirst() == "d", isPadded, let count = width.isEmpty ? 1 : Int(width),
        (0...18).contains(count), parts.count == 1
      else {
        throw CinematicError(
          .invalidParameter, "\(path) is not a pattern for numbered files",
          remedy: "write the number once, as %d or %04d, and a percent sign beside it as %%")
      }
      digits = max(count, 1)
      parts.append("")
    }
    guard parts.count == 2 else { return nil }
    folder = String(path[..<cut])
    // Maps of numbered pictures are kept in a folder that has the name of their pattern.
    guard
      folder.hasSuffix(Self.mapsEnding + "/") || folder.firstRange(of: /%(\d?d|0\d+d)/) == nil
    else {
      throw CinematicError(
        .invalidParameter,
        "\(path) is not a pattern for numbered files: a folder has a number, too",
        remedy: "number the files only")
    }
    prefix = parts[0]
    suffix = parts[1]
    minimumDigits = digits
    text = path
  }

  /// The path of a number.
  public func path(_ number: Int) -> String {
    let digits = String(number)
    let zeros = String(repeating: "0", count: max(0, minimumDigits - digits.count))
    return folder + prefix + zeros + digits + suffix
  }

  /// The ending of the file name, without its dot.
  public var ending: String {
    suffix.lastIndex(of: ".").map { String(suffix[suffix.index(after: $0)...]) } ?? ""
  }

  /// The numbers of the files that there are, rising.
  ///
  /// - Throws: `unreadable` where the folder cannot be read.
  public func existingNumbers() throws(CinematicError) -> [Int] {
    let place = folder.isEmpty ? "." : folder
    guard let directory = opendir(place) else {
      let number = errno
      throw CinematicError(
        .unreadable, "cannot read the folder \(place): \(systemErrorText(number))",
        remedy: "check the name")
    }
    defer { closedir(directory) }
    var numbers: Set<Int> = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 1) { String(cString: $0) }
      }
      if let number = number(ofName: name) { numbers.insert(number) }
    }
    return numbers.sorted()
  }

  private func number(ofName name: String) -> Int? {
    guard name.hasPrefix(prefix), name.hasSuffix(suffix),
      name.utf8.count > prefix.utf8.count + suffix.utf8.count
    else { return nil }
    let digits = name.dropFirst(prefix.count).dropLast(suffix.count)
    guard digits.allSatisfy({ $0.isASCII && $0.isNumber }), digits.count <= 18,
      let number = Int(digits), path(number) == folder + name
    else { return nil }
    return number
  }
}
