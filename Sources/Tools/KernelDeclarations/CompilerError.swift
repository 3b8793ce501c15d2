// SPDX-License-Identifier: Apache-2.0

/// Why a kernel cannot be made; one complaint a line, each with file and line where it has one.
package struct CompilerError: Error, CustomStringConvertible {
  package var description: String
  package init(_ description: String) { self.description = description }
}
