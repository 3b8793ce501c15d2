// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A filter that answers with a peak where its object is: one field a channel, learnt so that it
/// only looks at the object itself (Lukezic et al., Discriminative Correlation Filter with Channel
/// and Spatial Reliability, 2017: alternating directions of multipliers per channel).
///
/// Fields are squares of cells. Response and label have their origin at shift zero, in the corner.
struct CorrelationFilter {
  /// Spectra of pairs of channels, by channel; real and imaginary parts apart.
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
  private let transform: FourierTransform
  /// Where the negative frequency of each frequency lies.
  private let opposite: [Int32]
  private let label: Spectra
  private var filter: Spectra
  private var channelWeights: [Float]
  private var isTrained = false

  /// - Parameters:
  ///   - side: cells of a side, a power of two.
  ///   - channels: an even number.
  ///   - labelWidth: standard deviation of the wanted peak, in cells.
  init(side: Int, channels: Int, labelWidth: Double) {
    precondition(channels % 2 == 0, "channels come in pairs")
    self.side = side
    self.channels = channels
    transform = FourierTransform(side: side)
    opposite = (0..<(side * side)).map { index in
      let (row, column) = (index / side, index % side)
      return Int32((side - row) % side * side + (side - column) % side)
    }
    var label = Spectra(count: side * side)
    for row in 0..<side {
      for column in 0..<side {
        let y = Double(min(row, side - row))
        let x = Double(min(column, side - column))
        label.re[row * side + column] = Float(
          exp(-(x * x + y * y) / (2 * labelWidth * labelWidth)))
      }
    }
    let transform = self.transform
    label.re.withUnsafeMutableBufferPointer { re in
      label.im.withUnsafeMutableBufferPointer { im in
        transform.forward(re.baseAddress!, im.baseAddress!)
      }
    }
    self.label = label
    filter = Spectra(count: side * side * channels)
    channelWeights = [Float](repeating: 1 / Float(channels), count: channels)
  }

  private var count: Int { side * side }

  /// The spectra of real fields, channel after channel.
  func spectra(of fields: [Float]) -> Spectra {
    precondition(fields.count == channels * count, "a field for every channel")
    var result = Spectra(count: fields.count)
    var re = [Float](repeating: 0, count: count)
    var im = re
    for pair in stride(from: 0, to: channels, by: 2) {
      for index in 0..<count {
        re[index] = fields[pair * count + index]
        im[index] = fields[(pair + 1) * count + index]
      }
      forward(&re, &im)
      unpack(re, im, into: &result, pair: pair)
    }
    return result
  }

  /// The filter's answer to spectra, by shift in cells.
  func response(to spectra: Spectra) -> [Float] {
    var re = [Float](repeating: 0, count: count)
    var im = re
    spectra.re.withUnsafeBufferPointer { fRe in
      spectra.im.withUnsafeBufferPointer { fIm in
        filter.re.withUnsafeBufferPointer { hRe in
          filter.im.withUnsafeBufferPointer { hIm in
            re.withUnsafeMutableBufferPointer { re in
              im.withUnsafeMutableBufferPointer { im in
                for channel in 0..<channels {
                  let (weight, start) = (channelWeights[channel], channel * count)
                  for index in 0..<count {
                    let (a, b) = (fRe[start + index], fIm[start + index])
                    let (c, d) = (hRe[start + index], hIm[start + index])
                    re[index] += weight * (a * c + b * d)
                    im[index] += weight * (b * c - a * d)
                  }
                }
              }
            }
          }
        }
      }
    }
    inverse(&re, &im)
    return re
  }

  /// Learns what the object looks like now.
  ///
  /// - Parameters:
  ///   - spectra: of the object at shift zero.
  ///   - mask: the share of each cell that belongs to the object, the object in the field's middle.
  ///   - rate: the share of the new look.
  mutating func train(_ spectra: Spectra, mask: [Float], rate: Float) {
    var next = Spectra(count: channels * count)
    for pair in stride(from: 0, to: channels, by: 2) {
      solve(spectra, mask: mask, pair: pair, into: &next)
    }
    let weights = reliabilities(of: next, spectra: spectra)
    let share: Float = isTrained ? rate : 1
    for index in filter.re.indices {
      filter.re[index] += (next.re[index] - filter.re[index]) * share
      filter.im[index] += (next.im[index] - filter.im[index]) * share
    }
    for channel in 0..<channels {
      channelWeights[channel] += (weights[channel] - channelWeights[channel]) * share
    }
    isTrained = true
  }

  /// The penalty weight's start, growth and rounds, and the ridge: two rounds reach the third digit
  /// of what four give.
  private static let penalties: [Float] = [5, 15]
  private static let ridge: Float = 0.01

