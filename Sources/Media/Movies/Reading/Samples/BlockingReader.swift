// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FocalBoxes
import FocalCore
import Synchronization

/// Ends the blocking reads of a job that is no longer awaited.
final class Interruption: Sendable {
  private let state = Mutex<(isOver: Bool, read: Task<Void, Never>?)>((false, nil))

  var isOver: Bool { state.withLock { $0.isOver } }

  func interrupt() {
    let read = state.withLock { state in
      state.isOver = true
      return state.read
    }
    read?.cancel()
  }

  /// Takes note of the read that is to be cancelled.
  fileprivate func follow(_ read: Task<Void, Never>?) {
    let isOver = state.withLock { state in
      state.read = read
      return state.isOver
    }
    if isOver { read?.cancel() }
  }
}

/// Reads a byte source from a thread that may wait. Never from a task: the threads of tasks must not
/// wait for each other.
struct BlockingReader: Sendable {
  private final class Answer<Value: Sendable>: Sendable {
    let result = Mutex<Result<Value, CinematicError>?>(nil)
    let isThere = DispatchSemaphore(value: 0)
  }

  let source: any ByteSource

  /// How many bytes there are.
  func byteCount(until interruption: Interruption? = nil) throws(CinematicError) -> Int64 {
    if let file = source as? FileByteSource { return try file.fileSize() }
    return try wait(interruption) { [source] () async throws(CinematicError) -> Int64 in
      try await source.byteCount()
    }
  }

  /// The bytes of a range: as ``FocalBoxes/ByteSource/read(_:)``.
  func bytes(
    _ range: Range<Int64>, until interruption: Interruption? = nil
  ) throws(CinematicError) -> [UInt8] {
    if let file = source as? FileByteSource { return try file.bytes(range) }
    return try wait(interruption) { [source] () async throws(CinematicError) -> [UInt8] in
      try await source.read(range)
    }
  }

  /// The bytes of a sample.
  ///
  /// - Throws: as ``FocalBoxes/ByteSource/sample(_:)``.
  func sample(_ sample: SampleIndex.Sample) throws(CinematicError) -> [UInt8] {
    try source.whole(try bytes(try source.range(of: sample)), sample)
  }

  private func wait<Value: Sendable>(
    _ interruption: Interruption?,
    _ body: @escaping @Sendable () async throws(CinematicError) -> Value
  ) throws(CinematicError) -> Value {
    let answer = Answer<Value>()
    let task = Task {
      let result: Result<Value, CinematicError>
      do throws(CinematicError) {
        result = .success(try await body())
      } catch {
        result = .failure(error)
      }
      answer.result.withLock { $0 = result }
      answer.isThere.signal()
    }
    interruption?.follow(task)
    answer.isThere.wait()
    interruption?.follow(nil)
    guard let result = answer.result.withLock({ $0 }) else {
      throw CinematicError(.unknown, "\(source.name) gave no answer")
    }
    return try result.get()
  }
}

extension ByteSource {
  /// The largest sample that is read: beyond any picture, so that a damaged size costs no memory.
  static var maximumSampleSize: Int { 256 << 20 }

  /// The bytes of a sample.
  ///
  /// - Throws: `malformed` where the file ends in it, `unsupported` for one beyond any picture, and
  ///   what the source throws.
  func sample(_ sample: SampleIndex.Sample) async throws(CinematicError) -> [UInt8] {
    try whole(try await read(try range(of: sample)), sample)
  }

  fileprivate func range(of sample: SampleIndex.Sample) throws(CinematicError) -> Range<Int64> {
    guard sample.size <= Self.maximumSampleSize else {
      throw CinematicError(
        .unsupported, "\(name): a sample at byte \(sample.offset) has \(sample.size) bytes",
        remedy: "copy or download the file again")
    }
    return sample.offset..<(sample.offset + Int64(sample.size))
  }

  fileprivate func whole(
    _ bytes: [UInt8], _ sample: SampleIndex.Sample
  ) throws(CinematicError) -> [UInt8] {
    guard bytes.count == sample.size else {
      throw CinematicError(
        .malformed, "\(name) is cut short: it ends in a sample at byte \(sample.offset)",
        remedy: "copy or download it again")
    }
    return bytes
  }
}
