// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

/// The picture, the disparity and the metadata of one moment of a Cinematic movie.
public struct CinematicFrame: Sendable {
  /// The number of the frame, from 0.
  public let index: Int
  /// When it is shown, on the movie's timeline.
  public let timeRange: TimeRange
  /// The sharp picture, as stored (before the movie's preferred transform, behind a mirror).
  public let image: PixelBuffer
  /// The disparity, as stored; `nil` where the movie has none at this time.
  public let disparity: PixelBuffer?
  /// The timed metadata; `nil` where the movie has none at this time.
  public let metadata: TimedMetadataGroup?

  public var time: Time { timeRange.start }
}

/// The values of a timed metadata track at one time.
public struct TimedMetadataGroup: Hashable, Sendable {
  /// A value and what it is called.
  public struct Item: Hashable, Sendable {
    public var key: MetadataKey
    public var bytes: [UInt8]

    /// The value, read as the key's data type says; bytes of an unknown type stay bytes.
    public var value: MetadataValue {
      guard case .wellKnown(let type) = key.dataType else { return .data(bytes) }
      return MetadataValue(bytes, type: type)
    }
  }

  public let timeRange: TimeRange
  /// The sample as it stands in the file.
  public let rawSample: [UInt8]
  /// The values whose keys the track declares, in order.
  public let items: [Item]

  /// Takes a sample apart.
  ///
  /// - Throws: `malformed` for a sample that does not consist of values.
  public init(
    sample: [UInt8], keys: [MetadataKey], timeRange: TimeRange
  ) throws(CinematicError) {
    rawSample = sample
    self.timeRange = timeRange
    var items: [Item] = []
    for item in try TimedMetadata.items(sample[...]) {
      guard let key = keys.first(where: { $0.localID == item.localID }) else { continue }
      items.append(Item(key: key, bytes: Array(item.value)))
    }
    self.items = items
  }

  /// The first value of a name.
  public subscript(_ identifier: String) -> Item? {
    items.first { $0.key.identifier == identifier }
  }
}
