// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// `clap`: the part of coded pictures that is shown, in whole pixels.
public struct CleanAperture: Hashable, Sendable {
  /// Columns and rows that are cut off at the left and above; even, so that chroma of half the
  /// resolution stays where it is.
  public var left: Int
  /// The first row.
  public var top: Int
  /// Columns and rows.
  public var dimensions: Dimensions

  /// - Parameters:
  ///   - content: the box's contents: width, height and the way from the coded picture's middle to
  ///     the part's, each a fraction.
  ///   - coded: the size of the coded pictures.
  /// - Returns: `nil` where everything is shown, and for fractions that describe no part of the
  ///   picture, which are passed over as players do.
  public init?(_ content: ArraySlice<UInt8>, of coded: Dimensions) {
    var reader = ByteReader(content, box: "clap")
    var values: [Double] = []
    for _ in 0..<4 {
      guard let numerator = try? reader.i32(), let denominator = try? reader.u32(), denominator > 0
      else { return nil }
      values.append(Double(numerator) / Double(denominator))
    }
    let (width, height) = (values[0].rounded(), values[1].rounded())
    guard width >= 1, height >= 1, width <= Double(coded.width), height <= Double(coded.height)
    else { return nil }
    dimensions = Dimensions(width: Int(width), height: Int(height))
    func start(_ coded: Int, _ shown: Int, _ offset: Double) -> Int? {
      let start = (Double(coded - shown) / 2 + offset).rounded(.down)
      guard start >= 0, start <= Double(coded - shown) else { return nil }
      return Int(start) & ~1
    }
    guard let left = start(coded.width, dimensions.width, values[2]),
      let top = start(coded.height, dimensions.height, values[3]), dimensions != coded
    else { return nil }
    (self.left, self.top) = (left, top)
  }
}

extension SampleEntry {
  /// The part of the pictures that is shown; `nil` where all of it is.
  public var cleanAperture: CleanAperture? {
    guard case .visual(let visual) = details,
      let box = visual.extensions.first(where: { $0.type == "clap" })
    else { return nil }
    return CleanAperture(box.data, of: visual.dimensions)
  }
}
