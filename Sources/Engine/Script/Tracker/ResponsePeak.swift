// SPDX-License-Identifier: Apache-2.0

/// The peak of a filter's response.
struct ResponsePeak {
  /// Its place between cells, from shift zero; negative to the left and up.
  let x: Double
  let y: Double
  /// The cell of the peak.
  let row: Int
  let column: Int
  let value: Float

  /// - Parameters:
  ///   - response: `side` squared values, shift zero in the corner.
  init(of response: [Float], side: Int) {
    var (top, peak) = (0, -Float.infinity)
    response.withUnsafeBufferPointer {
      for index in 0..<(side * side) where $0[index] > peak { (top, peak) = (index, $0[index]) }
    }
    let (row, column) = (top / side, top % side)
    func value(_ row: Int, _ column: Int) -> Float {
      response[(row + side) % side * side + (column + side) % side]
    }
    func signed(_ place: Double) -> Double {
      place >= Double(side / 2) ? place - Double(side) : place
    }
    x = signed(
      Double(column)
        + Double(ScaleFilter.vertex(value(row, column - 1), peak, value(row, column + 1))))
    y = signed(
      Double(row) + Double(ScaleFilter.vertex(value(row - 1, column), peak, value(row + 1, column)))
    )
    (self.row, self.column, self.value) = (row, column, peak)
  }
}
