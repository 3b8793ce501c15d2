// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Finds interlaced pictures among those of a pipe, and makes them whole or refuses them, as ``FieldDecoder`` does
/// with those of a track.
final class PipedFields: PipedFrames {
  private let base: any PipedFrames
  private let name: String
  private let deinterlaces: Bool
  private var filter: Deinterlacer?
  /// Pictures that the filter has and has not given back: it gives one when it has the next.
  private var waiting: [(frame: PipedFrame, place: Int)] = []
  private var count = 0
  private var isOver = false

  init(_ base: any PipedFrames, name: String, deinterlaces: Bool) {
    self.base = base
    self.name = name
    self.deinterlaces = deinterlaces
  }

  var facts: PictureFacts { base.facts }
  var codecName: String { base.codecName }
  var timescale: Int32 { base.timescale }
  var frameDuration: Time { base.frameDuration }
  var hasSound: Bool { base.hasSound }
  var companions: FilmCompanions { base.companions }

  func next(_ interruption: Interruption) throws(CinematicError) -> PipedFrame? {
    guard deinterlaces else { return try marked(interruption) }
    while true {
      if let first = waiting.first, let picture = try filter?.picture(first.place) {
        waiting.removeFirst()
        picture.pointer.pointee.pts = first.frame.picture.pointer.pointee.pts
        picture.interlacedOrder = FieldOrder(first.frame.picture)
        return PipedFrame(picture: picture, time: first.frame.time, duration: first.frame.duration)
      }
      guard !isOver else {
        guard let first = waiting.first else { return nil }
        throw CinematicError(
          .unknown, "\(name): frame \(first.place) does not come out of the deinterlacer")
      }
      guard let frame = try marked(interruption) else {
        isOver = true
        try filter?.finish()
        continue
      }
      let deinterlacer: Deinterlacer
      if let filter {
        deinterlacer = filter
      } else {
        deinterlacer = try Deinterlacer(frame.picture, name: name)
        filter = deinterlacer
      }
      try deinterlacer.add(frame.picture, count)
      waiting.append((frame, count))
      count += 1
    }
  }

  private func marked(_ interruption: Interruption) throws(CinematicError) -> PipedFrame? {
    guard let frame = try base.next(interruption) else { return nil }
    frame.picture.mark(base.facts.fieldOrder)
    if !deinterlaces { try frame.picture.refuseInterlaced(name) }
    return frame
  }
}
