// SPDX-License-Identifier: Apache-2.0

import CVulkan
import FocalCore

/// A connection to the Vulkan loader and its drivers.
final class VulkanInstance: Sendable {
  let library: Library
  let handle: Handle<Vulkan.Instance>
  let functions: InstanceFunctions
  let options: VulkanOptions
  /// Whether ``VulkanOptions/validates`` could be followed.
  let isValidating: Bool
  private let removeMessenger: @Sendable () -> Void
  /// Whether the instance is a caller's, which destroys it.
  private let isBorrowed: Bool

  /// - Throws: `unsupported` where there is no loader, or one older than Vulkan 1.1;
  ///   `outOfMemory`.
  init(_ options: VulkanOptions) throws(CinematicError) {
    let library = try Library(options.libraryNames)
    try Self.checkVersion(of: library, options)
    let extensions = try Self.extensions(of: library, layer: nil, options)
    let isValidating = options.validates && Self.hasValidationLayer(library)
    self.isValidating = isValidating

    var enabled: [String] = []
    var info = VkInstanceCreateInfo()
    let portability = VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME
    if extensions.contains(portability) {
      enabled.append(portability)
      info.flags = VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR.rawValue
    }
    let chain = StructureChain()
    defer { withExtendedLifetime(chain) {} }
    let checks = [VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT]
    if isValidating {
      enabled += [VK_EXT_DEBUG_UTILS_EXTENSION_NAME, VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME]
      ValidationLog.connect(to: chain)
    }

    var instance: VkInstance?
    let create: PFN_vkCreateInstance = try library.load("vkCreateInstance")
    let layers = isValidating ? [ValidationLog.layer] : []
    let result = checks.withUnsafeBufferPointer { checks in
      if isValidating {
        var features = VkValidationFeaturesEXT()
        features.enabledValidationFeatureCount = 1
        features.pEnabledValidationFeatures = checks.baseAddress
        chain.append(features, VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT)
      }
      return "focal".withCString { name in
        var application = VkApplicationInfo()
        application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO
        application.pApplicationName = name
        application.pEngineName = name
        // The newest that is used, whatever the loader's own: a device's version counts only up to it.
        application.apiVersion = Version.v1_2
        return withUnsafePointer(to: application) { application in
          withCStrings(enabled) { enabledNames in
            withCStrings(layers) { layerNames in
              info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO
              info.pNext = UnsafeRawPointer(chain.first)
              info.pApplicationInfo = application
              info.enabledExtensionCount = UInt32(enabled.count)
              info.ppEnabledExtensionNames = enabledNames
              info.enabledLayerCount = UInt32(layers.count)
              info.ppEnabledLayerNames = layerNames
              return options.call("vkCreateInstance") { create(&info, nil, &instance) }
            }
          }
        }
      }
    }
    guard result == VK_SUCCESS, let instance else {
      throw result.error("vkCreateInstance", on: "the Vulkan loader")
    }
    let handle = Handle<Vulkan.Instance>(instance)
    let functions: InstanceFunctions
    do throws(CinematicError) {
      functions = try InstanceFunctions(library, handle)
    } catch {
      // A loader that lacks a function of Vulkan 1.1 may lack this one as well: then it leaks.
      let destroy: PFN_vkDestroyInstance? = try? library.load("vkDestroyInstance", handle)
      destroy?(instance, nil)
      throw error
    }
    isBorrowed = false
    self.library = library
    self.options = options
    self.handle = handle
    self.functions = functions
    if isValidating {
      removeMessenger = ValidationLog.makeMessenger(library, handle)
    } else {
      removeMessenger = {}
    }
  }

  /// An instance of a caller's.
  ///
  /// - Throws: `unsupported` if there is no loader, or the instance is older than Vulkan 1.1.
  init(
    borrowing handle: Handle<Vulkan.Instance>, _ options: VulkanOptions
  ) throws(CinematicError) {
    library = try Library(options.libraryNames)
    functions = try InstanceFunctions(library, handle)
    self.handle = handle
    self.options = options
    isValidating = false
    removeMessenger = {}
    isBorrowed = true
    ProgramEnd.watch()
  }

