// SPDX-License-Identifier: Apache-2.0

import ConformanceKit
import Dispatch
import FocalCPU
import FocalCore
import FocalRendering
import ShaderTypes
import Synchronization
import Testing

@testable import FocalVulkan

extension VulkanTests {
  @Suite struct DispatchTests {
    @Test(arguments: Way.allCases)
    func memoryKeepsWhatIsWritten(_ way: Way) throws {
      let device = try #require(makeDevice(way))
      // More than one piece of a staging buffer, and not a multiple of anything.
      let values = randomFloats((9 << 20) / 4 + 3, seed: 1)
      let memory = try device.memory(values)
      #expect(try memory.floats() == values)
      try memory.write([1, 2, 3], at: 400)
      let read = try memory.floats(5, at: 396)
      #expect(read == [values[99], 1, 2, 3, values[103]])
    }

    @Test(arguments: Way.allCases)
    func aKernelGivesTheProcessorsBits(_ way: Way) throws {
      let device = try #require(makeDevice(way))
      for (width, height) in [(1, 1), (33, 5), (128, 64), (257, 31)] {
        let values = randomFloats(width * height, seed: UInt64(width))
        let results = try [device, .cpu()].map { device in
          let input = try device.memory(values)
          let output = try device.memory([Float](repeating: .nan, count: width * height))
          let result = try device.backend.makeQueue().run([
            circle(
              .memory(input), .memory(output), width, height, focus: 0.3, scale: 7.7, maximum: 9)
          ])
          #expect(result.error == nil)
          return try output.floats()
        }
        #expect(results[0] == results[1])
      }
    }

    /// Each dispatch needs what the one before it wrote, within a submission and from one to the
    /// next.
    @Test(arguments: Way.allCases)
    func dispatchesAndSubmissionsFollowEachOther(_ way: Way) throws {
      let device = try #require(makeDevice(way))
      let queue = try device.backend.makeQueue()
      let width = 64
      let a = try device.memory([Float](repeating: 0, count: width))
      let b = try device.memory([Float](repeating: 0, count: width))
      // x -> x + 1, there and back.
      let chain = [
        circle(.memory(a), .memory(b), width, 1, focus: -1),
        circle(.memory(b), .memory(a), width, 1, focus: -1),
      ]
      let submissions = 25
      let ended = Mutex<[Int]>([])
      for index in 0..<submissions {
        queue.submit(chain + chain, profiling: false) { result in
          ended.withLock { $0.append(result.error == nil ? index : -1) }
        }
      }
      queue.run([])
      #expect(ended.withLock { $0 } == Array(0..<submissions))
      #expect(try a.floats() == [Float](repeating: Float(submissions * 4), count: width))
    }

    @Test func offsetsBindTheMiddleOfMemory() throws {
      let device = try #require(makeDevice())
      let input = try device.memory([Float](repeating: 1, count: 64) + randomFloats(64, seed: 3))
      let output = try device.memory([Float](repeating: 5, count: 128))
      let result = try device.backend.makeQueue().run([
        circle(.memory(input, offset: 256), .memory(output, offset: 256), 64, 1)
      ])
      #expect(result.error == nil)
      #expect(try output.floats() == [Float](repeating: 5, count: 64) + randomFloats(64, seed: 3))
    }

    @Test(arguments: Way.allCases)
    func profilingTimesEveryKernel(_ way: Way) throws {
      let device = try #require(makeDevice(way))
      let source = try PixelBuffer.disparity(256, 256) { x, y in Float(x + y) }
      let middle = try device.memory([Float](repeating: 0, count: 256 * 256))
      let destination = try PixelBuffer.disparity(256, 256) { _, _ in 0 }
      let result = try device.backend.makeQueue().run(
        [
          circle(.pixels(source, plane: 0, access: .read), .memory(middle), 256, 256),
          circle(.memory(middle), .pixels(destination, plane: 0, access: .write), 256, 256),
        ], profiling: true)
      #expect(result.error == nil)
      #expect(result.timings.map(\.kernel) == ["circleOfConfusion", "circleOfConfusion"])
      #expect(result.timings.allSatisfy { $0.seconds > 0 && $0.seconds < 10 })
      #expect(result.uploadSeconds > 0 && result.downloadSeconds > 0)
      #expect(try destination.floats() == source.floats())
    }

    @Test func memoryOfAnotherDeviceIsRefused() throws {
      let first = try #require(makeDevice())
      let other = try #require(makeDevice())
      let result = try first.backend.makeQueue().run([
        circle(.memory(try first.memory([1])), .memory(try other.memory([1])), 1, 1)
      ])
      #expect(result.error?.code == .incompatible)
    }

