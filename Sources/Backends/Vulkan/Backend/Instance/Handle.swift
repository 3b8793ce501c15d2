// SPDX-License-Identifier: Apache-2.0

import CVulkan

/// A Vulkan object. The kind keeps a buffer from being passed for a semaphore: to the compiler every
/// handle is the same opaque pointer.
// @unchecked Sendable: the pointer is a name that is only compared and passed on; the calls that it
// is passed to follow Vulkan's rules of external synchronisation.
struct Handle<Kind>: @unchecked Sendable, Hashable {
  let pointer: OpaquePointer

  init(_ pointer: OpaquePointer) { self.pointer = pointer }
}

/// The kinds of Vulkan objects.
enum Vulkan {
  enum Instance {}
  enum Messenger {}
  enum PhysicalDevice {}
  enum Device {}
  enum Queue {}
  enum Buffer {}
  enum BufferView {}
  enum Memory {}
  enum CommandPool {}
  enum CommandBuffer {}
  enum DescriptorSetLayout {}
  enum DescriptorPool {}
  enum DescriptorSet {}
  enum PipelineLayout {}
  enum PipelineCache {}
  enum Pipeline {}
  enum Semaphore {}
  enum Fence {}
  enum QueryPool {}
}
