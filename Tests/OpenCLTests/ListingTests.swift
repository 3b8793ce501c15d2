// SPDX-License-Identifier: Apache-2.0

import COpenCL
import FocalCore
import FocalRendering
import Testing

@testable import FocalOpenCL

@Suite struct ListingTests {
  private static let options = OpenCLBackend.Options(sources: { _ in nil }, cacheFolder: nil)

  @Test func withoutALoaderTheListSaysSo() throws {
    let listing = listOpenCLDevices(
      library: ["libNoSuchOpenCL.so.1", "libNoSuchOpenCL.so"], options: Self.options)
    #expect(listing.devices.isEmpty)
    let skipped = try #require(listing.skipped.first)
    #expect(skipped.reason.contains("libNoSuchOpenCL.so.1"))
    #expect(skipped.reason.contains("install"))
  }

  @Test func aLibraryThatIsNotOpenCLSaysWhatItLacks() throws {
    let listing = listOpenCLDevices(library: ["libc.so.6"], options: Self.options)
    #expect(listing.devices.isEmpty)
    #expect(listing.skipped.first?.reason.contains("clGetPlatformIDs") == true)
  }

  @Test(.enabled(if: Machine.isEquipped, Machine.reason))
  func aDeviceSaysWhatItIs() throws {
    let listing = listOpenCLDevices(options: Self.options)
    for (index, device) in listing.devices.enumerated() {
      #expect(device.identifier == "opencl:\(index)")
      #expect(!device.name.isEmpty)
      #expect(!device.driver.isEmpty)
      #expect(device.kind != .cpu)
      #expect(device.backend.largestBindingByteCount >= 128 << 20)
      #expect(device.backend.tilesAtOnce >= 1)
    }
    #expect(Set(listing.devices.map(\.identifier)).count == listing.devices.count)
  }

  /// Drivers that refuse a question: whatever it is, the list is made and nothing traps.
  @Test(
    .enabled(if: Machine.isEquipped, Machine.reason),
    arguments: [
      "clGetPlatformIDs", "clGetPlatformInfo", "clGetDeviceIDs", "clGetDeviceInfo",
    ])
  func aDriverThatDoesNotAnswerIsSkippedWithAReason(function: String) throws {
    let listing = listOpenCLDevices(
      interceptor: { "\($0)" == function ? CL_INVALID_VALUE : $1() }, options: Self.options)
    if function == "clGetPlatformInfo" {
      #expect(!listing.devices.isEmpty, "a platform without a name is one all the same")
    } else {
      #expect(listing.devices.isEmpty)
      #expect(listing.skipped.allSatisfy { !$0.reason.isEmpty })
      #expect(!listing.skipped.isEmpty)
    }
  }

  @Test(.enabled(if: Machine.isEquipped, Machine.reason))
  func aLoaderWithoutDriversSaysSo() throws {
    let listing = listOpenCLDevices(
      interceptor: { "\($0)" == "clGetPlatformIDs" ? -1001 : $1() }, options: Self.options)
    #expect(listing.skipped.first?.reason.contains("no driver") == true)
  }

  /// As PoCL where it may write nowhere.
  @Test(.enabled(if: Machine.isEquipped, Machine.reason))
  func aDriverWithoutDevicesSaysSo() throws {
    let listing = listOpenCLDevices(
      interceptor: { "\($0)" == "clGetDeviceIDs" ? CL_DEVICE_NOT_FOUND : $1() },
      options: Self.options)
    #expect(listing.devices.isEmpty)
    let skipped = try #require(listing.skipped.first)
    #expect(!skipped.name.isEmpty && !skipped.name.hasPrefix("OpenCL platform"))
    #expect(skipped.reason.contains("POCL_CACHE_DIR"))
  }

  @Test(arguments: [
    ("OpenCL 1.2", 1, 2), ("OpenCL 3.0 PoCL HSTR: x", 3, 0), ("OpenCL 2.10 CUDA", 2, 10),
    ("OpenCL", 0, 0), ("", 0, 0), ("1.2", 0, 0), ("OpenCL x.y", 0, 0),
  ])
  func versionsAreRead(text: String, major: Int, minor: Int) {
    #expect(OpenCLDeviceInfo.version(of: text) == (major, minor))
  }
}
