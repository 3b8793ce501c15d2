// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

/// FFmpeg's bwdif: the rows of the first moment stay, those of the other are interpolated where something
/// moves.
final class Deinterlacer {
  private let name: String
  private let library: FilterLibrary
  private var graph: FilterLibrary.Graph?
  private let source: FilterLibrary.Context
  private let sink: FilterLibrary.Context
  private let dimensions: Dimensions
  private let pixelFormat: AVPixelFormat

  /// - Throws: `unsupported` for pixels that the filter does not take, or an FFmpeg that lacks it; `incomplete` where its library
  ///   of filters is not installed.
  init(_ picture: PictureFrame, name: String) throws(CinematicError) {
    _ = FFmpeg.prepared
    self.name = name
    dimensions = picture.dimensions
    pixelFormat = picture.pixelFormat
    let frame = picture.pointer.pointee
    library = try FilterLibrary.open()
    guard let graph = library.allocateGraph() else { throw .outOfMemory(for: name) }
    // Formats are not converted in silence.
    library.setAutoConvert(graph, UInt32.max)
    let size = "video_size=\(frame.width)x\(frame.height):pix_fmt=\(frame.format)"
    let source = Self.add("buffer", "\(size):time_base=1/1000:pixel_aspect=1/1", graph, library)
    let filter = Self.add(
      "bwdif", "mode=send_frame:parity=auto:deint=interlaced", graph, library)
    let sink = Self.add("buffersink", nil, graph, library)
    guard let source, let filter, let sink, library.link(source, 0, filter, 0) >= 0,
      library.link(filter, 0, sink, 0) >= 0, library.configure(graph, nil) >= 0
    else {
      var graph: FilterLibrary.Graph? = graph
      library.freeGraph(&graph)
      let pixels = PixelLayout(picture.pixelFormat)?.name ?? "unknown"
      throw CinematicError(
        .unsupported, "\(name) (\(pixels)) cannot be deinterlaced by this FFmpeg's bwdif",
        remedy: "convert it to planar luma and chroma, or deinterlace it elsewhere")
    }
    self.graph = graph
    self.source = source
    self.sink = sink
  }

  deinit { library.freeGraph(&graph) }

  private static func add(
    _ name: String, _ arguments: String?, _ graph: FilterLibrary.Graph, _ library: FilterLibrary
  ) -> FilterLibrary.Context? {
    guard let filter = library.filter(name) else { return nil }
    var context: FilterLibrary.Context?
    let code = name.withCString { name in
      guard let arguments else {
        return library.createFilter(&context, filter, name, nil, nil, graph)
      }
      return arguments.withCString { arguments in
        library.createFilter(&context, filter, name, arguments, nil, graph)
      }
    }
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
    let code = library.addFrame(
      source, picture.pointer, Int32(AV_BUFFERSRC_FLAG_KEEP_REF))
    picture.pointer.pointee.pts = stamp
    guard code >= 0 else { throw failed(code) }
  }

  /// Says that no more pictures come.
  func finish() throws(CinematicError) {
    let code = library.addFrame(source, nil, 0)
    guard code >= 0 else { throw failed(code) }
  }

  /// The picture of a place; those before it are dropped.
  func picture(_ place: Int) throws(CinematicError) -> PictureFrame? {
    while true {
      guard let frame = PictureFrame() else { throw .outOfMemory(for: name) }
      let code = library.getFrame(sink, frame.pointer)
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
