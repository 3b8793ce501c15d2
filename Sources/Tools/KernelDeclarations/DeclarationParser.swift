// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Reads the kernels of one shared header.
///
/// A declaration is a macro that C reads too, `#define FOCAL_KERNEL_name(_)`, with an entry a line and
/// a comment of `///` before it, followed by the line that says which devices run the kernel:
/// `FOCAL_KERNEL(name)`, `FOCAL_FUSED_KERNEL(name)` or `FOCAL_PART_KERNEL(name)`. focal_dialect.h has
/// the entries.
struct DeclarationParser {
  private(set) var kernels: [KernelDeclaration] = []
  private(set) var records: [String: RecordDeclaration] = [:]
  private(set) var structs: [String: [FieldDeclaration]] = [:]

  private let path: String
  private let lines: [Substring]
  private let text: String

  init(_ path: String) throws(CompilerError) {
    guard let data = FileManager.default.contents(atPath: path),
      let text = String(data: data, encoding: .utf8)
    else {
      throw CompilerError("\(path): error: it cannot be read")
    }
    self.path = path
    self.text = text
    lines = text.split(separator: "\n", omittingEmptySubsequences: false)
  }

  mutating func parse() throws(CompilerError) {
    for index in lines.indices {
      if let name = lines[index].wholeMatch(of: /#define FOCAL_KERNEL_(\w+)\(_\).*/)?.1 {
        kernels.append(try kernel(String(name), at: index))
      }
    }
    for match in text.matches(of: /FOCAL_STRUCT\((\w+)\)\s*\{([^}]*)\}/) {
      let fields = Self.fields(String(match.2))
      structs[String(match.1)] = fields
      records[String(match.1)] = Self.record(fields)
    }
  }

  private func complaint(_ line: Int, _ text: String) -> CompilerError {
    CompilerError("\(path):\(line): error: \(text)")
  }

  /// The kernel whose declaration begins at line `first`, counted from 0.
  private func kernel(_ name: String, at first: Int) throws(CompilerError) -> KernelDeclaration {
    var declaration = KernelDeclaration(
      name: name, role: .common, documentation: documentation(before: first), parameters: "",
      path: path, line: first + 1)
    var index = first
    var rest = lines[first].drop { $0 != ")" }.dropFirst()
    while true {
      try add(rest, at: index + 1, to: &declaration)
      guard lines[index].hasSuffix("\\"), index + 1 < lines.count else { break }
      index += 1
      rest = lines[index]
    }
    guard index + 1 < lines.count,
      let role = lines[index + 1].wholeMatch(of: /FOCAL_(FUSED_|PART_|)KERNEL\((\w+)\)/),
      role.2 == name
    else {
      throw complaint(
        index + 2, "after the buffers of \(name) comes the line FOCAL_KERNEL(\(name))")
    }
    declaration.role = role.1 == "FUSED_" ? .fused : role.1 == "PART_" ? .part : .common
    try check(declaration)
    return declaration
  }

  private func check(_ kernel: KernelDeclaration) throws(CompilerError) {
    if kernel.documentation.isEmpty {
      throw complaint(
        kernel.line, "the kernel \(kernel.name) has no comment that says what it does")
    }
    if kernel.parameters.isEmpty {
      throw complaint(kernel.line, "the kernel \(kernel.name) has no entry _(parameters, TYPE)")
    }
    if kernel.buffers.isEmpty || kernel.buffers.count > KernelDeclaration.mostBuffers {
      throw complaint(
        kernel.line,
        "the kernel \(kernel.name) has \(kernel.buffers.count) buffers, not 1 to "
          + "\(KernelDeclaration.mostBuffers)")
    }
  }

  private func documentation(before index: Int) -> [String] {
    let comment = lines[..<index].reversed().prefix { $0.hasPrefix("///") }
    return comment.reversed().map { $0.dropFirst(3).trimmingCharacters(in: .whitespaces) }
  }

  /// The entries of one line of a declaration.
  private func add(
    _ text: Substring, at line: Int, to kernel: inout KernelDeclaration
  ) throws(CompilerError) {
    let text = text.trimmingCharacters(in: CharacterSet(charactersIn: " \t\\"))
    let entries = text.matches(of: /_\(([^()]*)\)/)
    guard entries.map({ String($0.0) }).joined(separator: " ") == text else {
      throw complaint(line, "entries of the form _(reads, float, name) are expected: \(text)")
    }
    for entry in entries {
      let words = entry.1.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
      switch (words.first ?? "", words.count) {
      case ("parameters", 2): kernel.parameters = words[1]
      case ("reads", 3), ("writes", 3), ("workspace", 3):
        kernel.buffers.append(
          KernelDeclaration.Buffer(
            access: words[0] == "reads" ? .reads : words[0] == "writes" ? .writes : .workspace,
            type: words[1], name: words[2], line: line))
      case ("view", 4):
        guard let index = kernel.buffers.firstIndex(where: { $0.name == words[3] }) else {
          throw complaint(line, "there is no buffer \(words[3]) before the view \(words[2])")
        }
        kernel.buffers[index].views.append(.init(type: words[1], name: words[2], line: line))
      case ("shares", 4):
        kernel.shared.append(
          .init(type: words[1], name: words[2], count: words[3], line: line))
      case ("workgroup", 3): kernel.workgroup = Array(words[1...])
      default: throw complaint(line, "no entry of a kernel: \(entry.0)")
      }
    }
  }

  /// The fields of a struct.
  private static func fields(_ body: String) -> [FieldDeclaration] {
    var fields: [FieldDeclaration] = []
    let code = body.split(separator: "\n").map { line in
      line.prefix(upTo: line.firstRange(of: "//")?.lowerBound ?? line.endIndex)
    }
    for statement in code.joined(separator: " ").split(separator: ";") {
      let words = statement.split(whereSeparator: { " ,".contains($0) })
      for word in words.dropFirst() {
        let parts = word.split(whereSeparator: { "[]".contains($0) }).map { String($0) }
        fields.append(
          FieldDeclaration(
            type: String(words[0]), name: parts[0], count: parts.count > 1 ? parts[1] : nil))
      }
    }
    return fields
  }

  /// A struct by its fields; `nil` if they are of several types.
  private static func record(_ fields: [FieldDeclaration]) -> RecordDeclaration? {
    guard let first = fields.first, fields.allSatisfy({ $0.type == first.type }) else {
      return nil
    }
    return RecordDeclaration(type: first.type, fields: fields.map(\.name))
  }
}
