// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Foundation
import Testing

/// Bytes into files and pipes that are open.
@Suite struct DescriptorOutputTests {
  private static let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 7) }

  /// The ends of a pipe: where it is read, and where it is written.
  private static func makePipe() throws -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    return (ends[0], ends[1])
  }

  @Test func aReaderThatIsGoneIsAnError() throws {
    let ends = try Self.makePipe()
    defer { close(ends.writing) }
    close(ends.reading)
    let outcome = DescriptorOutput.withoutSIGPIPE {
      Self.bytes.withUnsafeBytes { DescriptorOutput.writeAll($0, to: ends.writing) }
    }
    #expect(outcome.number == EPIPE)
    #expect(outcome.count == 0)
  }

  /// A pipe takes some bytes, and then none.
  @Test func whatDoesNotFitIsAnError() throws {
    let ends = try Self.makePipe()
    defer {
      close(ends.reading)
      close(ends.writing)
    }
    _ = fcntl(ends.writing, F_SETFL, fcntl(ends.writing, F_GETFL) | O_NONBLOCK)
    let outcome = Self.bytes.withUnsafeBytes { DescriptorOutput.writeAll($0, to: ends.writing) }
    #expect(outcome.number == EAGAIN)
    #expect(outcome.count > 0)
    #expect(outcome.count < Self.bytes.count)
    let none = DescriptorOutput.writeAll(UnsafeRawBufferPointer(start: nil, count: 0), to: -1)
    #expect(none.number == 0)
  }

  /// At the descriptor's place, and at one that is named.
  @Test func allBytesGoIntoAFile() throws {
    let path = NSTemporaryDirectory() + "focal-descriptor-\(UUID().uuidString)"
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    try #require(descriptor >= 0)
    defer {
      close(descriptor)
      unlink(path)
    }
    let first = Self.bytes.withUnsafeBytes { DescriptorOutput.writeAll($0, to: descriptor) }
    #expect(first.count == Self.bytes.count)
    let mark: [UInt8] = [1, 2, 3, 4]
    let second = mark.withUnsafeBytes { DescriptorOutput.writeAll($0, to: descriptor, at: 100) }
    #expect(second.number == 0)
    var expected = Self.bytes
    expected.replaceSubrange(100..<104, with: mark)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(expected))
    let closed = mark.withUnsafeBytes { DescriptorOutput.writeAll($0, to: -1) }
    #expect(closed.number == EBADF)
  }
}
