// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Prints a value as one line of JSON, keys sorted.
func printJSON(_ value: some Encodable) throws {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  encoder.nonConformingFloatEncodingStrategy = .convertToString(
    positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
  print(String(decoding: try encoder.encode(value), as: UTF8.self))
}
