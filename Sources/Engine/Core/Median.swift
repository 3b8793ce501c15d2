// SPDX-License-Identifier: Apache-2.0

extension Collection where Element: BinaryFloatingPoint {
  /// The median: the middle value, of an even number the mean of the middle two; `nil` for no values.
  package var median: Double? {
    let sorted = self.sorted()
    guard !sorted.isEmpty else { return nil }
    let middle = sorted.count / 2
    return sorted.count % 2 == 1
      ? Double(sorted[middle]) : (Double(sorted[middle - 1]) + Double(sorted[middle])) / 2
  }
}
