// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// `ftyp` and `styp`: what the file says that it is.
public struct FileType: Hashable, Sendable {
  /// `qt  ` for QuickTime, `isom`, `mp42` and many more for MP4.
  public var majorBrand: FourCC
  /// The version of the major brand.
  public var minorVersion: UInt32
  /// Every brand that the file conforms to.
  public var compatibleBrands: [FourCC]

  /// - Parameter content: the box's contents.
  /// - Throws: `malformed` for contents that are cut short.
  public init(_ content: ArraySlice<UInt8>) throws(CinematicError) {
    var reader = ByteReader(content, box: "ftyp")
    majorBrand = try reader.fourCC()
    minorVersion = try reader.u32()
    compatibleBrands = []
    while reader.remaining >= 4 { compatibleBrands.append(try reader.fourCC()) }
  }

  /// Whether the major brand is QuickTime's.
  public var isQuickTime: Bool { majorBrand == "qt  " }
}
