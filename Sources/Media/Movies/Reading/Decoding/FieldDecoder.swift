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
    picture.mark(fieldOrder)
    if !deinterlaces { try picture.refuseInterlaced(name) }
    return picture
  }
}

extension PictureFrame {
  /// Lets the picture say that it is interlaced where it does not and its container does.
  func mark(_ containerOrder: FieldOrder?) {
    guard let containerOrder, focal_frame_is_interlaced(pointer) == 0 else { return }
    focal_frame_set_interlaced(pointer, containerOrder == .topFirst ? 1 : 0)
  }

  /// - Throws: `unsupported` for an interlaced picture.
  func refuseInterlaced(_ name: String) throws(CinematicError) {
    guard let order = FieldOrder(self) else { return }
    throw CinematicError(
      .unsupported,
      "\(name) is interlaced (\(order.title)): each picture is of two moments",
      remedy:
        "use \(parameter: .deinterlaced); or \(parameter: .progressive), if both moments are the same one"
    )
  }

  /// Side data of the coded picture that is not written with another, in words.
  var unkeptExtras: [String] {
    let kinds: [(AVFrameSideDataType, String)] = [
      (AV_FRAME_DATA_A53_CC, "the captions inside the pictures"),
      (AV_FRAME_DATA_DOVI_RPU_BUFFER, PictureFacts.dolbyVision),
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
