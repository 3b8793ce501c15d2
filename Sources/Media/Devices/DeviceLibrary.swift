// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// FFmpeg's library of cameras, microphones and screens. It needs a desktop's libraries, which a renderer does not, so
/// it is looked up when a device is asked for.
enum DeviceLibrary {
  /// `nil` once its devices are known to libavformat.
  private static let failure: CinematicError? = {
    _ = FFmpeg.prepared
    do throws(CinematicError) {
      // All of FFmpeg's libraries that belong together have related numbers; this one has that of libavformat.
      let library = try FFmpegLibrary(
        "avdevice", version: Int(avformat_version() >> 16), scope: RTLD_GLOBAL, reading: "cameras")
      let register: @convention(c) () -> Void = try library.function("avdevice_register_all")
      register()
      return nil
    } catch {
      return error
    }
  }()

  /// An input of a name: `v4l2`, `alsa`, `lavfi`, ….
  ///
  /// - Throws: `incomplete` without the library, `unsupported` for an input that it does not have.
  static func input(_ name: String) throws(CinematicError) -> UnsafePointer<AVInputFormat> {
    if let failure { throw failure }
    guard let format = av_find_input_format(name),
      focal_is_device(format) != 0
    else {
      throw CinematicError(
        .unsupported, "this build of FFmpeg has no devices of the kind '\(name)'",
        remedy: "give v4l2:/dev/video0 for a camera, alsa:default for a microphone, or a file")
    }
    return format
  }
}