  /// A pair of channels' filters that are zero outside the mask.
  private func solve(_ spectra: Spectra, mask: [Float], pair: Int, into result: inout Spectra) {
    // per channel: spectrum of the features, filter, multiplier
    let size = 2 * count
    var h = Spectra(count: size)
    var multiplier = Spectra(count: size)
    var (re, im) = ([Float](repeating: 0, count: count), [Float](repeating: 0, count: count))
    let offset = pair * count

    for index in 0..<size {
      let (a, b) = (spectra.re[offset + index], spectra.im[offset + index])
      let at = index < count ? index : index - count
      let (c, d) = (label.re[at], label.im[at])
      let factor = 1 / (a * a + b * b + Self.ridge)
      h.re[index] = (a * c + b * d) * factor
      h.im[index] = (b * c - a * d) * factor
    }
    project(&h, h, scale: 1, mask: mask, &re, &im)
    for penalty in Self.penalties {
      var g = Spectra(count: size)
      for index in 0..<size {
        let (a, b) = (spectra.re[offset + index], spectra.im[offset + index])
        let at = index < count ? index : index - count
        let (c, d) = (label.re[at], label.im[at])
        let factor = 1 / (a * a + b * b + penalty)
        g.re[index] = (a * c + b * d + penalty * h.re[index] - multiplier.re[index]) * factor
        g.im[index] = (b * c - a * d + penalty * h.im[index] - multiplier.im[index]) * factor
      }
      var target = g
      for index in 0..<size {
        target.re[index] = penalty * g.re[index] + multiplier.re[index]
        target.im[index] = penalty * g.im[index] + multiplier.im[index]
      }
      project(&h, target, scale: 1 / (Self.ridge / 2 + penalty), mask: mask, &re, &im)
      for index in 0..<size {
        multiplier.re[index] += penalty * (g.re[index] - h.re[index])
        multiplier.im[index] += penalty * (g.im[index] - h.im[index])
      }
    }
    for index in 0..<size {
      result.re[offset + index] = h.re[index]
      result.im[offset + index] = h.im[index]
    }
  }

  /// Two spectra masked in space, times a factor.
  private func project(
    _ result: inout Spectra, _ source: Spectra, scale: Float, mask: [Float], _ re: inout [Float],
    _ im: inout [Float]
  ) {
    // both fields are real: they share one transform, as real and imaginary part
    for index in 0..<count {
      re[index] = source.re[index] - source.im[count + index]
      im[index] = source.im[index] + source.re[count + index]
    }
    inverse(&re, &im)
    for index in 0..<count {
      let factor = mask[index] * scale
      re[index] *= factor
      im[index] *= factor
    }
    forward(&re, &im)
    unpack(re, im, into: &result, pair: 0)
  }

  /// How clearly each channel answers, summing to 1.
  private func reliabilities(of filter: Spectra, spectra: Spectra) -> [Float] {
    var peaks = [Float](repeating: 0, count: channels)
    var (re, im) = ([Float](repeating: 0, count: count), [Float](repeating: 0, count: count))
    for pair in stride(from: 0, to: channels, by: 2) {
      for index in 0..<count {
        let (i, j) = (pair * count + index, (pair + 1) * count + index)
        let first = (
          spectra.re[i] * filter.re[i] + spectra.im[i] * filter.im[i],
          spectra.im[i] * filter.re[i] - spectra.re[i] * filter.im[i]
        )
        let second = (
          spectra.re[j] * filter.re[j] + spectra.im[j] * filter.im[j],
          spectra.im[j] * filter.re[j] - spectra.re[j] * filter.im[j]
        )
        re[index] = first.0 - second.1
        im[index] = first.1 + second.0
      }
      inverse(&re, &im)
      peaks[pair] = max(0, re.max() ?? 0)
      peaks[pair + 1] = max(0, im.max() ?? 0)
    }
    let sum = peaks.reduce(0, +)
    return sum > 0
      ? peaks.map { $0 / sum } : [Float](repeating: 1 / Float(channels), count: channels)
  }

  /// The spectra of the real and the imaginary part of a transformed field.
  private func unpack(_ re: [Float], _ im: [Float], into result: inout Spectra, pair: Int) {
    let (first, second) = (pair * count, (pair + 1) * count)
    for index in 0..<count {
      let other = Int(opposite[index])
      result.re[first + index] = (re[index] + re[other]) / 2
      result.im[first + index] = (im[index] - im[other]) / 2
      result.re[second + index] = (im[index] + im[other]) / 2
      result.im[second + index] = (re[other] - re[index]) / 2
    }
  }

  private func forward(_ re: inout [Float], _ im: inout [Float]) {
    re.withUnsafeMutableBufferPointer { re in
      im.withUnsafeMutableBufferPointer { im in
        transform.forward(re.baseAddress!, im.baseAddress!)
      }
    }
  }

  private func inverse(_ re: inout [Float], _ im: inout [Float]) {
    re.withUnsafeMutableBufferPointer { re in
      im.withUnsafeMutableBufferPointer { im in
        transform.inverse(re.baseAddress!, im.baseAddress!)
      }
    }
  }
}
