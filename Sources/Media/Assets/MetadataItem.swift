// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

/// A named value of a movie or a track: its maker, its date, a reverse-DNS key of another program.
///
/// Its key is known at once; the value is read when it is loaded.
public final class MetadataItem: AsyncPropertyLoading {
  /// `mdta` for reverse-DNS names, `itsk` for iTunes' four-character codes, `udta` for those of QuickTime's user data,
  /// `tags` for the plain names of other containers.
  public let namespace: FourCC
  /// `com.apple.quicktime.make`, say.
  public let key: String
  /// QuickTime's number of how the value is stored: 0 bytes, 1 UTF-8, 21 and 22 whole numbers…
  public let dataType: UInt32
  /// Bytes of the value.
  public let byteCount: Int
  public let loadedProperties = PropertyStore()

  private let read: @Sendable () async throws(CinematicError) -> [UInt8]

  init(
    namespace: FourCC, key: String, dataType: UInt32, byteCount: Int,
    read: @escaping @Sendable () async throws(CinematicError) -> [UInt8]
  ) {
    self.namespace = namespace
    self.key = key
    self.dataType = dataType
    self.byteCount = byteCount
    self.read = read
  }

  fileprivate func bytes() async throws(CinematicError) -> [UInt8] { try await read() }
}

extension AsyncProperty where Root == MetadataItem, Value == [UInt8] {
  /// The value as it is stored.
  public static var dataValue: Self {
    Self("dataValue") { item throws(CinematicError) in try await item.bytes() }
  }
}

extension AsyncProperty where Root == MetadataItem, Value == MetadataValue {
  /// The value, read as its data type says.
  public static var value: Self {
    Self("value") { item throws(CinematicError) in
      let bytes = try await item.load(.dataValue)
      return MetadataValue(bytes, type: item.dataType)
    }
  }
}

extension AsyncProperty where Root == MetadataItem, Value == String? {
  /// The value as text; `nil` for bytes.
  public static var stringValue: Self {
    Self("stringValue") { item throws(CinematicError) in
      let value = try await item.load(.value)
      return value.text
    }
  }
}

/// A metadata value.
public enum MetadataValue: Hashable, Sendable {
  case text(String)
  case integer(Int64)
  case number(Double)
  /// Bytes of a type that has no reading here.
  case data([UInt8])

  /// - Parameter type: QuickTime's well-known number. Bytes that do not fit it stay bytes.
  public init(_ bytes: [UInt8], type: UInt32) {
    let bits = bytes.count <= 8 ? bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } : 0
    func signed(_ count: Int) -> Int64 {
      Int64(bitPattern: bits << UInt64(64 - 8 * count)) >> Int64(64 - 8 * count)
    }
    self =
      switch (type, bytes.count) {
      case (1, _): .text(String(decoding: bytes, as: UTF8.self))
      case (2, _):
        .text(
          String(
            decoding: stride(from: 0, to: bytes.count - 1, by: 2).map {
              UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
            }, as: UTF16.self))
      case (21, 1...8), (65, 1), (66, 2), (67, 4), (74, 8): .integer(signed(bytes.count))
      case (22, 1...7), (75, 1), (76, 2), (77, 4): .integer(Int64(bits))
      case (22, 8), (78, 8): .integer(Int64(clamping: bits))
      case (23, 4): .number(Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))))
      case (24, 8): .number(Double(bitPattern: bits))
      default: .data(bytes)
      }
  }

  /// The value for people; `nil` for bytes.
  public var text: String? {
    switch self {
    case .text(let text): text
    case .integer(let value): "\(value)"
    case .number(let value): "\(value)"
    case .data: nil
    }
  }
}
