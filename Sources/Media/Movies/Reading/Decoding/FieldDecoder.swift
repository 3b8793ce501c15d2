// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore

/// Finds interlaced pictures among those of a track, and makes them whole or refuses them.
///
/// A field's missing rows come from the pictures before and after: those are decoded as well. A picture is
/// the same however it is reached.
final class FieldDecoder: PictureDecoder {
  private let base: any PictureDecoder
  private let name: String
  /// Samples in the order of the screen.
  private let order: [Int32]
  private let places: [Int: Int]
  private let fieldOrder: FieldOrder?
  private let deinterlaces: Bool
  /// The filter, and the place of the picture that it got last.
  private var filter: (deinterlacer: Deinterlacer, last: Int)?
  /// Pictures around the one that was given last, by their places.
  private var decoded: [Int: PictureFrame] = [:]

  init(
    _ base: any PictureDecoder, name: String, order: [Int32], fieldOrder: FieldOrder?,
    deinterlaces: Bool
  ) {
    self.base = base
    self.name = name
    self.order = order
    self.fieldOrder = fieldOrder
    self.deinterlaces = deinterlaces
    places = Dictionary(uniqueKeysWithValues: order.enumerated().map { (Int($1), $0) })
  }

  var codecName: String { base.codecName }

  func picture(
    of sample: Int, while isWanted: () -> Bool
  ) throws(CinematicError) -> PictureFrame? {
    guard deinterlaces, let place = places[sample] else {
      return try marked(sample, while: isWanted)
    }
    // The filter gives a picture when it has the next; a new one begins with the one before.
    if filter == nil || filter?.last != place {
      filter = nil
      for earlier in max(place - 1, 0)...place {
        guard let picture = try decoded(earlier, while: isWanted) else { return nil }
        try feed(picture, earlier)
      }
    }
    let next = place + 1
    if next < order.count {
      guard let picture = try decoded(next, while: isWanted) else {
        filter = nil
        return nil
      }
      try feed(picture, next)
    } else {
      try filter?.deinterlacer.finish()
      filter?.last = next
    }
    decoded = decoded.filter { abs($0.key - place) <= 1 }
    guard let filter, let result = try filter.deinterlacer.picture(place) else {
      throw CinematicError(
        .unknown, "\(name): frame \(place) does not come out of the deinterlacer")
    }
    // A recording that begins broken gives another picture for some places, and says which.
    if let original = decoded[place] {
      result.pointer.pointee.pts = original.pointer.pointee.pts
      result.interlacedOrder = FieldOrder(original)
    }
    return result
  }

  private func feed(_ picture: PictureFrame, _ place: Int) throws(CinematicError) {
    let deinterlacer: Deinterlacer
    if let filter {
      deinterlacer = filter.deinterlacer
    } else {
      deinterlacer = try Deinterlacer(picture, name: name)
    }
    try deinterlacer.add(picture, place)
    filter = (deinterlacer, place)
  }

  private func decoded(
    _ place: Int, while isWanted: () -> Bool
  ) throws(CinematicError) -> PictureFrame? {
    if let known = decoded[place] { return known }
    let picture = try marked(Int(order[place]), while: isWanted)
    decoded[place] = picture
    return picture
  }

  /// A picture that says itself whether it is interlaced, where the container says it for all.
  private func marked(
    _ sample: Int, while isWanted: () -> Bool
  ) throws(CinematicError) -> PictureFrame? {
    guard let picture = try base.picture(of: sample, while: isWanted) else { return nil }
    if let fieldOrder, focal_frame_is_interlaced(picture.pointer) == 0 {
      focal_frame_set_interlaced(picture.pointer, fieldOrder == .topFirst ? 1 : 0)
    }
    guard !deinterlaces, let found = FieldOrder(picture) else { return picture }
    throw CinematicError(
      .unsupported,
      "\(name) is interlaced (\(found.title)): each picture is of two moments",
      remedy: "use --deinterlace; or --progressive, if both moments are the same one")
  }
}

/// FFmpeg's bwdif: the rows of the first moment stay, those of the other are interpolated where something
/// moves.
private final class Deinterlacer {
  private let name: String
  private var graph: UnsafeMutablePointer<AVFilterGraph>?
  private let source: UnsafeMutablePointer<AVFilterContext>
  private let sink: UnsafeMutablePointer<AVFilterContext>

  /// - Throws: `unsupported` for pixels that the filter does not take, or an FFmpeg that lacks it.
  init(_ picture: PictureFrame, name: String) throws(CinematicError) {
    _ = FFmpeg.prepared
    self.name = name
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

  func add(_ picture: PictureFrame, _ place: Int) throws(CinematicError) {
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

extension PictureFrame {
  /// Side data of the coded picture that is not written with another, in words.
  var unkeptExtras: [String] {
    let kinds: [(AVFrameSideDataType, String)] = [
      (AV_FRAME_DATA_A53_CC, "the captions inside the pictures"),
      (AV_FRAME_DATA_DOVI_RPU_BUFFER, "Dolby Vision"),
      (AV_FRAME_DATA_DYNAMIC_HDR_PLUS, "the changing metadata of HDR10+"),
    ]
    return kinds.filter { av_frame_get_side_data(pointer, $0.0) != nil }.map(\.1)
  }
}

extension FieldOrder {
  /// `nil` for a progressive picture.
  init?(_ picture: PictureFrame) {
    guard focal_frame_is_interlaced(picture.pointer) != 0 else { return nil }
    self = focal_frame_is_top_first(picture.pointer) != 0 ? .topFirst : .bottomFirst
  }

  /// For people.
  public var title: String { self == .topFirst ? "top field first" : "bottom field first" }
}

extension SampleEntry {
  /// The values of `fiel`; `nil` for progressive pictures and where nothing is said.
  public var fieldOrder: FieldOrder? {
    guard let box = extensions.first(where: { $0.type == "fiel" }) else { return nil }
    var reader = ByteReader(box.data, box: "fiel")
    guard let count = try? reader.u8(), count == 2, let detail = try? reader.u8() else {
      return nil
    }
    switch detail {
    case 1, 14: return .topFirst
    case 6, 9: return .bottomFirst
    default: return nil
    }
  }

  /// The box `fiel` of interlaced pictures; `nil` for others.
  static func fields(_ order: AVFieldOrder) -> Box? {
    let detail: UInt8
    switch order {
    case AV_FIELD_TT: detail = 1
    case AV_FIELD_BB: detail = 6
    case AV_FIELD_TB: detail = 9
    case AV_FIELD_BT: detail = 14
    default: return nil
    }
    return Box("fiel") { writer in
      writer.u8(2)
      writer.u8(detail)
    }
  }
}
