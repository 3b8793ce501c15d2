// SPDX-License-Identifier: Apache-2.0

import EyeKernels
import FocalCore
import Foundation
import Synchronization

/// Disparity by a program of the caller's, which runs beside this one: pictures go into its standard input, maps come
/// out of its standard output.
///
/// For each picture the program gets a line, `frame WIDTH HEIGHT`, and behind it WIDTH × HEIGHT × 3 bytes: red, green
/// and blue as an sRGB screen has them, rows from the top. It answers with a line, `map WIDTH HEIGHT KIND`, and behind it
/// WIDTH × HEIGHT floats of 32 bits, least byte first, rows from the top. The map has the picture's shape and may be of
/// another size. KIND is `disparity` (larger is nearer), `depth` (larger is farther) or `metric-depth` (metres); values
/// that are not finite are holes. The end of its input is the end of the work. Its standard error is this program's.
///
/// [Examples/estimate-helper.py](https://github.com/OWNER/focal/blob/main/Examples/estimate-helper.py) is such a program.
public final class HelperProvider: DisparityProvider {
  /// Pixels of the longer side of the pictures that are sent.
  public static let usualSide = 640
  /// Lines of answers are short.
  private static let mostLetters = 80

  public let name = "command"
  /// The command line.
  public let command: String
  private let side: Int
  /// Serves one picture after the other, on a thread that may block.
  private let lane = DispatchQueue(label: "focal.estimate-helper")
  private let process: Mutex<HelperProcess?>

  /// - Parameters:
  ///   - command: a line for the shell. It is started with the first picture.
  ///   - side: the longer side of the pictures that are sent, at least 16.
  public init(command: String, side: Int = usualSide) {
    (self.command, self.side) = (command, max(16, side))
    process = Mutex(nil)
  }

  deinit { process.withLock { $0?.end() } }

  public func estimate(_ input: EstimationInput) async throws(CinematicError) -> DisparityEstimate {
    let shown = input.turn.applied(to: input.picture.dimensions)
    let picture = try EyePicture(
      input.picture, turn: input.turn, dimensions: shown.fitting(longerSide: side))
    let result: Result<DisparityEstimate, CinematicError> = await withCheckedContinuation { next in
      lane.async {
        next.resume(returning: Result { () throws(CinematicError) in try self.answer(to: picture) })
      }
    }
    return try result.get()
  }

  private func answer(to picture: EyePicture) throws(CinematicError) -> DisparityEstimate {
    let helper = try started()
    let size = picture.dimensions
    let head = Array("frame \(size.width) \(size.height)\n".utf8)
    try helper.write(head + picture.codes.map { UInt8(255 * $0 + 0.5) })
    let line = try helper.readLine(most: Self.mostLetters)
    let words = line.split(separator: " ")
    guard words.count == 4, words[0] == "map", let width = Int(words[1]),
      let height = Int(words[2]),
      let kind = ModelDescription.Output(rawValue: String(words[3])),
      ModelDescription.depth.contains(kind)
    else {
      throw CinematicError(
        .malformed, "the helper \(command) answered “\(line)”",
        remedy: "it has to answer with “map WIDTH HEIGHT disparity”, depth or metric-depth")
    }
    guard (1...8192).contains(width), (1...8192).contains(height),
      abs(Double(width) * Double(size.height) / Double(size.width) - Double(height)) <= 1.5
        || abs(Double(height) * Double(size.width) / Double(size.height) - Double(width)) <= 1.5
    else {
      throw CinematicError(
        .malformed,
        "the helper \(command) answered a picture of \(size) with a map of \(width)x\(height)",
        remedy: "its maps need the shape of the pictures")
    }
    var values = try helper.readFloats(width * height)
    kind.makeDisparities(&values)
    return DisparityEstimate(
      map: try .map(values, Dimensions(width: width, height: height)),
      kind: kind == .metricDepth ? .metric : .relative)
  }

  private func started() throws(CinematicError) -> HelperProcess {
    try process.withLock { process throws(CinematicError) in
      if let process { return process }
      let new = try HelperProcess(command)
      process = new
      return new
    }
  }
}

/// A helper and its pipes.
// @unchecked Sendable: it is used on the provider's lane alone, and ended when nobody holds the provider.
private final class HelperProcess: @unchecked Sendable {
  private let process = Process()
  private let command: String
  private let toHelper = Pipe()
  private let fromHelper = Pipe()
  private var unread: [UInt8] = []

  init(_ command: String) throws(CinematicError) {
    self.command = command
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", command]
    process.standardInput = toHelper
    process.standardOutput = fromHelper
    do {
      try process.run()
    } catch {
      throw CinematicError(
        .unreadable, "the helper \(command) does not start: \(error.localizedDescription)",
        remedy: "check the command")
    }
  }

  /// Closes its input, at which it ends by itself.
  func end() {
    try? toHelper.fileHandleForWriting.close()
  }

  func write(_ bytes: [UInt8]) throws(CinematicError) {
    // A helper that is gone is an error of this call, not the program's end.
    var pipe = sigset_t()
    sigemptyset(&pipe)
    sigaddset(&pipe, SIGPIPE)
    var before = sigset_t()
    pthread_sigmask(SIG_BLOCK, &pipe, &before)
    var done = 0
    var number: Int32 = 0
    bytes.withUnsafeBytes { bytes in
      while done < bytes.count {
        let count = Glibc.write(
          toHelper.fileHandleForWriting.fileDescriptor, bytes.baseAddress! + done,
          bytes.count - done)
        if count > 0 {
          done += count
        } else if errno != EINTR {
          number = errno
          break
        }
      }
    }
    if number == EPIPE {
      var none = timespec()
      sigtimedwait(&pipe, nil, &none)
    }
    pthread_sigmask(SIG_SETMASK, &before, nil)
    guard done == bytes.count else { throw gone() }
  }

  func readLine(most: Int) throws(CinematicError) -> String {
    while true {
      if let end = unread.firstIndex(of: 10) {
        let line = String(decoding: unread[..<end], as: UTF8.self)
        unread.removeSubrange(...end)
        return line
      }
      guard unread.count <= most else {
        throw CinematicError(
          .malformed, "the helper \(command) answered with something else than a line",
          remedy: "it has to answer with “map WIDTH HEIGHT disparity”, and print nothing else")
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
    var block = [UInt8](repeating: 0, count: 1 << 16)
    var count = 0
    repeat {
      count = read(fromHelper.fileHandleForReading.fileDescriptor, &block, block.count)
    } while count < 0 && errno == EINTR
    guard count > 0 else { throw gone() }
    unread += block.prefix(count)
  }

  private func gone() -> CinematicError {
    try? toHelper.fileHandleForWriting.close()
    process.waitUntilExit()
    return CinematicError(
      .incomplete,
      "the helper \(command) ended with code \(process.terminationStatus) before its map was whole",
      remedy:
        "try it by itself: it reads “frame WIDTH HEIGHT” and pixels, and answers each with a map")
  }
}
