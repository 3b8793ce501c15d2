// SPDX-License-Identifier: Apache-2.0

import Foundation

// Puts the files of the editor's page into a Swift file: PageEmbedder OUTPUT FILE…
//
// As base64 in static strings, because the Swift compiler takes minutes over arrays of bytes.
let arguments = Array(CommandLine.arguments.dropFirst())
guard let output = arguments.first, arguments.count > 1 else {
  FileHandle.standardError.write(Data("usage: PageEmbedder OUTPUT FILE…\n".utf8))
  exit(64)
}
var lines = [
  "// Made by PageEmbedder of the files in Sources/Editor/Page.",
  "",
  "enum EmbeddedPage {",
  "  static let files: [String: StaticString] = [",
]
for path in arguments.dropFirst().sorted() {
  let url = URL(fileURLWithPath: path)
  guard let data = try? Data(contentsOf: url) else {
    FileHandle.standardError.write(Data("PageEmbedder: \(path) cannot be read\n".utf8))
    exit(1)
  }
  lines.append("    \"\(url.lastPathComponent)\": \"\(data.base64EncodedString())\",")
}
lines += ["  ]", "}", ""]
// A file that holds this already keeps its date, or every module above would be compiled again.
let (text, url) = (Data(lines.joined(separator: "\n").utf8), URL(fileURLWithPath: output))
if let present = try? Data(contentsOf: url), present == text { exit(0) }
do {
  try text.write(to: url, options: .atomic)
} catch {
  FileHandle.standardError.write(Data("PageEmbedder: \(output): \(error)\n".utf8))
  exit(1)
}
