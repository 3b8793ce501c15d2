// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A helper and its pipes.
// @unchecked Sendable: it is used on its lane alone, and ended when nobody holds the lane.
final class HelperProcess: @unchecked Sendable {
  /// Bytes that are taken while a picture is sent.
  private static let mostAhead = 1 << 20
  /// Milliseconds after which it is looked whether the answer is still wanted.
  private static let longestWait = 50.0

  private let program: StartedProgram
  private let command: String
  /// The line that it answers with, for messages.
  private let answer: String
  /// Seconds in which it has to take a picture and answer it.
  private let timeLimit: Double
  /// Closed by ``HelperPrograms``.
  private let toHelper: Int32
  private let fromHelper: FileHandle
  private var unread: [UInt8] = []
  private var deadline = ContinuousClock.now
  private var isCancelled: () -> Bool = { false }
  /// How it ended, once it was waited for.
  private var status: Int32?

  init(_ command: String, answer: String, timeLimit: Double) throws(CinematicError) {
    (self.command, self.answer, self.timeLimit) = (command, answer, timeLimit)
    switch HelperPrograms.take(command) {
    case .success(let started): program = started
    case .failure(let failure):
      throw CinematicError(
        .unreadable, "the helper \(command) does not start: \(failure.reason)",
        remedy: "check the command")
    }
    toHelper = program.input ?? -1
    fromHelper = FileHandle(fileDescriptor: program.output, closeOnDealloc: true)
    // A helper that does not read must not hold the caller.
    _ = fcntl(toHelper, F_SETFL, fcntl(toHelper, F_GETFL) | O_NONBLOCK)
  }

  /// Closes its pipes, at which it ends by itself, whether it reads or writes. It is ended if it goes on.
  func end() {
    try? fromHelper.close()
    guard status == nil else { return }
    HelperPrograms.endInput(of: program.number)
    guard !hasEnded else { return }
    Thread.detachNewThread { [number = program.number] in
      HelperPrograms.finish(number)
    }
  }

  private var hasEnded: Bool {
    if status == nil { status = HelperPrograms.ending(of: program.number) }
    return status != nil
  }

  /// Sends a picture, from which on the time of its answer counts.
  ///
  /// - Parameter isCancelled: whether the answer is no longer wanted: this call and those that read it then end the helper
  ///   and throw `cancelled`.
  func send(
    _ picture: EyePicture, isCancelled: @escaping () -> Bool
  ) throws(CinematicError) {
    self.isCancelled = isCancelled
    deadline = .now + .seconds(timeLimit)
    let size = picture.dimensions
    try write(
      Array("frame \(size.width) \(size.height)\n".utf8)
        + picture.codes.map { UInt8(255 * $0 + 0.5) })
  }

  /// Writes, and takes what the helper says meanwhile: it may answer before it has read all.
  private func write(_ bytes: [UInt8]) throws(CinematicError) {
    let pipe = toHelper
    var done = 0
    while done < bytes.count {
      guard try wait(toWrite: true, toRead: unread.count < Self.mostAhead) else {
        try readBlock()
        continue
      }
      // What fits: a helper that is gone is an error of this call.
      let outcome = bytes.withUnsafeBytes { bytes in
        DescriptorOutput.withoutSIGPIPE {
          DescriptorOutput.writeSome(UnsafeRawBufferPointer(rebasing: bytes[done...]), to: pipe)
        }
      }
      done += outcome.count
      guard [0, EINTR, EAGAIN].contains(outcome.number) else { throw gone() }
    }
  }

  /// A line of text, without its end: a line feed, or carriage return and line feed.
  ///
  /// - Parameter most: bytes.
  func readLine(most: Int) throws(CinematicError) -> String {
    while true {
      if let end = unread.firstIndex(of: 10), end <= most {
        let text = unread[..<end]
        let line = String(decoding: text.last == 13 ? text.dropLast() : text, as: UTF8.self)
        unread.removeSubrange(...end)
        return line
      }
      guard unread.count <= most else {
        throw CinematicError(
          .malformed, "the helper \(command) answered with something else than a line",
          remedy: "it has to answer with “\(answer)”, and print nothing else")
      }
      try readMore()
    }
  }

