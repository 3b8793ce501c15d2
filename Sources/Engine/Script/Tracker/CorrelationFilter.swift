// SPDX-License-Identifier: Apache-2.0

import TrackingKernels

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A filter that answers with a peak where its object is: one field a channel, all learnt together,
/// so that they look at the object alone (Galoogahi et al., Learning Background-Aware Correlation
/// Filters for Visual Tracking, 2017: alternating directions of multipliers).
///
/// Fields are squares of cells. Response and label have their origin at shift zero, in the corner.
struct CorrelationFilter {
  /// Spectra of real fields, channel after channel: half of the frequencies, real and imaginary
  /// parts apart.
  struct Spectra {
    var re: [Float]
    var im: [Float]

    init(count: Int) {
      re = [Float](repeating: 0, count: count)
      im = re
    }
  }

  let side: Int
  let channels: Int
  private let endsMasked: Bool
  private let transform: FourierTransform
  private let label: [Float]
  private var filter: Spectra
  private var isTrained = false
  private var fieldRe: [Float]
  private var fieldIm: [Float]
  private var workspace: [Float]

  /// How strongly the filter is held to where the object is.
  private static let penalty: Float = 10
  private static let penaltyGrowth: Float = 1.2
  private static let rounds = 2

  private var count: Int { side * side }
  private var bins: Int { (side / 2 + 1) * side }

  /// - Parameters:
  ///   - side: cells of a side, a power of two.
  ///   - channels: an even number.
  ///   - labelWidth: standard deviation of the wanted peak, in cells.
  ///   - endsMasked: whether nothing is learnt of what is not the object. Otherwise a little is, which helps
  ///     where the object is large in the field; where it is small, the filter answers to what is behind.
  init(side: Int, channels: Int, labelWidth: Double, endsMasked: Bool) {
    precondition(channels % 2 == 0, "channels come in pairs")
    self.side = side
    self.channels = channels
    self.endsMasked = endsMasked
    transform = FourierTransform(side: side)
    fieldRe = [Float](repeating: 0, count: side * side)
    fieldIm = fieldRe
    workspace = [Float](repeating: 0, count: 3 * side * side)
    for row in 0..<side {
      for column in 0..<side {
        let y = Double(min(row, side - row))
        let x = Double(min(column, side - column))
        fieldRe[row * side + column] = Float(
          exp(-(x * x + y * y) / (2 * labelWidth * labelWidth)))
      }
    }
    transform.forward(&fieldRe, &fieldIm, workspace: &workspace)
    // of a symmetric field the spectrum is real
    label = Array(fieldRe[0..<((side / 2 + 1) * side)])
    filter = Spectra(count: (side / 2 + 1) * side * channels)
  }

  /// The spectra of real fields, channel after channel.
  mutating func spectra(of fields: [Float]) -> Spectra {
    precondition(fields.count == channels * count, "a field for every channel")
    var result = Spectra(count: channels * bins)
    let count = count
    for pair in stride(from: 0, to: channels, by: 2) {
      fieldRe.withUnsafeMutableBufferPointer { re in
        fieldIm.withUnsafeMutableBufferPointer { im in
          fields.withUnsafeBufferPointer { fields in
            re.baseAddress!.update(from: fields.baseAddress! + pair * count, count: count)
            im.baseAddress!.update(from: fields.baseAddress! + (pair + 1) * count, count: count)
          }
        }
      }
      split(into: &result, pair: pair)
    }
    return result
  }

  /// The filter's answer to spectra, by shift in cells; 1 for what it was trained with.
  mutating func response(to spectra: Spectra) -> [Float] {
    var sum = Spectra(count: bins)
    for channel in 0..<channels {
      let start = channel * bins
      spectra.re.withUnsafeBufferPointer { xRe in
        spectra.im.withUnsafeBufferPointer { xIm in
          filter.re.withUnsafeBufferPointer { fRe in
            filter.im.withUnsafeBufferPointer { fIm in
              focal_track_correlate(
                xRe.baseAddress! + start, xIm.baseAddress! + start, fRe.baseAddress! + start,
                fIm.baseAddress! + start, Int32(bins), &sum.re, &sum.im)
            }
          }
        }
      }
    }
    let none = [Float](repeating: 0, count: bins)
    focal_track_join(sum.re, sum.im, none, none, Int32(side), &fieldRe, &fieldIm)
    transform.inverse(&fieldRe, &fieldIm, workspace: &workspace)
    let factor = 1 / Float(count)
    return fieldRe.map { $0 * factor }
  }

  /// Learns what the object looks like now.
  ///
  /// - Parameters:
  ///   - spectra: of the object at shift zero.
  ///   - mask: the share of each cell that belongs to the object, the object in the field's middle.
  ///   - rate: the share of the new look; the first look counts whole.
  mutating func train(_ spectra: Spectra, mask: [Float], rate: Float) {
    let size = channels * bins
    var g = Spectra(count: size)
    var h = Spectra(count: size)
    var f = Spectra(count: size)
    var penalty = Self.penalty
    for round in 0..<Self.rounds {
      focal_track_solve(
        spectra.re, spectra.im, label, g.re, g.im, h.re, h.im, penalty, Int32(channels),
        Int32(bins), &f.re, &f.im, &workspace)
      guard round + 1 < Self.rounds else { break }
      for index in 0..<size {
        h.re[index] += f.re[index]
        h.im[index] += f.im[index]
      }
      project(h, mask: mask, into: &g)
      let share = 1 / Self.penaltyGrowth
      for index in 0..<size {
        h.re[index] = (h.re[index] - g.re[index]) * share
        h.im[index] = (h.im[index] - g.im[index]) * share
      }
      penalty *= Self.penaltyGrowth
    }
    if endsMasked {
      project(f, mask: mask, into: &g)
      swap(&f, &g)
    }
    let share = isTrained ? rate : 1
    for index in 0..<size {
      filter.re[index] += (f.re[index] - filter.re[index]) * share
      filter.im[index] += (f.im[index] - filter.im[index]) * share
    }
    isTrained = true
  }

  /// Spectra masked in space.
  private mutating func project(_ source: Spectra, mask: [Float], into result: inout Spectra) {
    let count = count
    let factor = 1 / Float(count)
    for pair in stride(from: 0, to: channels, by: 2) {
      let (first, second) = (pair * bins, (pair + 1) * bins)
      source.re.withUnsafeBufferPointer { re in
        source.im.withUnsafeBufferPointer { im in
          focal_track_join(
            re.baseAddress! + first, im.baseAddress! + first, re.baseAddress! + second,
            im.baseAddress! + second, Int32(side), &fieldRe, &fieldIm)
        }
      }
      transform.inverse(&fieldRe, &fieldIm, workspace: &workspace)
      fieldRe.withUnsafeMutableBufferPointer { re in
        fieldIm.withUnsafeMutableBufferPointer { im in
          mask.withUnsafeBufferPointer { mask in
            for index in 0..<count {
              re[index] *= mask[index] * factor
              im[index] *= mask[index] * factor
            }
          }
        }
      }
      split(into: &result, pair: pair)
    }
  }

  private mutating func split(into result: inout Spectra, pair: Int) {
    transform.forward(&fieldRe, &fieldIm, workspace: &workspace)
    let (first, second) = (pair * bins, (pair + 1) * bins)
    result.re.withUnsafeMutableBufferPointer { re in
      result.im.withUnsafeMutableBufferPointer { im in
        focal_track_split(
          fieldRe, fieldIm, Int32(side), re.baseAddress! + first, im.baseAddress! + first,
          re.baseAddress! + second, im.baseAddress! + second)
      }
    }
  }
}
