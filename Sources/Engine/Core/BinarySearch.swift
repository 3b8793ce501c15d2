// SPDX-License-Identifier: Apache-2.0

extension RandomAccessCollection {
  /// The first position whose element satisfies a condition, or the end index, by bisection.
  ///
  /// - Parameter condition: false for every element up to some position, and true from there on.
  @inlinable package func firstPosition(where condition: (Element) -> Bool) -> Index {
    var (low, count) = (startIndex, count)
    while count > 0 {
      let half = count / 2
      let middle = index(low, offsetBy: half)
      if condition(self[middle]) {
        count = half
      } else {
        low = index(after: middle)
        count -= half + 1
      }
    }
    return low
  }
}
