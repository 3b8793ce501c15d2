// SPDX-License-Identifier: Apache-2.0

import COpenCL
import FocalCore
import FocalRendering

/// A driver's description of one of its devices.
struct OpenCLDeviceInfo: Sendable {
  /// A number that stands for a device or a platform as long as the process runs.
  // @unchecked Sendable: the address never changes, and root devices and platforms are never freed.
  struct Identifier: @unchecked Sendable {
    let pointer: OpaquePointer
  }

  let device: Identifier
  let platform: Identifier
  let name: String
  let platformName: String
  let platformVersion: String
  let deviceVersion: String
  let driverVersion: String

  let type: cl_device_type
  let isAvailable: Bool
  let hasCompiler: Bool
  let isLittleEndian: Bool
  /// Whether the device works in the host's memory.
  let isUnified: Bool
  let floatingPoint: cl_device_fp_config
  let computeUnits: Int
  let largestWorkgroup: Int
  let memoryByteCount: Int
  let largestAllocation: Int
  let largestParameters: Int
  /// Bytes that the start of a piece of a buffer must be a multiple of.
  let baseAlignment: Int

  /// What a platform says of itself; nothing where it does not say.
  static func text(
    _ parameter: cl_int, of platform: Identifier, _ library: OpenCLLibrary
  ) -> String {
    query { size, value, needed in
      library.call("clGetPlatformInfo") {
        $0.clGetPlatformInfo(platform.pointer, cl_platform_info(parameter), size, value, needed)
      }
    }
  }

  init(_ device: Identifier, platform: Identifier, library: OpenCLLibrary) {
    self.device = device
    self.platform = platform
    func text(_ parameter: cl_int) -> String {
      query { size, value, needed in
        library.call("clGetDeviceInfo") {
          $0.clGetDeviceInfo(device.pointer, cl_device_info(parameter), size, value, needed)
        }
      }
    }
    /// A number, or 0 where the driver does not say.
    func number<Number: FixedWidthInteger>(_ parameter: cl_int, _: Number.Type) -> Number {
      var value = Number.zero
      let status = library.call("clGetDeviceInfo") {
        $0.clGetDeviceInfo(
          device.pointer, cl_device_info(parameter), MemoryLayout<Number>.size, &value, nil)
      }
      return status == CL_SUCCESS ? value : 0
    }
    name = text(CL_DEVICE_NAME)
    platformName = Self.text(CL_PLATFORM_NAME, of: platform, library)
    platformVersion = Self.text(CL_PLATFORM_VERSION, of: platform, library)
    deviceVersion = text(CL_DEVICE_VERSION)
    driverVersion = text(CL_DRIVER_VERSION)
    type = number(CL_DEVICE_TYPE, cl_device_type.self)
    isAvailable = number(CL_DEVICE_AVAILABLE, cl_bool.self) != 0
    hasCompiler = number(CL_DEVICE_COMPILER_AVAILABLE, cl_bool.self) != 0
    isLittleEndian = number(CL_DEVICE_ENDIAN_LITTLE, cl_bool.self) != 0
    isUnified = number(CL_DEVICE_HOST_UNIFIED_MEMORY, cl_bool.self) != 0
    floatingPoint = number(CL_DEVICE_SINGLE_FP_CONFIG, cl_device_fp_config.self)
    computeUnits = Int(number(CL_DEVICE_MAX_COMPUTE_UNITS, cl_uint.self))
    largestWorkgroup = number(CL_DEVICE_MAX_WORK_GROUP_SIZE, Int.self)
    memoryByteCount = Int(clamping: number(CL_DEVICE_GLOBAL_MEM_SIZE, cl_ulong.self))
    largestAllocation = Int(clamping: number(CL_DEVICE_MAX_MEM_ALLOC_SIZE, cl_ulong.self))
    largestParameters = number(CL_DEVICE_MAX_PARAMETER_SIZE, Int.self)
    baseAlignment = max(Int(number(CL_DEVICE_MEM_BASE_ADDR_ALIGN, cl_uint.self)) / 8, 1)
  }

  var isProcessor: Bool { type & cl_device_type(CL_DEVICE_TYPE_CPU) != 0 }

  var kind: Device.Kind {
    if isProcessor { return .softwareGPU }
    return isUnified ? .integratedGPU : .discreteGPU
  }

  private func hasFloatingPoint(_ capability: cl_int) -> Bool {
    floatingPoint & cl_device_fp_config(capability) != 0
  }

  /// Why the engine cannot run on it; `nil` where it can.
  var obstacle: String? {
    let useful = cl_device_type(
      CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR)
    guard type & useful != 0 else { return "it is neither a processor nor a graphics device" }
    guard isAvailable else { return "its driver says that it is not available" }
    guard Self.version(of: deviceVersion) >= (1, 2) else {
      return "it has \(deviceVersion.isEmpty ? "no version" : deviceVersion), not OpenCL 1.2"
    }
    guard hasCompiler else { return "its driver has no compiler" }
    guard isLittleEndian else { return "its numbers have their highest byte first" }
    guard hasFloatingPoint(CL_FP_ROUND_TO_NEAREST), hasFloatingPoint(CL_FP_INF_NAN) else {
      return "its floats do not round to the nearest or have no infinities"
    }
    let workgroup = Kernel.allCases.map { $0.workgroup.x * $0.workgroup.y * $0.workgroup.z }.max()!
    guard largestWorkgroup >= workgroup else {
      return "its workgroups have at most \(largestWorkgroup) invocations, not \(workgroup)"
    }
    guard largestParameters >= Self.argumentByteCount else {
      return "a kernel's arguments take at most \(largestParameters) bytes"
    }
    return nil
  }

  /// Bytes that a kernel's arguments take at most: eight buffers and the largest parameter struct.
  /// Only devices of the embedded profile have less than 1024.
  private static let argumentByteCount = 8 * 8 + 160

  /// The features that the engine does without.
  var missingFeatures: [String] {
    hasFloatingPoint(CL_FP_DENORM) ? [] : ["denormal floats"]
  }

  /// The version in a text that starts with "OpenCL 1.2"; (0, 0) where there is none.
  static func version(of text: String) -> (Int, Int) {
    let words = text.split(separator: " ")
    guard words.count >= 2, words[0] == "OpenCL" else { return (0, 0) }
    let numbers = words[1].split(separator: ".").map { Int($0) ?? 0 }
    return (numbers.first ?? 0, numbers.count > 1 ? numbers[1] : 0)
  }
}

/// A text that the driver gives in two calls: its size, then its bytes. Empty where it does not.
func query(
  _ get: (_ size: Int, _ value: UnsafeMutableRawPointer?, _ needed: UnsafeMutablePointer<Int>?)
    -> cl_int
) -> String {
  var size = 0
  guard get(0, nil, &size) == CL_SUCCESS, size > 0 else { return "" }
  var bytes = [UInt8](repeating: 0, count: size)
  let status = bytes.withUnsafeMutableBytes { get($0.count, $0.baseAddress, nil) }
  guard status == CL_SUCCESS else { return "" }
  let end = bytes.firstIndex(of: 0) ?? bytes.endIndex
  var text = Substring(String(decoding: bytes[..<end], as: UTF8.self))
  while text.first?.isWhitespace == true { text.removeFirst() }
  while text.last?.isWhitespace == true { text.removeLast() }
  return String(text)
}
