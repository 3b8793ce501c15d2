// SPDX-License-Identifier: Apache-2.0

import CVulkan
import FocalCore

extension VkResult {
  /// The name that the specification gives an error.
  var name: String {
    switch self {
    case VK_ERROR_OUT_OF_HOST_MEMORY: "VK_ERROR_OUT_OF_HOST_MEMORY"
    case VK_ERROR_OUT_OF_DEVICE_MEMORY: "VK_ERROR_OUT_OF_DEVICE_MEMORY"
    case VK_ERROR_INITIALIZATION_FAILED: "VK_ERROR_INITIALIZATION_FAILED"
    case VK_ERROR_DEVICE_LOST: "VK_ERROR_DEVICE_LOST"
    case VK_ERROR_MEMORY_MAP_FAILED: "VK_ERROR_MEMORY_MAP_FAILED"
    case VK_ERROR_LAYER_NOT_PRESENT: "VK_ERROR_LAYER_NOT_PRESENT"
    case VK_ERROR_EXTENSION_NOT_PRESENT: "VK_ERROR_EXTENSION_NOT_PRESENT"
    case VK_ERROR_FEATURE_NOT_PRESENT: "VK_ERROR_FEATURE_NOT_PRESENT"
    case VK_ERROR_INCOMPATIBLE_DRIVER: "VK_ERROR_INCOMPATIBLE_DRIVER"
    case VK_ERROR_TOO_MANY_OBJECTS: "VK_ERROR_TOO_MANY_OBJECTS"
    case VK_ERROR_FRAGMENTED_POOL: "VK_ERROR_FRAGMENTED_POOL"
    case VK_ERROR_OUT_OF_POOL_MEMORY: "VK_ERROR_OUT_OF_POOL_MEMORY"
    case VK_ERROR_INVALID_EXTERNAL_HANDLE: "VK_ERROR_INVALID_EXTERNAL_HANDLE"
    case VK_ERROR_FRAGMENTATION: "VK_ERROR_FRAGMENTATION"
    case VK_ERROR_UNKNOWN: "VK_ERROR_UNKNOWN"
    default: "error \(rawValue)"
    }
  }

  /// The kind of failure. A result that no call should have had leaves the device in an
  /// unknown state: lost.
  var code: CinematicError.Code {
    switch self {
    case VK_ERROR_OUT_OF_HOST_MEMORY, VK_ERROR_OUT_OF_DEVICE_MEMORY, VK_ERROR_MEMORY_MAP_FAILED,
      VK_ERROR_TOO_MANY_OBJECTS, VK_ERROR_FRAGMENTED_POOL, VK_ERROR_OUT_OF_POOL_MEMORY,
      VK_ERROR_FRAGMENTATION:
      .outOfMemory
    case VK_ERROR_INITIALIZATION_FAILED, VK_ERROR_LAYER_NOT_PRESENT,
      VK_ERROR_EXTENSION_NOT_PRESENT, VK_ERROR_FEATURE_NOT_PRESENT, VK_ERROR_INCOMPATIBLE_DRIVER:
      .unsupported
    default: .deviceLost
    }
  }

  /// The failure of `function` on `device`.
  func error(_ function: StaticString, on device: String) -> CinematicError {
    switch code {
    case .outOfMemory:
      CinematicError(
        .outOfMemory, "\(device) has no memory left: \(function) gave \(name)",
        remedy: "render at a smaller size, or close what else uses the device")
    case .unsupported:
      CinematicError(
        .unsupported, "\(device) cannot be used: \(function) gave \(name)",
        remedy: self == VK_ERROR_INCOMPATIBLE_DRIVER
          ? """
          install the graphics driver and what it loads (NVIDIA's: the loaders of EGL and OpenGL), \
          or use another device
          """
          : "update its driver, or use another device")
    default:
      CinematicError(
        .deviceLost, "\(device) stopped answering: \(function) gave \(name)",
        remedy: "make the device and the session again, or use another device")
    }
  }
}
