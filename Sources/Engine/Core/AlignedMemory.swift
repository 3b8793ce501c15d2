// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Memory on a boundary of 64 bytes or more, or `nil` where there is none; freed with `deallocate()`.
///
/// `UnsafeMutableRawPointer.allocate` traps when memory runs out; a renderer must not.
///
/// - Parameters:
///   - alignment: a power of two, at least 64.
///   - zeroed: whether the bytes are zero. Where they are not, pages that are never touched cost
///     nothing.
package func allocateAligned(
  byteCount: Int, alignment: Int = 64, zeroed: Bool
) -> UnsafeMutableRawPointer? {
  var pointer: UnsafeMutableRawPointer?
  guard byteCount >= 0, posix_memalign(&pointer, alignment, max(byteCount, alignment)) == 0,
    let pointer
  else { return nil }
  if zeroed { memset(pointer, 0, byteCount) }
  return pointer
}
