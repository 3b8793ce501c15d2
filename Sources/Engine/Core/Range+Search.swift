// SPDX-License-Identifier: Apache-2.0

extension Range<Int> {
  /// Binary search: the first number that does not satisfy a condition, which all before it satisfy and
  /// none after it; the range's end if all do.
  @inlinable
  package func partitionPoint(_ isBefore: (Int) -> Bool) -> Int {
    var (low, high) = (lowerBound, upperBound)
    while low < high {
      let middle = low + (high - low) / 2
      if isBefore(middle) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
