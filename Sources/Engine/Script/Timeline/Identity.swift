// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// A fingerprint of a recording, 128 bits: equal recordings have equal ones, others practically
/// never. It guards against mistakes, not against forgery.
public struct Identity: Hashable, Sendable, CustomStringConvertible {
  package let high: UInt64
  package let low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// 32 hexadecimal digits.
  public var description: String { hex(high) + hex(low) }

  private func hex(_ value: UInt64) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  init(
    timeRange: TimeRange, frameTimes: FrameTimes, fNumber: Float, tracks: [DetectionTrack],
    decisions: [Decision], transitions: [Decision: Transition],
    disparityRange: ClosedRange<Float>?, cuts: [Time]
  ) {
    var mixer = Mixer()
    mixer.add(timeRange.start)
    mixer.add(timeRange.duration)
    mixer.add(UInt64(frameTimes.count))
    if let step = frameTimes.frameDuration {
      mixer.add(step)
    } else {
      for time in frameTimes { mixer.add(time) }
    }
    mixer.add(UInt64(fNumber.bitPattern))
    mixer.add(UInt64(tracks.count))
    for track in tracks {
      mixer.add(UInt64(bitPattern: track.detectionID?.rawValue ?? 0))
      mixer.add(UInt64(bitPattern: track.detectionGroupID?.rawValue ?? 0))
      mixer.add(UInt64(track.detectionType.rawValue))
      switch track {
      case let fixed as FixedDetectionTrack:
        mixer.add(1)
        mixer.add(UInt64(fixed.focusDisparity.bitPattern))
      case let custom as CustomDetectionTrack:
        mixer.add(custom.isSmoothed ? 2 : 3)
        mixer.add(custom.givenSamples)
      default:
        mixer.add(4)
        mixer.add(track.samples)
      }
    }
    mixer.add(UInt64(decisions.count))
    for decision in decisions {
      mixer.add(decision.time)
      mixer.add(
        (decision.isGroupDecision ? 4 : 0) | (decision.isStrongDecision ? 2 : 0)
          | (decision.isUserDecision ? 1 : 0))
      let id = decision.detectionID?.rawValue ?? decision.detectionGroupID?.rawValue ?? 0
      mixer.add(UInt64(bitPattern: id))
      if let transition = transitions[decision] {
        mixer.add(transition.duration)
        mixer.add(UInt64(transition.curve.rawValue))
        if transition.isCut {
          mixer.add(transition.elapsed)
          mixer.add(transition.remaining)
        }
      }
    }
    if let disparityRange {
      mixer.add(UInt64(disparityRange.lowerBound.bitPattern))
      mixer.add(UInt64(disparityRange.upperBound.bitPattern))
    }
    // Recordings without cuts keep the identity that they had before there were any.
    if !cuts.isEmpty {
      mixer.add(UInt64(cuts.count))
      for cut in cuts { mixer.add(cut) }
    }
    self = mixer.identity
  }

  /// Two lanes of multiply and shift, with odd constants of which half the bits are set.
  private struct Mixer {
    var first: UInt64 = 0x243F_6A88_85A3_08D3
    var second: UInt64 = 0x1319_8A2E_0370_7344

    mutating func add(_ word: UInt64) {
      first = (first ^ word) &* 0x9E37_79B9_7F4A_7C15
      first ^= first >> 29
      second = (second &+ word) &* 0xD6E8_FEB8_6659_FD93
      second ^= second >> 32
    }

    /// Equal times count alike, whatever their timescales.
    mutating func add(_ time: Time) {
      let divisor = Int64(Time.greatestCommonDivisor(time.value.magnitude, UInt64(time.timescale)))
      add(UInt64(bitPattern: time.value / divisor))
      add(UInt64(Int64(time.timescale) / divisor))
    }

    mutating func add(_ samples: DetectionSamples) {
      add(UInt64(samples.count))
      for index in 0..<samples.count {
        add(samples.times[index])
        let rect = samples.rects[index]
        add(rect.x.bitPattern)
        add(rect.y.bitPattern)
        add(rect.width.bitPattern)
        add(rect.height.bitPattern)
        add(UInt64(samples.disparities[index].bitPattern))
      }
    }

    var identity: Identity { Identity(high: first, low: second) }
  }
}
