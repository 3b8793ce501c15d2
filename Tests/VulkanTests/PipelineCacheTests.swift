// SPDX-License-Identifier: Apache-2.0

import CVulkan
import FocalCore
import FocalRendering
import Foundation
import Synchronization
import Testing

@testable import FocalVulkan

/// Compiled pipelines are kept from one process to the next.
@Suite(.enabled(if: hasDevice, skipReason)) struct PipelineCacheTests {
  private final class Folder: Sendable {
    let path = NSTemporaryDirectory() + "focal-vulkan-\(UInt64.random(in: .min ... .max))"

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The files' names and contents.
    var files: [String: Data] {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
      return Dictionary(
        uniqueKeysWithValues: names.map {
          ($0, FileManager.default.contents(atPath: "\(path)/\($0)") ?? Data())
        })
    }
  }

  private let folder = Folder()

  /// Two radii of a device that is opened for it.
  private func render(_ hook: CallHook? = nil) throws -> [Float] {
    var options = VulkanOptions()
    options.cacheFolder = folder.path
    options.hook = hook
    let device = try #require(DeviceListing.vulkan(options).devices.first)
    let input = try device.memory([0.25, 1])
    let output = try device.memory([0, 0])
    let result = try device.backend.makeQueue().run([
      circle(.memory(input), .memory(output), 2, 1, scale: 8)
    ])
    if let error = result.error { throw error }
    return try output.floats()
  }

  @Test func pipelinesAreKept() throws {
    #expect(try render() == [2, 8])
    let kept = folder.files
    #expect(kept.count == 1)
    #expect(kept.keys.allSatisfy { $0.hasPrefix("vulkan-") })
    #expect(try render() == [2, 8])
    #expect(folder.files == kept)
  }

  /// A damaged file, or one of another driver, is no program, and the next one takes its place.
  @Test func damagedFilesAreReplaced() throws {
    #expect(try render() == [2, 8])
    let (name, whole) = try #require(folder.files.first)
    for place in [0, whole.count / 2, whole.count - 1] {
      var damaged = whole
      damaged[place] ^= 0x20
      try damaged.write(to: URL(fileURLWithPath: "\(folder.path)/\(name)"))
      #expect(try render() == [2, 8])
      #expect(folder.files == [name: whole])
    }
  }

  /// A driver that does not give its pipelines renders all the same.
  @Test func driversThatKeepTheirPipelines() throws {
    let asked = Atomic(0)
    let result = try render { function in
      guard "\(function)" == "vkGetPipelineCacheData" else { return nil }
      asked.add(1, ordering: .relaxed)
      return VK_ERROR_OUT_OF_HOST_MEMORY
    }
    #expect(result == [2, 8])
    #expect(asked.load(ordering: .relaxed) > 0)
    #expect(folder.files.isEmpty)
  }
}