    @Test func moreThanTheDeviceHasIsOutOfMemory() throws {
      let device = try #require(makeDevice())
      let error = #expect(throws: CinematicError.self) {
        _ = try device.backend.makeMemory(byteCount: 1 << 50)
      }
      #expect(error?.code == .outOfMemory)
      // And the device goes on.
      #expect(try device.memory([1, 2]).floats() == [1, 2])
    }
  }
}

extension VulkanTests {
  @Suite struct ShaderTests {
    /// The driver takes every shader of the build, with what the backend asks of floats.
    @Test func everyShaderCompiles() throws {
      let device = try #require(makeDevice())
      let memory = try #require(try device.memory([0]) as? VulkanMemory)
      let programs = try KernelPrograms(memory.buffer.device)
      #expect(!EmbeddedKernels.names.isEmpty)
      for name in EmbeddedKernels.names {
        let kernel = try #require(Kernel(rawValue: name), "no kernel has the name \(name)")
        let dispatch = KernelDispatch(
          kernel, [], FocalPixelParameters(), items: 1, grid: Grid(1))
        for fetchesTexels in memory.buffer.device.fetchesTexels ? [false, true] : [false] {
          _ = try programs.prepare([
            .init(kernel: KernelVariant(dispatch), fetchesTexels: fetchesTexels)
          ])
        }
      }
    }

    @Test func aKernelWithoutAShaderIsNamed() {
      let missing = Kernel.allCases.filter { EmbeddedKernels.base64($0.name) == nil }
      for kernel in missing {
        let error = #expect(throws: CinematicError.self) { _ = try kernel.spirv() }
        #expect(error?.code == .unsupported)
        #expect(error?.message.contains(kernel.name) == true)
      }
    }

    /// Buffers that a kernel only reads are fetched, by texels of the element's kind; others stay as they are.
    @Test func whatIsOnlyReadIsFetched() throws {
      func fetches(_ kernel: Kernel) throws -> [Int: FetchingModule.Element] {
        let module = FetchingModule(try kernel.spirv())
        return Dictionary(uniqueKeysWithValues: module.fetches.map { ($0.binding, $0.element) })
      }
      #expect(try fetches(.circleOfConfusion) == [0: .float])
      // Tiles are structs; pool, cells and the lens.
      #expect(try fetches(.lensViews) == [0: .structure, 1: .vector, 2: .unsigned, 3: .float])
      // One binding shows bytes and words of a picture: it is loaded.
      #expect(try fetches(.unpack)[0] == nil)
      let circle = try Kernel.circleOfConfusion.spirv()
      let module = FetchingModule(circle)
      #expect(module.words != circle)
      // Nothing is left to fetch, and what is no module stays as it is.
      #expect(FetchingModule(module.words).words == module.words)
      #expect(FetchingModule([1, 2, 3]).words == [1, 2, 3])
    }

    /// A module that asks for what a device promises of floats is whole, and another untouched.
    @Test func floatControlsAreAddedWhereTheyBelong() throws {
      let module = try Kernel.circleOfConfusion.spirv()
      var features = PhysicalDevice.Features(
        timelineSemaphores: false, halfArithmetic: false, subgroupArithmetic: false,
        preservesDenormals: false, preservesNaN: false, roundsToNearest: false)
      #expect(withFloatControls(module, features) == module)
      features.preservesDenormals = true
      features.preservesNaN = true
      features.roundsToNearest = true
      let added = withFloatControls(module, features)
      // Three capabilities of 2 words, an extension of 7, three modes of 4.
      #expect(added.count == module.count + 3 * 2 + 7 + 3 * 4)
      func operations(_ words: [UInt32]) -> [UInt32] {
        var found: [UInt32] = []
        var index = 5
        while index < words.count, words[index] >> 16 > 0 {
          found.append(words[index] & 0xFFFF)
          index += Int(words[index] >> 16)
        }
        return found
      }
      let order = operations(added)
      #expect(order.count == operations(module).count + 7)
      // Capabilities (17), extensions (10), entry point (15), modes (16), decorations (71).
      let ranks: [UInt32: Int] = [17: 0, 10: 1, 15: 3, 16: 4, 71: 6]
      let known = order.compactMap { ranks[$0] }
      #expect(known == known.sorted())
      #expect(withFloatControls([1, 2, 3], features) == [1, 2, 3])
    }
  }
}
