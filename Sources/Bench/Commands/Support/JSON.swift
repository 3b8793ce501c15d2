// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Prints a value as one line of JSON.
package func printJSON(_ value: some Encodable) throws { printLine(try jsonLine(value)) }

/// A value as one line of JSON, keys sorted; infinities and not-a-numbers are the texts `inf`, `-inf` and
/// `nan`.
package func jsonLine(_ value: some Encodable) throws -> String {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  encoder.nonConformingFloatEncodingStrategy = .convertToString(
    positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
  return String(decoding: try encoder.encode(value), as: UTF8.self)
}

/// Where results are printed: to standard output, or, where that carries pictures, to standard error.
package enum Results {
  private static let isMoved = Mutex(false)

  /// From now on results go to standard error.
  package static func moveToStandardError() { isMoved.withLock { $0 = true } }

  fileprivate static var areMoved: Bool { isMoved.withLock { $0 } }

  private static let failure = Mutex<Int32?>(nil)
  private static let clearing = Mutex<(@Sendable () -> Void)?>(nil)

  /// Whether the command ends with the reader of its results: one that writes files finishes them, and one that does not
  /// would work for nobody.
  ///
  /// - Parameter clear: does what is to be done before that; `nil` where the command goes on, from now on.
  package static func endWithReader(_ clear: (@Sendable () -> Void)?) {
    clearing.withLock { $0 = clear }
  }

  /// Ends the command if it is one that ends with its reader.
  fileprivate static func readerHasLeft() {
    guard let clear = clearing.withLock({ $0 }) else { return }
    clear()
    endByClosedPipe()
  }

  /// Brings what was printed to where it goes; the error number of the first attempt that failed.
  @discardableResult static func flush() -> Int32? {
    let outcome = fflush(nil) == 0 ? nil : errno
    return failure.withLock { failure in
      failure = failure ?? outcome
      return failure
    }
  }
}

/// Prints a line of a result at once: in a pipe, the standard library would keep it until there are many.
package func printLine(_ text: String) { printResult(text, terminator: "\n") }

/// Prints a part of a line, which ``printLine(_:)`` ends.
package func printPart(_ text: String) { printResult(text, terminator: "") }

private func printResult(_ text: String, terminator: String) {
  let text = printable(text)
  guard !Results.areMoved else { return writeToStandardError(text + terminator) }
  print(text, terminator: terminator)
  if Results.flush() == EPIPE { Results.readerHasLeft() }
}
