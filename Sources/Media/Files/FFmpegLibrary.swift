// SPDX-License-Identifier: Apache-2.0

import FocalCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// One of FFmpeg's libraries that few commands need, opened when one does: the program is not linked with it, and does not load
/// what it brings.
struct FFmpegLibrary {
  private let handle: UnsafeMutableRawPointer
  private let missing: CinematicError

  /// - Parameters:
  ///   - name: such as `avfilter`.
  ///   - version: its major number, which belongs to that of the libraries that are linked.
  ///   - scope: `RTLD_LOCAL`, or `RTLD_GLOBAL`.
  ///   - things: what is read by it, for the message.
  /// - Throws: `incomplete` where it is not installed.
  init(
    _ name: String, version: Int, scope: Int32, reading things: String
  ) throws(CinematicError) {
    let names = ["lib\(name).so.\(version)", "lib\(name).\(version).dylib"]
    missing = CinematicError(
      .incomplete, "\(things) are read by FFmpeg's \(names[0]), which is not installed",
      remedy: "install it: apt-get install lib\(name)\(version), or the package ffmpeg")
    guard let handle = names.lazy.compactMap({ dlopen($0, RTLD_NOW | scope) }).first else {
      throw missing
    }
    self.handle = handle
  }

  /// A function of the library, which stays open.
  ///
  /// - Returns: what the caller has written the function's type of: FFmpeg's headers say it.
  /// - Throws: `incomplete` for a library without it.
  func function<Function>(_ name: String) throws(CinematicError) -> Function {
    guard let symbol = dlsym(handle, name) else { throw missing }
    return unsafeBitCast(symbol, to: Function.self)
  }
}
