// SPDX-License-Identifier: Apache-2.0

import COpenCL
import Dispatch
import FocalCore
import FocalRendering
import Foundation
import Synchronization
import Testing

@testable import FocalOpenCL

/// The first OpenCL device of the machine, running ``TestKernels``.
struct Machine {
  private static let facts = listOpenCLDevices(options: .init(sources: { _ in nil })).devices.first
    .map { (name: $0.description, isUnified: $0.memoryByteCount == nil) }
  static let isEquipped = facts != nil
  static let reason: Comment = "no OpenCL device; pocl-opencl-icd makes one of the processor"
  static let deviceName = facts?.name ?? "no OpenCL device"
  /// Whether the device works in the host's memory.
  static let isUnified = facts?.isUnified ?? false
  static let separationReason: Comment =
    "\(deviceName) has memory of its own: there are no buffers over pictures"

  let backend: any DeviceBackend

  init(
    usesHostMemory: Bool = true, cacheFolder: String? = nil,
    sources: @escaping KernelPrograms.Sources = TestKernels.sources,
    longestWait: Duration = .seconds(300), interceptor: OpenCLLibrary.Interceptor? = nil
  ) throws {
    let options = OpenCLBackend.Options(
      sources: sources, cacheFolder: cacheFolder, usesHostMemory: usesHostMemory,
      longestWait: longestWait)
    let listing = listOpenCLDevices(interceptor: interceptor, options: options)
    backend = try #require(listing.devices.first).backend
  }
}

/// Watches and disturbs the calls of a library.
final class CallWatch: Sendable {
  private struct State {
    var counts: [String: Int] = [:]
    var total = 0
    var failing: (range: Range<Int>, status: cl_int)?
    var struck: String?
  }

  private let state = Mutex(State())

  func count(_ function: String) -> Int { state.withLock { $0.counts[function, default: 0] } }
  /// How many objects were made and how many released, events left out.
  var balance: (made: Int, released: Int) {
    state.withLock { state in
      func sum(_ isCounted: (String) -> Bool) -> Int {
        state.counts.reduce(0) { isCounted($1.key) ? $0 + $1.value : $0 }
      }
      return (
        sum { Self.makers.contains($0) },
        sum { $0.hasPrefix("clRelease") && $0 != "clReleaseEvent" }
      )
    }
  }

  /// Whether everything made is released, now or as soon as the queue's threads have let go of it.
  func isBalanced() -> Bool {
    for _ in 0..<2000 {
      let (made, released) = balance
      if made == released { return true }
      usleep(5000)
    }
    return false
  }

  /// The first function that was made to fail.
  var struck: String? { state.withLock { $0.struck } }

  /// Has calls fail from now on, counted from the next; releases always work.
  func fail(_ range: Range<Int>, status: cl_int) {
    state.withLock {
      $0.total = 0
      $0.failing = (range, status)
      $0.struck = nil
    }
  }

  var interceptor: OpenCLLibrary.Interceptor {
    { [self] function, call in
      let name = "\(function)"
      let failure: cl_int? = state.withLock { state in
        guard !name.hasPrefix("clRelease") else { return nil }
        defer { state.total += 1 }
        guard let failing = state.failing, failing.range.contains(state.total) else { return nil }
        if state.struck == nil { state.struck = name }
        return failing.status
      }
      if let failure {
        // A wait that fails has waited: what runs must not outlive what it uses.
        if Self.waits.contains(name) { _ = call() }
        return failure
      }
      let status = call()
      if status == CL_SUCCESS { state.withLock { $0.counts[name, default: 0] += 1 } }
      return status
    }
  }

  private static let waits = ["clFinish", "clWaitForEvents"]
  private static let makers = [
    "clCreateContext", "clCreateCommandQueue", "clCreateBuffer", "clCreateSubBuffer",
    "clCreateProgramWithSource", "clCreateProgramWithBinary", "clCreateKernel",
  ]
}

extension DeviceQueue {
  /// Submits and waits.
  func run(_ dispatches: [KernelDispatch], profiling: Bool = false) -> SubmissionResult {
    let result = Mutex<SubmissionResult?>(nil)
    let done = DispatchGroup()
    done.enter()
    submit(dispatches, profiling: profiling) { value in
      result.withLock { $0 = value }
      done.leave()
    }
    done.wait()
    return result.withLock { $0 } ?? SubmissionResult()
  }
}

extension DeviceMemory {
  func write<Element: BitwiseCopyable>(_ values: [Element]) throws {
    try values.withUnsafeBytes { try write($0, at: 0) }
  }

  func values<Element: BitwiseCopyable>(_ zero: Element) throws -> [Element] {
    var values = [Element](repeating: zero, count: byteCount / MemoryLayout<Element>.stride)
    try values.withUnsafeMutableBytes { try read($0, from: 0) }
    return values
  }
}

/// A picture of bytes in memory with padded rows, every byte of it known.
struct PaddedPicture {
  let buffer: PixelBuffer
  let byteCount: Int
  let bytesPerRow: Int

  /// - Parameters:
  ///   - width: pixels of four bytes.
  ///   - padding: bytes after a row, a multiple of 4.
  ///   - alignment: of the memory, in bytes.
  ///   - released: called when the memory is.
  init(
    _ width: Int, _ height: Int, padding: Int, alignment: Int = 64,
    released: @escaping @Sendable () -> Void = {}, value: (Int) -> UInt8
  ) throws {
    bytesPerRow = width * 4 + padding
    byteCount = bytesPerRow * height
    let memory = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: alignment)
    for index in 0..<byteCount {
      memory.storeBytes(of: value(index), toByteOffset: index, as: UInt8.self)
    }
    buffer = try PixelBuffer(
      dimensions: Dimensions(width: width, height: height), format: .rgba8, tags: .sRGB,
      baseAddress: memory, byteCount: byteCount, planes: [(offset: 0, bytesPerRow: bytesPerRow)],
      release: {
        $0.deallocate()
        released()
      })
  }

  var bytes: [UInt8] { buffer.withUnsafeBytes { Array($0) } }

  /// Adds `addend` to each byte on the way from this picture to another.
  func copied(to other: PaddedPicture, adding addend: Int32) -> KernelDispatch {
    KernelDispatch(
      TestKernels.copy,
      [.pixels(buffer, plane: 0, access: .read), .pixels(other.buffer, plane: 0, access: .write)],
      TestKernels.CopyParameters(
        rowByteCount: Int32(buffer.width * 4), rowCount: Int32(buffer.height),
        sourcePitch: Int32(bytesPerRow), destinationPitch: Int32(other.bytesPerRow), addend: addend),
      items: buffer.height, grid: Grid(buffer.width * 4, buffer.height))
  }
}
