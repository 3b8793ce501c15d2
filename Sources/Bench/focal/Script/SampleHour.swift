// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalSample
import FocalScript
import Foundation

/// Detections of a long clip, drawn from a seed, for `focal bench-script`.
struct SampleHour {
  /// How an object of the clip moves.
  enum Motion: String, CaseIterable, CustomStringConvertible {
    case always = "moving"
    case sometimes = "moving at times"
    case never = "still"

    var description: String { rawValue }

    /// Of the first seconds of the clip, those in which the object has moved. It goes on from where it stood.
    func secondsMoved(by seconds: Double) -> Double {
      // For 22 s it moves, and as long it stands.
      let turn = 7 * Double.pi
      return switch self {
      case .always: seconds
      case .sometimes:
        turn * (seconds / (2 * turn)).rounded(.down)
          + min(seconds.truncatingRemainder(dividingBy: 2 * turn), turn)
      case .never: 0
      }
    }
  }

  var frameCount: Int

  private func time(_ frame: Int) -> Time { Time(value: Int64(frame * 20), timescale: 600) }

  /// A script with an object that always moves, two that move at times and one that stands.
  func recording() throws -> Recording {
    try recording(
      tracks: [Motion.always, .sometimes, .sometimes, .never].enumerated().map { index, motion in
        try RecordedDetectionTrack(
          detectionID: DetectionID(Int64(index + 1)), detectionType: .humanFace,
          detections: detections(motion, .humanFace, seed: UInt64(20 + index)))
      })
  }

  func recording(tracks: [DetectionTrack]) throws -> Recording {
    let range = TimeRange(start: .zero, duration: time(frameCount))
    return try Recording(
      timeRange: range, frameTimes: FrameTimes(range: range, frameDuration: time(1)), fNumber: 2.8,
      detectionTracks: tracks, decisions: [])
  }

  /// An object as an object tracker gives it.
  func tracked(_ motion: Motion) -> [Detection] {
    var rounding: TrackRounding?
    return detections(motion, .custom, seed: 21).map { detection in
      var detection = detection
      if rounding == nil { rounding = TrackRounding(first: detection, spread: 0.8) }
      rounding?.round(&detection)
      return detection
    }
  }

  /// Boxes that tremble by a five hundredth of the picture, in single precision as cameras store them.
  func detections(_ motion: Motion, _ type: DetectionType, seed: UInt64) -> [Detection] {
    var generator = SeededGenerator(seed: seed)
    func trembling(_ value: Double, by amount: Double = 0.002) -> Double {
      Double(Float(value + Double.random(in: -amount...amount, using: &generator)))
    }
    return (0..<frameCount).map { frame in
      let seconds = motion.secondsMoved(by: Double(frame) / 30)
      let side = 0.2 + 0.05 * sin(seconds / 11)
      return Detection(
        time: time(frame), detectionType: type,
        normalizedRect: NormalizedRect(
          x: trembling(0.4 + 0.2 * sin(seconds)),
          y: trembling(0.3 + 0.1 * sin(seconds / (motion == .always ? 1.7 : 5))),
          width: trembling(side, by: 0.001), height: trembling(1.5 * side, by: 0.001)),
        focusDisparity: Float(trembling(0.5 + 0.1 * sin(seconds / 5))))
    }
  }

  /// The numbers of a tracker's detections column by column, as differences of whole steps, seven
  /// bits a byte, low ones first.
  static func differences(of detections: [Detection]) -> Data {
    let columns: [(Detection) -> Double] = [
      { $0.normalizedRect.x }, { $0.normalizedRect.y }, { $0.normalizedRect.width },
      { $0.normalizedRect.height }, { Double($0.focusDisparity) },
    ]
    var data = Data(capacity: 5 * detections.count)
    for column in columns {
      let values = detections.map(column)
      // the coarsest step, down to 2⁻⁴⁰, of which every number is a multiple
      var steps = 1.0
      while steps < 0x1p40, values.contains(where: { ($0 * steps).rounded() != $0 * steps }) {
        steps *= 2
      }
      var last: Int64 = 0
      for value in values {
        let next = Int64((value * steps).rounded())
        let difference = next - last
        last = next
        var rest = UInt64(bitPattern: difference << 1 ^ difference >> 63)
        while rest >= 0x80 {
          data.append(UInt8(truncatingIfNeeded: rest) | 0x80)
          rest >>= 7
        }
        data.append(UInt8(rest))
      }
    }
    return data
  }
}
