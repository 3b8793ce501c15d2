// SPDX-License-Identifier: Apache-2.0

import Foundation
import KernelDeclarations

/// A kernel's source with its `#include "..."` lines replaced by the files that they name, each file
/// once. `#include <...>` stays: a kernel language has no such files, only C reads them.
struct FlatSource {
  /// How the text says which file and line a line comes from.
  enum LineMarks {
    /// `#line 12 3`, as GLSL has it: index into ``FlatSource/files``.
    case numbers
    /// `#line 12 "name.h"`.
    case names
  }

  private(set) var text = ""
  /// The files that the text is made of, the kernel's own first.
  private(set) var files: [String] = []

  private let folders: [String]
  private let lineMarks: LineMarks

  /// - Parameter folders: where included files are looked for, after the including file's own.
  init(_ path: String, folders: [String], lineMarks: LineMarks) throws(CompilerError) {
    self.folders = folders
    self.lineMarks = lineMarks
    try append(path, includedFrom: nil)
  }

  /// A source that begins with `text`, which no file holds, and is put together by ``include(_:)``
  /// and ``add(_:at:of:)``.
  init(beginning text: String, name: String, folders: [String], lineMarks: LineMarks) {
    self.folders = folders
    self.lineMarks = lineMarks
    self.text = text
    files = [name]
  }

  /// Appends a file, unless it is there already.
  mutating func include(_ name: String) throws(CompilerError) {
    guard let found = name.hasPrefix("/") ? standardized(name) : find(name, from: files[0]) else {
      throw CompilerError(
        "\(files[0]): error: there is no \(name) in \(folders.joined(separator: ", "))")
    }
    if !files.contains(found) { try append(found, includedFrom: files[0]) }
  }

  /// Appends a line that was made from line `number` of a file that is there.
  mutating func add(_ line: String, at number: Int, of path: String) {
    mark(line: number, file: files.firstIndex(of: standardized(path)) ?? 0)
    text += line + "\n"
  }

  private mutating func append(_ path: String, includedFrom place: String?) throws(CompilerError) {
    guard let data = FileManager.default.contents(atPath: path),
      let contents = String(data: data, encoding: .utf8)
    else {
      throw CompilerError("\(place ?? path): error: \(path) cannot be read")
    }
    let index = files.count
    files.append(path)
    // The first line of a kernel must be its #version, and has number 1 of file 0 anyway.
    if place != nil { mark(line: 1, file: index) }
    let lines = contents.split(separator: "\n", omittingEmptySubsequences: false)
    for (number, line) in zip(1..., lines) {
      guard let name = Self.includedName(line) else {
        text += Self.isPragmaOnce(line) ? "\n" : line + "\n"
        continue
      }
      let here = "\(path):\(number)"
      guard let found = find(name, from: path) else {
        throw CompilerError(
          "\(here): error: there is no \(name) beside it or in \(folders.joined(separator: ", "))")
      }
      if files.contains(found) {
        text += "\n"
      } else {
        try append(found, includedFrom: here)
        mark(line: number + 1, file: index)
      }
    }
  }

  private mutating func mark(line: Int, file: Int) {
    switch lineMarks {
    case .numbers: text += "#line \(line) \(file)\n"
    case .names:
      text += "#line \(line) \"\(URL(fileURLWithPath: files[file]).lastPathComponent)\"\n"
    }
  }

  private func find(_ name: String, from path: String) -> String? {
    let own = URL(fileURLWithPath: path).deletingLastPathComponent().path
    return ([own] + folders)
      .map { URL(fileURLWithPath: $0).appendingPathComponent(name).standardizedFileURL.path }
      .first { FileManager.default.fileExists(atPath: $0) }
  }

  private func standardized(_ path: String) -> String {
    URL(fileURLWithPath: path).standardizedFileURL.path
  }

  private static func includedName(_ line: Substring) -> String? {
    let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
    guard parts.count >= 3 else { return nil }
    let directive = parts[0].filter { $0 != " " && $0 != "\t" }
    return directive == "#include" ? String(parts[1]) : nil
  }

  private static func isPragmaOnce(_ line: Substring) -> Bool {
    line.split(whereSeparator: { $0 == " " || $0 == "\t" }) == ["#pragma", "once"]
  }
}

/// The text with comments left out and every line where it was.
func withoutComments(_ text: String) -> String {
  var result: [UInt8] = []
  let bytes = Array(text.utf8)
  var index = 0
  var lineStart = 0
  func at(_ offset: Int) -> UInt8? { offset < bytes.count ? bytes[offset] : nil }
  func endLine(_ result: inout [UInt8]) {
    while result.count > lineStart, result.last == UInt8(ascii: " ") { result.removeLast() }
    result.append(UInt8(ascii: "\n"))
  }
  while let byte = at(index) {
    switch (byte, at(index + 1)) {
    case (UInt8(ascii: "/"), UInt8(ascii: "/")):
      while let next = at(index), next != UInt8(ascii: "\n") { index += 1 }
    case (UInt8(ascii: "/"), UInt8(ascii: "*")):
      index += 2
      result.append(UInt8(ascii: " "))
      while let next = at(index),
        !(next == UInt8(ascii: "*") && at(index + 1) == UInt8(ascii: "/"))
      {
        if next == UInt8(ascii: "\n") {
          endLine(&result)
          lineStart = result.count
        }
        index += 1
      }
      index += 2
    case (UInt8(ascii: "\n"), _):
      endLine(&result)
      lineStart = result.count
      index += 1
    default:
      result.append(byte)
      index += 1
    }
  }
  return String(decoding: result, as: UTF8.self)
}
