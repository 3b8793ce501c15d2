// SPDX-License-Identifier: Apache-2.0

import CVulkan

/// Vulkan structures linked through their `pNext`, alive as long as the chain: a function that
/// hands out
/// ``first`` keeps the chain to the end of its scope.
final class StructureChain {
  private var last: UnsafeMutableRawPointer?
  private var release: [() -> Void] = []
  /// The first structure; `nil` for an empty chain.
  private(set) var first: UnsafeMutableRawPointer?

  deinit { for release in release { release() } }

  /// Appends a structure with its type set; returns where it lies.
  @discardableResult
  func append<Structure: BitwiseCopyable>(
    _ structure: Structure, _ type: VkStructureType
  ) -> UnsafeMutablePointer<Structure> {
    let pointer = UnsafeMutablePointer<Structure>.allocate(capacity: 1)
    pointer.initialize(to: structure)
    release.append { pointer.deallocate() }
    let base = UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: VkBaseOutStructure.self)
    base.pointee.sType = type
    base.pointee.pNext = nil
    if let last {
      last.assumingMemoryBound(to: VkBaseOutStructure.self).pointee.pNext = base
    } else {
      first = UnsafeMutableRawPointer(pointer)
    }
    last = UnsafeMutableRawPointer(pointer)
    return pointer
  }
}

/// The text in a fixed array of characters, as C structures hold names.
func text<Characters>(_ characters: Characters) -> String {
  withUnsafeBytes(of: characters) { bytes in
    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }
}

/// Calls `body` with C strings that live until it returns.
func withCStrings<Result>(
  _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
) -> Result {
  let copies = strings.map { string in
    let utf8 = Array(string.utf8CString)
    let copy = UnsafeMutablePointer<CChar>.allocate(capacity: utf8.count)
    copy.initialize(from: utf8, count: utf8.count)
    return copy
  }
  defer { for copy in copies { copy.deallocate() } }
  let pointers = copies.map { UnsafePointer<CChar>?($0) } + [nil]
  return pointers.withUnsafeBufferPointer { buffer in
    guard let base = buffer.baseAddress else { preconditionFailure("the list ends with a null") }
    return body(base)
  }
}
