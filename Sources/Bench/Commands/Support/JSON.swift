// SPDX-License-Identifier: Apache-2.0

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

/// Prints a value as one line of JSON, keys sorted; infinities and not-a-numbers are the texts
/// `inf`, `-inf` and `nan`.
package func printJSON(_ value: some Encodable) throws {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  encoder.nonConformingFloatEncodingStrategy = .convertToString(
    positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
  printLine(String(decoding: try encoder.encode(value), as: UTF8.self))
}

/// Prints a line at once: in a pipe, the standard library would keep it until there are many.
package func printLine(_ text: String) {
  print(text)
  fflush(nil)
}
