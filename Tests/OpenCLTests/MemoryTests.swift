// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalRendering
import Testing

@testable import FocalOpenCL

@Suite(.enabled(if: Machine.isEquipped, Machine.reason)) struct MemoryTests {
  @Test func bytesComeBackAsTheyWereWritten() throws {
    let memory = try Machine().backend.makeMemory(byteCount: 10_001)
    let bytes = (0..<10_001).map { UInt8(truncatingIfNeeded: $0 &* 37) }
    try memory.write(bytes)
    #expect(try memory.values(UInt8(0)) == bytes)

    try [UInt8](repeating: 9, count: 5).withUnsafeBytes { try memory.write($0, at: 77) }
    var piece = [UInt8](repeating: 0, count: 7)
    try piece.withUnsafeMutableBytes { try memory.read($0, from: 76) }
    #expect(piece == [bytes[76], 9, 9, 9, 9, 9, bytes[82]])
  }

  @Test func nothingToCopyIsNoError() throws {
    let memory = try Machine().backend.makeMemory(byteCount: 0)
    try memory.write(UnsafeRawBufferPointer(start: nil, count: 0), at: 0)
    try memory.read(UnsafeMutableRawBufferPointer(start: nil, count: 0), from: 0)
    #expect(memory.byteCount == 0)
  }

  @Test func moreThanTheDeviceGivesIsALackOfMemory() throws {
    let backend = try Machine().backend
    let error = #expect(throws: CinematicError.self) {
      try backend.makeMemory(byteCount: backend.largestBindingByteCount + 1)
    }
    #expect(error?.code == .outOfMemory)
    // A lack of memory is not the end of the device.
    _ = try backend.makeMemory(byteCount: 64)
  }

  @Test func aKernelIsBoundFromAnOffsetOn() throws {
    let backend = try Machine().backend
    let memory = try backend.makeMemory(byteCount: 4096)
    try memory.write((0..<1024).map { UInt32($0) })
    let parameters = TestKernels.StepParameters(count: 100, addend: 1)
    let dispatch = KernelDispatch(
      TestKernels.step, [.memory(memory, offset: 1024), .none], parameters, items: 100,
      grid: Grid(100))
    let error = try backend.makeQueue().run([dispatch, dispatch]).error
    #expect(error == nil)
    let expected = (0..<1024).map { index in
      UInt32((256..<356).contains(index) ? index * 9 + 4 : index)
    }
    let values = try memory.values(UInt32(0))
    #expect(values == expected)
  }
}
