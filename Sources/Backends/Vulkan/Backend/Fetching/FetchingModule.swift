// SPDX-License-Identifier: Apache-2.0

import CVulkan

/// A kernel's module that reads buffers by texel fetches, and the views that it needs for that.
///
/// Some drivers that compute on the processor load from storage buffers lane by lane: with Mesa's, four floats for eight lanes
/// are 32 loads with a branch each. A texel is gathered for all lanes without one. The bits are the same.
struct FetchingModule: Sendable {
  var words: [UInt32]
  var fetches: [Fetch]

  /// A buffer that is fetched.
  struct Fetch: Sendable {
    var binding: Int
    var element: Element
  }

  /// `module` with every buffer fetched that is only read, has a binding to itself, and is read by numbers of
  /// 8, 16 or 32 bits or by vectors of four floats. Structs of 32-bit numbers are fetched word by word. A view lies
  /// ``KernelBindings/texels`` bindings behind its buffer.
  ///
  /// - Parameter module: of a version before SPIR-V 1.4, whose entry points do not list buffers, and without names, as the
  ///   build makes it. Others are returned as they are.
  init(_ module: [UInt32]) {
    guard module.count > 5, module[1] <= 0x0001_0300 else {
      (words, fetches) = (module, [])
      return
    }
    let code = ModuleCode(module)
    let fetched = code.fetchedBuffers()
    fetches = fetched.values.map { Fetch(binding: $0.binding, element: $0.element) }
      .sorted { $0.binding < $1.binding }
    guard !fetched.isEmpty else {
      words = module
      return
    }
    var writer = FetchWriter(code, fetched)
    words = writer.write()
  }

  /// The content of a texel.
  enum Element: Hashable {
    case byte, halfWord, unsigned, signed, float, vector
    /// One of the 32-bit numbers of a struct.
    case structure

    var format: VkFormat {
      switch self {
      case .byte: VK_FORMAT_R8_UINT
      case .halfWord: VK_FORMAT_R16_UINT
      case .unsigned, .signed, .structure: VK_FORMAT_R32_UINT
      case .float: VK_FORMAT_R32_SFLOAT
      case .vector: VK_FORMAT_R32G32B32A32_SFLOAT
      }
    }

    var byteCount: Int {
      switch self {
      case .byte: 1
      case .halfWord: 2
      case .unsigned, .signed, .structure, .float: 4
      case .vector: 16
      }
    }

    var isFloat: Bool { self == .float || self == .vector }
  }
}
