// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The facts that decide how this machine's drivers behave, as one short text: it changes when a driver
/// is installed, updated or taken away, when the environment chooses others, and with the program.
enum DriverFingerprint {
  private static let folders = [
    "/etc/vulkan/icd.d", "/usr/share/vulkan/icd.d", "/usr/local/share/vulkan/icd.d",
    "/etc/vulkan/implicit_layer.d", "/usr/share/vulkan/implicit_layer.d", "/etc/OpenCL/vendors",
    "/dev/dri", "/usr/lib/x86_64-linux-gnu/pocl", "/usr/local/nvidia/share/vulkan/icd.d",
  ]
  private static let files = [
    "/proc/driver/nvidia/version", "/etc/ld.so.cache", "/dev/nvidia0", "/dev/nvidiactl", "/dev/kfd",
  ]
  private static let variables = [
    "VK_DRIVER_FILES", "VK_ICD_FILENAMES", "VK_ADD_DRIVER_FILES", "VK_INSTANCE_LAYERS",
    "OCL_ICD_VENDORS", "OCL_ICD_FILENAMES", "OPENCL_VENDOR_PATH", "LD_LIBRARY_PATH",
    "LD_PRELOAD", "XDG_DATA_DIRS", "XDG_DATA_HOME", "CUDA_VISIBLE_DEVICES", "POCL_DEVICES",
    "VK_LOADER_DRIVERS_SELECT", "VK_LOADER_DRIVERS_DISABLE", "MESA_VK_DEVICE_SELECT",
    "ROCR_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL", "ZE_AFFINITY_MASK",
  ]

  static func make(executable: String) -> String {
    // A library may come with a program whose file stays as it was.
    var parts = [stamp(executable), "check=\(SelfCheck.version)"]
    for folder in folders {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      parts += names.sorted().map { stamp("\(folder)/\($0)") }
    }
    parts += files.map(stamp)
    let environment = ProcessInfo.processInfo.environment
    parts += variables.map { "\($0)=\(environment[$0] ?? "")" }
    // A driver that lacks threads or descriptors fails; elsewhere that says nothing.
    parts.append("isScarce=\(isScarce)")
    return hash(parts.joined(separator: "\n"))
  }

  /// Whether limits of the process leave drivers less than they usually need.
  private static var isScarce: Bool {
    #if os(Linux)
      isBelow(64, RLIMIT_NOFILE.rawValue) || isBelow(64, __RLIMIT_NPROC.rawValue)
        || isBelow(2 << 30, RLIMIT_AS.rawValue)
    #else
      false
    #endif
  }

  #if os(Linux)
    private static func isBelow(_ least: UInt64, _ kind: UInt32) -> Bool {
      var limit = rlimit()
      return getrlimit(.init(kind), &limit) == 0 && limit.rlim_cur < least
    }
  #endif

  /// A file's path, size and time of change; of what is not a regular file, the path alone.
  private static func stamp(_ path: String) -> String {
    var status = stat()
    guard stat(path, &status) == 0 else { return "\(path) -" }
    guard status.st_mode & S_IFMT == S_IFREG, !path.hasPrefix("/proc") else {
      let text =
        path.hasPrefix("/proc") ? (try? String(contentsOfFile: path, encoding: .utf8)) : nil
      return "\(path) \(text ?? "")"
    }
    return "\(path) \(status.st_size) \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
  }

  /// FNV-1a of 64 bits, as 16 hexadecimal digits.
  static func hash(_ text: String) -> String {
    var value: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in text.utf8 { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
