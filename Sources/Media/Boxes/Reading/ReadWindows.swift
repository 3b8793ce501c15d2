// SPDX-License-Identifier: Apache-2.0

/// The stretches of a file that were read last.
struct ReadWindows {
  private struct Window {
    var start: Int64
    var bytes: [UInt8]
    var end: Int64 { start + Int64(bytes.count) }
  }

  /// The newest first.
  private var windows: [Window] = []
  private static let maximumCount = 16

  /// The bytes of a range; `nil` where they are not there from its beginning to its end.
  func bytes(_ start: Int64, _ count: Int) -> ArraySlice<UInt8>? {
    for window in windows where window.start <= start && start < window.end {
      let from = Int(start - window.start)
      if from + count <= window.bytes.count { return window.bytes[from..<(from + count)] }
    }
    return nil
  }

  /// The bytes that are there from a place on.
  func beginning(_ start: Int64) -> ArraySlice<UInt8> {
    var longest: ArraySlice<UInt8> = []
    for window in windows where window.start <= start && start < window.end {
      let bytes = window.bytes[Int(start - window.start)...]
      if bytes.count > longest.count { longest = bytes }
    }
    return longest
  }

  /// The next place, from one on, at which bytes are there.
  func next(from place: Int64) -> Int64? {
    windows.map(\.start).filter { $0 >= place }.min()
  }

  mutating func insert(_ start: Int64, _ bytes: [UInt8]) {
    windows.insert(Window(start: start, bytes: bytes), at: 0)
    if windows.count > Self.maximumCount { windows.removeLast() }
  }

  /// Drops what is longer than some bytes.
  mutating func drop(longerThan count: Int) { windows.removeAll { $0.bytes.count > count } }
}
