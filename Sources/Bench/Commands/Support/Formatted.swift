// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Numbers as C's `printf` writes them. Foundation has the like, but brings tens of megabytes of
/// languages with it, which the portable program has no use for.
func formatted(_ format: String, _ values: Double...) -> String {
  withVaList(values) { list in
    var bytes = [CChar](repeating: 0, count: 512)
    let count = vsnprintf(&bytes, bytes.count, format, list)
    return String(
      decoding: bytes.prefix(Int(max(0, count))).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

/// A word followed by spaces up to a column's width.
package func padded(_ word: String, _ width: Int) -> String {
  word + String(repeating: " ", count: max(0, width - word.count))
}