  deinit {
    guard !isBorrowed else { return }
    ProgramEnd.destroy {
      removeMessenger()
      functions.destroyInstance(handle.pointer, nil)
    }
  }

  /// All physical devices that the drivers list, in the loader's order.
  func physicalDevices() throws(CinematicError) -> [Handle<Vulkan.PhysicalDevice>] {
    var count: UInt32 = 0
    var devices: [VkPhysicalDevice?] = []
    var result = VK_INCOMPLETE
    // The number may change between the two calls.
    while result == VK_INCOMPLETE {
      result = options.call("vkEnumeratePhysicalDevices") {
        functions.enumeratePhysicalDevices(handle.pointer, &count, nil)
      }
      guard result == VK_SUCCESS else { break }
      devices = Array(repeating: nil, count: Int(count))
      result = options.call("vkEnumeratePhysicalDevices") {
        functions.enumeratePhysicalDevices(handle.pointer, &count, &devices)
      }
    }
    guard result == VK_SUCCESS else {
      throw result.error("vkEnumeratePhysicalDevices", on: "the Vulkan loader")
    }
    ProgramEnd.watch()
    return devices.prefix(Int(count)).compactMap { $0.map { Handle($0) } }
  }

  private static func checkVersion(
    of library: Library, _ options: VulkanOptions
  ) throws(CinematicError) {
    // Vulkan 1.0 has no such function.
    let enumerate: PFN_vkEnumerateInstanceVersion? = try? library.load("vkEnumerateInstanceVersion")
    var version = Version.v1_0
    if let enumerate {
      let result = options.call("vkEnumerateInstanceVersion") { enumerate(&version) }
      guard result == VK_SUCCESS else {
        throw result.error("vkEnumerateInstanceVersion", on: "the Vulkan loader")
      }
    }
    guard version >= Version.v1_1 else {
      throw CinematicError(
        .unsupported, "the Vulkan loader has version \(Version.text(version))",
        remedy: "install one of 1.1 or later")
    }
  }

  private static func extensions(
    of library: Library, layer: String?, _ options: VulkanOptions
  ) throws(CinematicError) -> Set<String> {
    let enumerate: PFN_vkEnumerateInstanceExtensionProperties = try library.load(
      "vkEnumerateInstanceExtensionProperties")
    var count: UInt32 = 0
    var result = options.call("vkEnumerateInstanceExtensionProperties") {
      enumerate(layer, &count, nil)
    }
    var properties = Array(repeating: VkExtensionProperties(), count: Int(count))
    if result == VK_SUCCESS {
      result = options.call("vkEnumerateInstanceExtensionProperties") {
        enumerate(layer, &count, &properties)
      }
    }
    guard result == VK_SUCCESS || result == VK_INCOMPLETE else {
      throw result.error("vkEnumerateInstanceExtensionProperties", on: "the Vulkan loader")
    }
    return Set(properties.prefix(Int(count)).map { text($0.extensionName) })
  }

  private static func hasValidationLayer(_ library: Library) -> Bool {
    guard
      let enumerate: PFN_vkEnumerateInstanceLayerProperties = try? library.load(
        "vkEnumerateInstanceLayerProperties")
    else { return false }
    var count: UInt32 = 0
    guard enumerate(&count, nil) == VK_SUCCESS else { return false }
    var layers = Array(repeating: VkLayerProperties(), count: Int(count))
    guard enumerate(&count, &layers) == VK_SUCCESS else { return false }
    return layers.contains { text($0.layerName) == ValidationLog.layer }
  }
}

extension VulkanOptions {
  /// Calls a function of the driver, or fails in its place where a test demands it.
  func call(_ function: StaticString, _ body: () -> VkResult) -> VkResult {
    hook?(function) ?? body()
  }
}

/// Vulkan's packed version numbers.
enum Version {
  static let v1_0: UInt32 = 1 << 22
  static let v1_1: UInt32 = 1 << 22 | 1 << 12
  static let v1_2: UInt32 = 1 << 22 | 2 << 12

  static func text(_ version: UInt32) -> String {
    "\(version >> 22 & 0x7F).\(version >> 12 & 0x3FF).\(version & 0xFFF)"
  }
}
