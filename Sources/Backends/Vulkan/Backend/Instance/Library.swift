// SPDX-License-Identifier: Apache-2.0

import CVulkan
import FocalCore
import FocalRendering

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Stands between the backend and the driver: called with the name of each function that can fail,
/// it lets the call through with `nil` or fails it with a result of its own. For tests of faults.
typealias CallHook = @Sendable (_ function: StaticString) -> VkResult?

/// How the backend meets the machine; all but the defaults are for tests.
struct VulkanOptions: Sendable {
  /// The loader's names, tried in this order.
  var libraryNames = Library.names
  /// Whether the validation layer watches every call; its complaints go to ``ValidationLog``.
  var validates = getenv("FOCAL_VULKAN_VALIDATION").map { String(cString: $0) == "1" } ?? false
  var hook: CallHook?
  /// Functions that the backend does without though devices have them.
  var avoided: Set<Feature> = []

  /// Where compiled pipelines are kept; `nil` for nowhere.
  var cacheFolder: String? = CacheFolder.path

  /// Whether copies are submissions of their own also where no queue only copies: then they go to the
  /// kernels' queue, in order.
  var splitsTransfers = false

  /// Most work of a job.
  var largestJob = DeviceJobs.largest
  /// Most bytes of the pictures that a submission works on at once, in one buffer: every device allocates as
  /// much in a piece.
  var largestStage = 1 << 30

  enum Feature: Sendable {
    case timelineSemaphores
    case transferQueues
    /// Memory that both the host and the device reach directly.
    case unifiedMemory
    /// Loads from buffers by texels, where the driver computes on the processor.
    case texelFetches
  }
}

/// The Vulkan loader, opened while the program runs: a program that is linked to it does not start on
/// a machine without.
// @unchecked Sendable: addresses of code, never changed.
struct Library: @unchecked Sendable {
  #if os(macOS)
    static let names = ["libvulkan.1.dylib", "libvulkan.dylib", "libMoltenVK.dylib"]
  #else
    static let names = ["libvulkan.so.1", "libvulkan.so"]
  #endif

  private let getInstanceProcAddr: PFN_vkGetInstanceProcAddr

  /// - Throws: `unsupported` when there is no loader.
  init(_ names: [String] = Library.names) throws(CinematicError) {
    // Never closed: drivers leave handlers behind that run at exit.
    guard let library = names.lazy.compactMap({ dlopen($0, RTLD_NOW | RTLD_LOCAL) }).first,
      let symbol = dlsym(library, "vkGetInstanceProcAddr")
    else {
      throw CinematicError(
        .unsupported,
        "there is no Vulkan loader (\(names.joined(separator: ", "))) on this machine",
        remedy: "install libvulkan1 and the graphics driver")
    }
    getInstanceProcAddr = unsafeBitCast(symbol, to: PFN_vkGetInstanceProcAddr.self)
  }

  /// The address of a function; `Function` is its `PFN_` type.
  ///
  /// - Throws: `unsupported` when the loader or driver has none of that name.
  func load<Function>(
    _ name: String, _ instance: Handle<Vulkan.Instance>? = nil,
    as type: Function.Type = Function.self
  ) throws(CinematicError) -> Function {
    guard let function = getInstanceProcAddr(instance?.pointer, name) else {
      throw missingFunction(name)
    }
    return unsafeBitCast(function, to: type)
  }
}

func missingFunction(_ name: String) -> CinematicError {
  CinematicError(
    .unsupported, "the Vulkan driver lacks the function \(name)", remedy: "update the driver")
}