  func readFloats(_ count: Int) throws(CinematicError) -> [Float] {
    while unread.count < 4 * count { try readMore() }
    let values = unread.withUnsafeBytes { bytes in
      (0..<count).map { index in
        Float(
          bitPattern: UInt32(
            littleEndian: bytes.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self)))
      }
    }
    unread.removeFirst(4 * count)
    return values
  }

  private func readMore() throws(CinematicError) {
    _ = try wait(toWrite: false, toRead: true)
    try readBlock()
  }

  /// Takes what is there.
  private func readBlock() throws(CinematicError) {
    var block = [UInt8](repeating: 0, count: 1 << 16)
    let count = read(fromHelper.fileDescriptor, &block, block.count)
    if count < 0, errno == EINTR { return }
    guard count > 0 else { throw gone() }
    unread += block.prefix(count)
  }

  /// Waits until a pipe is ready, until the time is over.
  ///
  /// - Returns: whether it can be written to; if not, there is something to read.
  private func wait(toWrite: Bool, toRead: Bool) throws(CinematicError) -> Bool {
    while true {
      guard !isCancelled() else { throw cancelled() }
      let left = (deadline - ContinuousClock.now) / .milliseconds(1)
      guard left > 0 else { throw late() }
      // Those that are not asked for have a number below zero, which is passed over.
      var pipes = [
        pollfd(
          fd: toWrite ? toHelper : -1, events: Int16(POLLOUT),
          revents: 0),
        pollfd(
          fd: toRead ? fromHelper.fileDescriptor : -1, events: Int16(POLLIN),
          revents: 0),
      ]
      // A pipe whose other end is closed is ready: what follows tells.
      guard poll(&pipes, 2, Int32(min(left.rounded(.up), Self.longestWait))) > 0 else { continue }
      if pipes[0].revents != 0 { return true }
      if pipes[1].revents != 0 { return false }
    }
  }

  /// Ends a helper that hangs, and says so.
  private func late() -> CinematicError {
    stop()
    return CinematicError(
      .incomplete,
      "the helper \(command) did not answer a picture within \(Self.text(timeLimit)) s, and was ended",
      remedy: """
        try it by itself: it reads “frame WIDTH HEIGHT” and pixels, and answers each with “\(answer)”, \
        flushing its output; or give it more time with \(parameter: .helperTimeLimit)
        """)
  }

  private func cancelled() -> CinematicError {
    stop()
    return Self.cancellation(of: command)
  }

  static func cancellation(of command: String) -> CinematicError {
    CinematicError(.cancelled, "asking the helper \(command) was cancelled")
  }

  /// Ends it at once, with the programs that it has started.
  func stop() {
    guard status == nil else { return }
    status = HelperPrograms.stop(program.number)
  }

  private static func text(_ seconds: Double) -> String {
    seconds == seconds.rounded() && seconds < 1e9 ? "\(Int(seconds))" : "\(seconds)"
  }

  private func gone() -> CinematicError {
    HelperPrograms.endInput(of: program.number)
    // One that has closed its output may go on all the same.
    while !hasEnded {
      guard !isCancelled() else { return cancelled() }
      guard ContinuousClock.now < deadline else { return late() }
      usleep(2000)
    }
    let status = status ?? 0
    let signal = status & 0x7F
    let ending =
      signal == 0 ? "ended with code \((status >> 8) & 0xFF)" : "was ended by signal \(signal)"
    return CinematicError(
      .incomplete, "the helper \(command) \(ending) before its answer was whole",
      remedy:
        "try it by itself: it reads “frame WIDTH HEIGHT” and pixels, and answers each with “\(answer)”"
    )
  }
}
