// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

/// FFmpeg's bwdif: the rows of the first moment stay, those of the other are interpolated where something
/// moves.
final class Deinterlacer {
  private let name: String
  private var graph: UnsafeMutablePointer<AVFilterGraph>?
  private let source: UnsafeMutablePointer<AVFilterContext>
  private let sink: UnsafeMutablePointer<AVFilterContext>
  private let dimensions: Dimensions
  private let pixelFormat: AVPixelFormat

  /// - Throws: `unsupported` for pixels that the filter does not take, or an FFmpeg that lacks it.
  init(_ picture: PictureFrame, name: String) throws(CinematicError) {
    _ = FFmpeg.prepared
    self.name = name
    dimensions = picture.dimensions
    pixelFormat = picture.pixelFormat
    let frame = picture.pointer.pointee
    guard let graph = avfilter_graph_alloc() else { throw .outOfMemory(for: name) }
    // Formats are not converted in silence.
    avfilter_graph_set_auto_convert(graph, UInt32.max)
    let size = "video_size=\(frame.width)x\(frame.height):pix_fmt=\(frame.format)"
    let source = Self.add("buffer", "\(size):time_base=1/1000:pixel_aspect=1/1", graph)
    let filter = Self.add("bwdif", "mode=send_frame:parity=auto:deint=interlaced", graph)
    let sink = Self.add("buffersink", nil, graph)
    guard let source, let filter, let sink, avfilter_link(source, 0, filter, 0) >= 0,
      avfilter_link(filter, 0, sink, 0) >= 0, avfilter_graph_config(graph, nil) >= 0
    else {
      var graph: UnsafeMutablePointer<AVFilterGraph>? = graph
      avfilter_graph_free(&graph)
      let pixels = PixelLayout(picture.pixelFormat)?.name ?? "unknown"
      throw CinematicError(
        .unsupported, "\(name) (\(pixels)) cannot be deinterlaced by this FFmpeg's bwdif",
        remedy: "convert it to planar luma and chroma, or deinterlace it elsewhere")
    }
    self.graph = graph
    self.source = source
    self.sink = sink
  }

  deinit { avfilter_graph_free(&graph) }

  private static func add(
    _ name: String, _ arguments: String?, _ graph: UnsafeMutablePointer<AVFilterGraph>
  ) -> UnsafeMutablePointer<AVFilterContext>? {
    guard let filter = avfilter_get_by_name(name) else { return nil }
    var context: UnsafeMutablePointer<AVFilterContext>?
    let code = avfilter_graph_create_filter(&context, filter, name, arguments, nil, graph)
    return code >= 0 ? context : nil
  }

  /// - Throws: `incompatible` for a picture of another form than the first.
  func add(_ picture: PictureFrame, _ place: Int) throws(CinematicError) {
    guard picture.dimensions == dimensions, picture.pixelFormat == pixelFormat else {
      throw CinematicError(
        .incompatible, "\(name) changes its pictures' size or pixels at frame \(place)",
        remedy: "cut it there, and render the parts")
    }
    let stamp = picture.pointer.pointee.pts
    picture.pointer.pointee.pts = Int64(place)
    let code = av_buffersrc_add_frame_flags(
      source, picture.pointer, Int32(AV_BUFFERSRC_FLAG_KEEP_REF))
    picture.pointer.pointee.pts = stamp
    guard code >= 0 else { throw failed(code) }
  }

  /// Says that no more pictures come.
  func finish() throws(CinematicError) {
    let code = av_buffersrc_add_frame_flags(source, nil, 0)
    guard code >= 0 else { throw failed(code) }
  }

  /// The picture of a place; those before it are dropped.
  func picture(_ place: Int) throws(CinematicError) -> PictureFrame? {
    while true {
      guard let frame = PictureFrame() else { throw .outOfMemory(for: name) }
      let code = av_buffersink_get_frame(sink, frame.pointer)
      if code == FFmpeg.again || code == FFmpeg.endOfFile { return nil }
      guard code >= 0 else { throw failed(code) }
      // The filter counts fields.
      guard frame.pointer.pointee.pts / 2 == Int64(place) else { continue }
      frame.pointer.pointee.pts = Int64(place)
      return frame
    }
  }

  private func failed(_ code: Int32) -> CinematicError {
    code == FFmpeg.outOfMemory
      ? .outOfMemory(for: name)
      : CinematicError(.unknown, "cannot deinterlace \(name): \(FFmpeg.text(code))")
  }
}
