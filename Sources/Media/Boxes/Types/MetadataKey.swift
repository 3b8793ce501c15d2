// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// A key of a timed metadata track (`mebx`): what a number in its samples stands for.
public struct MetadataKey: Hashable, Sendable {
  /// The number in the samples; never 0 or 0xFFFFFFFF.
  public var localID: UInt32
  /// `mdta` for reverse-DNS names.
  public var namespace: FourCC
  /// `com.apple.quicktime.…`, say.
  public var name: [UInt8]
  /// The type of the values.
  public var dataType: DataType
  /// The file's other statements about the key (`loca`, `setu`…), as it stands there.
  public var extras: [Box]

  /// How a value is stored.
  public enum DataType: Hashable, Sendable {
    /// A number of QuickTime's list: 0 raw bytes, 1 UTF-8, 23 a 32-bit float…
    case wellKnown(UInt32)
    /// A reverse-DNS name of another program's type.
    case named([UInt8])
  }

  /// The name as text.
  public var identifier: String { String(decoding: name, as: UTF8.self) }

  /// A key with a name as text.
  ///
  /// - Parameters:
  ///   - localID: the key's number in its track; samples name it.
  ///   - dataType: how its values are stored; raw bytes by default.
  public init(
    localID: UInt32, namespace: FourCC = "mdta", name: String, dataType: DataType = .wellKnown(0)
  ) {
    self.localID = localID
    self.namespace = namespace
    self.name = Array(name.utf8)
    self.dataType = dataType
    extras = []
  }

  /// The keys table in the boxes of a `mebx` sample entry; empty where there is none.
  ///
  /// - Throws: `malformed` for a key without a name or number, or two of one number.
  static func table(_ extensions: ArraySlice<UInt8>) throws(CinematicError) -> [MetadataKey] {
    guard let table = try Box.prefix(extensions, count: .max).first(where: { $0.type == "keys" })
    else { return [] }
    var keys: [MetadataKey] = []
    var numbers: Set<UInt32> = []
    for box in try Box.parse(table.data) {
      // Zero marks a key that is no longer used.
      guard box.type.rawValue != 0 else { continue }
      let key = try MetadataKey(box)
      guard numbers.insert(key.localID).inserted else {
        throw .malformedMovie("the metadata key \(key.localID) is there twice")
      }
      keys.append(key)
    }
    return keys
  }

  init(_ box: Box) throws(CinematicError) {
    localID = box.type.rawValue
    guard localID != .max else { throw .malformedMovie("a metadata key has a reserved number") }
    var declaration: (FourCC, [UInt8])?
    var type = DataType.wellKnown(0)
    extras = []
    for part in try Box.parse(box.data) {
      var reader = ByteReader(part.data, box: part.type)
      switch part.type {
      case "keyd": declaration = (try reader.fourCC(), Array(reader.rest))
      case "dtyp":
        let kind = try reader.u32()
        type = kind == 0 ? .wellKnown(try reader.u32()) : .named(Array(reader.rest))
      default: extras.append(part)
      }
    }
    guard let declaration else {
      throw .malformedMovie("the metadata key \(box.type.rawValue) has no name")
    }
    (namespace, name) = declaration
    dataType = type
  }
}

/// The values of a `mebx` sample.
public enum TimedMetadata {
  /// One value.
  public struct Item: Hashable, Sendable {
    /// The key that the value belongs to.
    public var localID: UInt32
    /// The value, as it is stored.
    public var value: ArraySlice<UInt8>
  }

  /// The most values that a sample may have.
  public static let maximumItemCount = 1 << 12

  /// The values of a sample, in order.
  ///
  /// - Throws: `malformed` for values that reach beyond the sample.
  public static func items(_ sample: ArraySlice<UInt8>) throws(CinematicError) -> [Item] {
    var items: [Item] = []
    var reader = ByteReader(sample, of: "the metadata sample")
    while reader.remaining >= 8 {
      let size = try reader.u32()
      let localID = try reader.u32()
      guard size >= 8, size - 8 <= reader.remaining else {
        throw reader.malformed(
          "a value claims \(size) bytes where \(reader.remaining + 8) are left")
      }
      guard items.count < maximumItemCount else {
        throw reader.malformed("it has more than \(maximumItemCount) values")
      }
      let value = try reader.bytes(Int(size) - 8)
      // Zero stands for nothing.
      if localID != 0 { items.append(Item(localID: localID, value: value)) }
    }
    guard reader.isAtEnd || reader.rest.allSatisfy({ $0 == 0 }) else {
      throw reader.malformed("\(reader.remaining) bytes follow its values")
    }
    return items
  }
}
