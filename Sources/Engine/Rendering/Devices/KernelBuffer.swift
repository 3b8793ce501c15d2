// SPDX-License-Identifier: Apache-2.0

/// One of a kernel's buffers, as its declaration has it.
package struct KernelBuffer: Sendable {
  /// The kind of its bytes.
  package enum Element: Sendable {
    case float
    case byte
    case integer
  }

  package enum Access: Sendable {
    case reads
    case writes
    /// Room to work in, whose contents mean nothing before and after.
    case workspace
  }

  package let name: String
  package let element: Element
  package let access: Access
  /// Elements of one record, and those among them that no kernel reads.
  package let recordLength: Int
  package let unused: Set<Int>

  init(
    _ name: String, _ element: Element, _ access: Access, recordLength: Int = 1,
    unused: Set<Int> = []
  ) {
    self.name = name
    self.element = element
    self.access = access
    self.recordLength = recordLength
    self.unused = unused
  }
}

extension Kernel {
  /// Which devices run a kernel.
  package enum Role: Sendable {
    /// Every device.
    case common
    /// Processors, which do a tile from end to end while it is in their cache.
    case fused
    /// Graphics devices, in place of a fused kernel.
    case part
  }

  package var name: String { rawValue }
}

/// The arguments of a kernel: each has a type with named buffers, made from its declaration.
protocol KernelArguments {
  /// The parameter struct.
  associatedtype Parameters: BitwiseCopyable
  static var kernel: Kernel { get }
  /// In the order of the bindings.
  var list: [PassList.Argument] { get }
}
