// SPDX-License-Identifier: Apache-2.0

import COpenCL
import FocalCore
import FocalRendering

/// The devices of all OpenCL drivers of the machine, and what cannot be used.
func listOpenCLDevices(
  library names: [String] = OpenCLLibrary.names,
  interceptor: OpenCLLibrary.Interceptor? = nil, options: OpenCLBackend.Options
) -> DeviceListing {
  let library: OpenCLLibrary
  do throws(CinematicError) {
    library = try OpenCLLibrary(names: names, interceptor: interceptor)
  } catch {
    return DeviceListing(skipped: [SkippedDevice(name: "OpenCL", reason: error.description)])
  }
  var listing = DeviceListing()
  func skip(_ name: String, _ reason: String) {
    listing.skipped.append(SkippedDevice(name: name, reason: reason))
  }

  let (platforms, status) = identifiers { count, list, found in
    library.call("clGetPlatformIDs") { $0.clGetPlatformIDs(count, list, found) }
  }
  if platforms.isEmpty {
    let failed = status != CL_SUCCESS && status != -1001
    skip(
      "OpenCL",
      failed
        ? "the loader cannot list its drivers (\(openCLName(ofStatus: status)))"
        : "no driver is installed; install the device's (pocl-opencl-icd for the processor)")
  }
  for (index, platform) in platforms.enumerated() {
    let (devices, status) = identifiers { count, list, found in
      library.call("clGetDeviceIDs") {
        $0.clGetDeviceIDs(platform.pointer, cl_device_type(CL_DEVICE_TYPE_ALL), count, list, found)
      }
    }
    if devices.isEmpty {
      let name = OpenCLDeviceInfo.text(CL_PLATFORM_NAME, of: platform, library)
      skip(
        name.isEmpty ? "OpenCL platform \(index)" : name,
        status == CL_SUCCESS || status == CL_DEVICE_NOT_FOUND
          ? "it lists no device; PoCL needs a folder that it may write, HOME or POCL_CACHE_DIR, and Rusticl RUSTICL_ENABLE"
          : "it cannot list its devices (\(openCLName(ofStatus: status)))")
    }
    for device in devices {
      let info = OpenCLDeviceInfo(device, platform: platform, library: library)
      if let obstacle = info.obstacle {
        skip(info.name.isEmpty ? "a device of OpenCL platform \(index)" : info.name, obstacle)
        continue
      }
      let connection = OpenCLConnection(
        library: library, info: info, identifier: "opencl:\(listing.devices.count)",
        longestWait: options.longestWait)
      listing.devices.append(Device(backend: OpenCLBackend(connection, options: options)))
    }
  }
  return listing
}

/// Platforms or devices, which OpenCL gives in two calls: how many, then which.
private func identifiers(
  _ get: (
    _ count: cl_uint, _ list: UnsafeMutablePointer<OpaquePointer?>?,
    _ found: UnsafeMutablePointer<cl_uint>?
  ) -> cl_int
) -> ([OpenCLDeviceInfo.Identifier], cl_int) {
  var count = cl_uint(0)
  var status = get(0, nil, &count)
  guard status == CL_SUCCESS, count > 0 else { return ([], status) }
  var list = [OpaquePointer?](repeating: nil, count: Int(count))
  status = get(count, &list, nil)
  guard status == CL_SUCCESS else { return ([], status) }
  return (list.compactMap { $0.map(OpenCLDeviceInfo.Identifier.init) }, status)
}
