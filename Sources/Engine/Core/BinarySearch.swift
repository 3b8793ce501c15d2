// SPDX-License-Identifier: Apache-2.0

extension RandomAccessCollection {
  /// Binary search: the position of the first element that does not satisfy a condition, which all
  /// before it satisfy and none after it; the end index if all do.
  @inlinable
  package func partitionPoint(_ isBefore: (Element) -> Bool) -> Index {
    var (low, count) = (startIndex, count)
    while count > 0 {
      let half = count / 2
      let middle = index(low, offsetBy: half)
      if isBefore(self[middle]) {
        low = index(after: middle)
        count -= half + 1
      } else {
        count = half
      }
    }
    return low
  }
}
