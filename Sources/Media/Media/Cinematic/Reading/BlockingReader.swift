// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FocalBoxes
import FocalCore
import Synchronization

/// Reads a byte source from a thread that may wait. Never from a task: the threads of tasks must not
/// wait for each other.
struct BlockingReader: Sendable {
  private final class Answer: Sendable {
    let result = Mutex<Result<[UInt8], CinematicError>?>(nil)
    let isThere = DispatchSemaphore(value: 0)
  }

  let source: any ByteSource

  /// The bytes of a sample.
  ///
  /// - Throws: as ``FocalBoxes/ByteSource/sample(_:)``.
  func sample(_ sample: SampleIndex.Sample) throws(CinematicError) -> [UInt8] {
    let answer = Answer()
    Task { [source] in
      let result: Result<[UInt8], CinematicError>
      do throws(CinematicError) {
        result = .success(try await source.sample(sample))
      } catch {
        result = .failure(error)
      }
      answer.result.withLock { $0 = result }
      answer.isThere.signal()
    }
    answer.isThere.wait()
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
    guard sample.size <= Self.maximumSampleSize else {
      throw CinematicError(
        .unsupported, "\(name): a sample at byte \(sample.offset) has \(sample.size) bytes",
        remedy: "copy or download the file again")
    }
    let bytes = try await read(sample.offset..<(sample.offset + Int64(sample.size)))
    guard bytes.count == sample.size else {
      throw CinematicError(
        .malformed, "\(name) is cut short: it ends in a sample at byte \(sample.offset)",
        remedy: "copy or download it again")
    }
    return bytes
  }
}
