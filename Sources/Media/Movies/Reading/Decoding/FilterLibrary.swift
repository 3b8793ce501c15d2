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

/// FFmpeg's library of filters. It brings thirty libraries with it, which took nearly a third of every command's start, and
/// interlaced pictures alone need it: it is opened for the first of them.
struct FilterLibrary: Sendable {
  typealias Graph = UnsafeMutablePointer<AVFilterGraph>
  typealias Context = UnsafeMutablePointer<AVFilterContext>

  let allocateGraph: @convention(c) @Sendable () -> Graph?
  let freeGraph: @convention(c) @Sendable (UnsafeMutablePointer<Graph?>?) -> Void
  let setAutoConvert: @convention(c) @Sendable (Graph?, UInt32) -> Void
  let configure: @convention(c) @Sendable (Graph?, UnsafeMutableRawPointer?) -> Int32
  let filter: @convention(c) @Sendable (UnsafePointer<CChar>?) -> UnsafePointer<AVFilter>?
  let createFilter:
    @convention(c) @Sendable (
      UnsafeMutablePointer<Context?>?, UnsafePointer<AVFilter>?, UnsafePointer<CChar>?,
      UnsafePointer<CChar>?, UnsafeMutableRawPointer?, Graph?
    ) -> Int32
  let link: @convention(c) @Sendable (Context?, UInt32, Context?, UInt32) -> Int32
  let addFrame: @convention(c) @Sendable (Context?, UnsafeMutablePointer<AVFrame>?, Int32) -> Int32
  let getFrame: @convention(c) @Sendable (Context?, UnsafeMutablePointer<AVFrame>?) -> Int32

  private static let opened = Result { () throws(CinematicError) in try FilterLibrary() }

  /// - Throws: `incomplete` where it is not installed.
  static func open() throws(CinematicError) -> FilterLibrary { try opened.get() }

  private init() throws(CinematicError) {
    // The number in the headers, as of the libraries that are linked.
    let library = try FFmpegLibrary(
      "avfilter", version: Int(LIBAVFILTER_VERSION_MAJOR), scope: RTLD_LOCAL,
      reading: "interlaced pictures")
    allocateGraph = try library.function("avfilter_graph_alloc")
    freeGraph = try library.function("avfilter_graph_free")
    setAutoConvert = try library.function("avfilter_graph_set_auto_convert")
    configure = try library.function("avfilter_graph_config")
    filter = try library.function("avfilter_get_by_name")
    createFilter = try library.function("avfilter_graph_create_filter")
    link = try library.function("avfilter_link")
    addFrame = try library.function("av_buffersrc_add_frame_flags")
    getFrame = try library.function("av_buffersink_get_frame")
  }
}
