// SPDX-License-Identifier: Apache-2.0

/// Codes a track's numbers row by row: each is foretold from those before it in its column, and what
/// is left, mostly small, is coded with probabilities that follow the track: still or moving, and
/// whether the columns before have moved in the same row.
struct ResidualModel {
  /// How a number is predicted.
  enum Prediction: UInt8, CaseIterable {
    /// The last one.
    case same = 0
    /// As far from the last as that was from the one before.
    case onward = 1
  }

  fileprivate struct Column {
    let prediction: Prediction
    var last: Int64 = 0
    var secondLast: Int64 = 0
    /// Sizes of the last two residuals, saturated.
    var sizes: (Int, Int) = (0, 0)
    /// 0 none, 1 positive, 2 negative: the last residual that was not zero.
    var lastSign = 0
    var zeros = [BitProbability](repeating: .init(), count: 3 * ResidualModel.activities)
    var signs = [BitProbability](repeating: .init(), count: 3)
    var lengths = [BitProbability](
      repeating: .init(), count: ResidualModel.activities * (ResidualModel.longest + 1))
    var leads = [BitProbability](repeating: .init(), count: ResidualModel.longest + 1)
  }

  /// Classes of how much a column has moved lately.
  fileprivate static let activities = 12
  /// Bits of a residual's magnitude.
  fileprivate static let longest = 63

  private var columns: [Column]

  init(_ predictions: [Prediction]) { columns = predictions.map { Column(prediction: $0) } }

  /// Codes a row: writes its numbers, or reads them into it.
  ///
  /// - Parameter row: as many numbers as columns, each below 2⁶⁰ in magnitude when it is written.
  mutating func code(_ row: inout [Int64], with coder: inout some BitCoder) {
    var moved = 0
    for index in columns.indices {
      row[index] = columns[index].code(row[index], moved: &moved, with: &coder)
    }
  }

  /// The prediction that leaves the smaller residuals of a column.
  static func prediction(for column: [Int64]) -> Prediction {
    var (same, onward) = (0, 0)
    for index in column.indices.dropFirst(2) {
      let step = column[index] &- column[index - 1]
      same += bitLength(step)
      onward += bitLength(step &- (column[index - 1] &- column[index - 2]))
    }
    return onward < same ? .onward : .same
  }

  private static func bitLength(_ value: Int64) -> Int {
    64 - value.magnitude.leadingZeroBitCount
  }
}

extension ResidualModel.Column {
  fileprivate mutating func code(
    _ value: Int64, moved: inout Int, with coder: inout some BitCoder
  ) -> Int64 {
    // hostile numbers may overflow: they wrap around, the same both ways
    let foretold = prediction == .same ? last : last &+ (last &- secondLast)
    let residual = codeResidual(value &- foretold, moved: moved, with: &coder)
    if residual != 0 { moved = min(2, moved + 1) }
    (secondLast, last) = (last, foretold &+ residual)
    return last
  }

  private mutating func codeResidual(
    _ residual: Int64, moved: Int, with coder: inout some BitCoder
  ) -> Int64 {
    let recent = 2 * sizes.0 + sizes.1
    let activity = min(ResidualModel.activities - 1, recent.bitWidth - recent.leadingZeroBitCount)
    let isMoving = coder.code(
      residual != 0, &zeros[moved * ResidualModel.activities + activity])
    guard isMoving else {
      sizes = (0, sizes.0)
      return 0
    }
    let isNegative = coder.code(residual < 0, &signs[lastSign])
    lastSign = isNegative ? 2 : 1
    // the bits of the magnitude: how many, one a time, then all but the first
    let wanted = residual.magnitude
    let wantedLength = 64 - wanted.leadingZeroBitCount
    var length = 1
    while length < ResidualModel.longest {
      let place = activity * (ResidualModel.longest + 1) + length
      guard coder.code(length < wantedLength, &lengths[place]) else { break }
      length += 1
    }
    var magnitude: UInt64 = 1
    for place in stride(from: length - 2, through: 0, by: -1) {
      let bit = wanted >> UInt64(place) & 1 == 1
      let isSet = place == length - 2 ? coder.code(bit, &leads[length]) : coder.codeEven(bit)
      magnitude = magnitude << 1 | (isSet ? 1 : 0)
    }
    sizes = (Int(min(magnitude, 1 << 16)), sizes.0)
    return isNegative ? -Int64(magnitude) : Int64(magnitude)
  }
}
