// SPDX-License-Identifier: Apache-2.0

/// A box in memory, with the boxes in it: a value that can be changed and written again.
///
/// Unchanged parts are written byte for byte as they were read, unknown boxes included.
public struct Box: Hashable, Sendable {
  /// Bytes, or boxes.
  public enum Content: Hashable, Sendable {
    /// Bytes that are not looked into.
    case data(ArraySlice<UInt8>)
    /// Other boxes. Some containers begin with fields of their own (`leading`), some end with a few
    /// bytes that are no box (`trailing`, the zero at the end of QuickTime's `udta`).
    case boxes(leading: ArraySlice<UInt8>, [Box], trailing: ArraySlice<UInt8>)
  }

  /// The four characters that name it.
  public var type: FourCC
  /// The 16 bytes that name a box of the type `uuid`.
  public var extendedType: [UInt8]?
  /// How the size was, or is to be, stored; a box too large for 32 bits is written with 64.
  public var form: BoxHeader.Form
  /// Everything after its header.
  public var content: Content

  /// A box of bytes.
  public init(_ type: FourCC, data: ArraySlice<UInt8>) {
    self.type = type
    form = .compact
    content = .data(data)
  }

  /// A box of bytes.
  public init(_ type: FourCC, data: [UInt8]) { self.init(type, data: data[...]) }

  /// A box of boxes, perhaps after fields of its own.
  public init(_ type: FourCC, leading: [UInt8] = [], _ boxes: [Box]) {
    self.type = type
    form = .compact
    content = .boxes(leading: leading[...], boxes, trailing: [])
  }

  /// The boxes within; none in a box of bytes. Setting them makes a box of bytes a box of boxes.
  public var boxes: [Box] {
    get {
      if case .boxes(_, let boxes, _) = content { boxes } else { [] }
    }
    set {
      if case .boxes(let leading, _, let trailing) = content {
        content = .boxes(leading: leading, newValue, trailing: trailing)
      } else {
        content = .boxes(leading: [], newValue, trailing: [])
      }
    }
  }

  /// The bytes of a box of bytes, the fields before the boxes of another.
  public var data: ArraySlice<UInt8> {
    switch content {
    case .data(let bytes): bytes
    case .boxes(let leading, _, _): leading
    }
  }

  /// The first box of a type within.
  public subscript(_ type: FourCC) -> Box? { boxes.first { $0.type == type } }

  /// Every box of a type within.
  public func all(_ type: FourCC) -> [Box] { boxes.filter { $0.type == type } }

  /// The first box at the end of a path of types: `moov.at("mdia", "minf", "stbl")`.
  public func at(_ path: FourCC...) -> Box? {
    var box: Box? = self
    for type in path { box = box?[type] }
    return box
  }

  // MARK: - Writing

  /// Bytes of the head.
  public var headerSize: Int { headerSize(before: contentSize) }

  private func headerSize(before contentSize: Int) -> Int {
    (form == .large || contentSize > Int(UInt32.max) - 24 ? 16 : 8) + (extendedType?.count ?? 0)
  }

  /// Bytes after the header.
  public var contentSize: Int {
    switch content {
    case .data(let bytes): bytes.count
    case .boxes(let leading, let boxes, let trailing):
      leading.count + trailing.count + boxes.reduce(0) { $0 + $1.size }
    }
  }

  /// Bytes of the whole box.
  public var size: Int {
    // Once, not twice: every level would double the work.
    let contentSize = contentSize
    return headerSize(before: contentSize) + contentSize
  }

  /// The box as it stands in a file.
  public var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(size)
    append(to: &bytes)
    return bytes
  }

  /// Appends the box as it stands in a file.
  public func append(to bytes: inout [UInt8]) {
    func appendNumber(_ value: UInt64, _ count: Int) {
      for index in (0..<count).reversed() {
        bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * index)))
      }
    }
    let contentSize = contentSize
    let isLarge = headerSize(before: contentSize) - (extendedType?.count ?? 0) == 16
    let size = UInt64(headerSize(before: contentSize) + contentSize)
    appendNumber(isLarge ? 1 : form == .toEnd ? 0 : size, 4)
    appendNumber(UInt64(type.rawValue), 4)
    if isLarge { appendNumber(size, 8) }
    if let extendedType { bytes += extendedType }
    switch content {
    case .data(let data): bytes += data
    case .boxes(let leading, let boxes, let trailing):
      bytes += leading
      for box in boxes { box.append(to: &bytes) }
      bytes += trailing
    }
  }
}
