// SPDX-License-Identifier: Apache-2.0

import CVulkan
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The validation layer's complaints, for the tests.
enum ValidationLog {
  static let layer = "VK_LAYER_KHRONOS_validation"

  private static let complaints = Mutex<[String]>([])

  /// All complaints so far, oldest first.
  static var messages: [String] { complaints.withLock { $0 } }

  fileprivate static func add(_ message: String) {
    complaints.withLock { $0.append(message) }
    _ = "\(message)\n".withCString { write(STDERR_FILENO, $0, strlen($0)) }
  }

  /// Appends to an instance's structures what makes the layer report here, with its checks of
  /// synchronisation on.
  static func connect(to chain: StructureChain) {
    var messenger = VkDebugUtilsMessengerCreateInfoEXT()
    messenger.messageSeverity =
      VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT.rawValue
      | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT.rawValue
    messenger.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT.rawValue
    messenger.pfnUserCallback = { _, _, data, _ in
      if let message = data?.pointee.pMessage { ValidationLog.add(String(cString: message)) }
      return VkBool32(VK_FALSE)
    }
    chain.append(messenger, VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT)
  }

  /// Makes the instance report for as long as it lives, not only while it is made and destroyed.
  ///
  /// - Returns: what ends the reports, to be called before the instance is destroyed.
  static func makeMessenger(
    _ library: Library, _ instance: Handle<Vulkan.Instance>
  ) -> @Sendable () -> Void {
    let create: PFN_vkCreateDebugUtilsMessengerEXT? = try? library.load(
      "vkCreateDebugUtilsMessengerEXT", instance)
    let chain = StructureChain()
    defer { withExtendedLifetime(chain) {} }
    connect(to: chain)
    let info = chain.first?.assumingMemoryBound(to: VkDebugUtilsMessengerCreateInfoEXT.self)
    var messenger: OpaquePointer?
    guard let create, create(instance.pointer, info, nil, &messenger) == VK_SUCCESS,
      let messenger
    else { return {} }
    let handle = Handle<Vulkan.Messenger>(messenger)
    return {
      let destroy: PFN_vkDestroyDebugUtilsMessengerEXT? = try? library.load(
        "vkDestroyDebugUtilsMessengerEXT", instance)
      destroy?(instance.pointer, handle.pointer, nil)
    }
  }
}
