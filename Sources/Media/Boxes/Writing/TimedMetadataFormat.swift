// SPDX-License-Identifier: Apache-2.0

/// The keys of a timed metadata track (`mebx`): what each sample may hold.
///
/// A sample is a row of items, each with its size and the number of its key. A key that a sample
/// does not hold has no value at that time.
public struct TimedMetadataFormat: Sendable {
  public struct Key: Hashable, Sendable {
    /// In reverse-DNS notation.
    public var name: String
    /// The well-known type's number: 1 is UTF-8, 23 a 32-bit float.
    public var type: UInt32

    public init(_ name: String, type: UInt32) {
      self.name = name
      self.type = type
    }
  }

  public var keys: [Key]

  public init(_ keys: [Key]) { self.keys = keys }

  /// The number under which samples know a key.
  public func number(of index: Int) -> UInt32 { UInt32(index + 1) }

  /// The sample entry with the table of keys.
  public var sampleEntry: Box {
    let entries = keys.enumerated().map { index, key in
      Box(
        FourCC(rawValue: number(of: index)),
        [
          Box("keyd") { writer in
            writer.fourCC("mdta")
            writer.append(key.name.utf8)
          },
          Box("dtyp") { writer in
            writer.u32(0)  // a well-known type
            writer.u32(key.type)
          },
        ])
    }
    return Box("mebx") { writer in
      writer.zeros(6)
      writer.u16(1)  // the data lies in this file
      writer.box(Box("keys", entries))
    }
  }

  /// One sample: values by the index of their key.
  public func sample(_ values: [(key: Int, bytes: [UInt8])]) -> [UInt8] {
    var writer = ByteWriter()
    for value in values {
      writer.u32(UInt32(8 + value.bytes.count))
      writer.u32(number(of: value.key))
      writer.append(value.bytes)
    }
    return writer.bytes
  }
}

/// The keys that a movie of this project has, under `io.github.focal`.
public enum CinematicKey {
  /// Timed: the disparity that is sharp, a 32-bit float.
  public static let focusDisparity = "io.github.focal.rendering.focus-disparity"
  /// Timed: the lens's f-number, a 32-bit float.
  public static let fNumber = "io.github.focal.rendering.f-number"
  /// Timed, in the first sample: the focus script as JSON, UTF-8.
  public static let script = "io.github.focal.script"
  /// Of the disparity track: the disparity of luma code 0, a 32-bit float.
  public static let disparityLow = "io.github.focal.disparity.low"
  /// Of the disparity track: the disparity of the largest luma code, a 32-bit float.
  public static let disparityHigh = "io.github.focal.disparity.high"
  /// Of the disparity track: the luma code that marks pixels without a disparity, a 32-bit unsigned
  /// number; no key where every pixel has one.
  public static let disparityHole = "io.github.focal.disparity.hole-code"

  /// The timed keys, in the order of their numbers in the movies that are written.
  public static let timed = TimedMetadataFormat([
    .init(focusDisparity, type: 23), .init(fNumber, type: 23), .init(script, type: 1),
  ])
}
