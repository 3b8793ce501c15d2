// SPDX-License-Identifier: Apache-2.0

import EyeKernels
import FocalCore

/// A picture as providers look at it: upright, at a size of theirs, in the codes of an sRGB screen.
package struct EyePicture: Sendable {
  package let dimensions: Dimensions
  /// Red, green and blue of each pixel, 0 to 1, rows without padding. High dynamic range is mapped to standard.
  package let codes: [Float]

  /// - Parameters:
  ///   - picture: in any format but those of disparity.
  ///   - turn: from stored to shown.
  ///   - dimensions: as shown.
  /// - Throws: `unsupported` for a disparity format, `outOfMemory`.
  package init(
    _ picture: PixelBuffer, turn: QuarterTurn, dimensions: Dimensions
  ) throws(CinematicError) {
    let strips = EyeStrips(picture, at: turn.inverse.applied(to: dimensions))
    var tags = ColorTags.sRGB
    let mapping = ToneMapping(from: picture.tags, to: tags)
    // Providers were made on pictures of every camera: primaries are not converted.
    if mapping == nil { tags.primaries = picture.tags.primaries }
    let stored = try strips.buffer(rows: strips.stripRows)
    let isScreen = stored.tags.transfer == .srgb
    let screen = try isScreen ? stored : strips.buffer(rows: strips.stripRows).tagged(tags)
    let curve = try stored.tags.transfer == .bt709 ? Self.screenCodes(of: stored.tags) : nil
    var codes = [Float](repeating: 0, count: 3 * dimensions.count)
    for rows in strips.ranges {
      let (part, shown) = (stored.top(rows.count), screen.top(rows.count))
      try strips.write(rows, to: part)
      if !isScreen, curve == nil { try shown.store(linearRGBA: part.asLight(), by: mapping) }
      (curve == nil ? shown : part).withUnsafeBytes { bytes in
        let pixels = bytes.bindMemory(to: Float.self).baseAddress!
        codes.withUnsafeMutableBufferPointer { codes in
          for y in rows {
            let (first, step) = Self.place(ofRow: y, turn, dimensions)
            focal_lay_codes(
              pixels + 4 * (y - rows.lowerBound) * part.width, Int32(part.width), curve,
              Int64(step), codes.baseAddress! + 3 * first)
          }
        }
      }
    }
    self.dimensions = dimensions
    self.codes = codes
  }

  /// Where the first pixel of a stored row is shown, and how far behind it the next one.
  private static func place(
    ofRow y: Int, _ turn: QuarterTurn, _ shown: Dimensions
  ) -> (first: Int, step: Int) {
    let (columns, rows) = (shown.width, shown.height)
    return switch turn {
    case .identity: (y * columns, 1)
    case .clockwise90: (columns - 1 - y, columns)
    case .clockwise180: ((rows - 1 - y) * columns + columns - 1, -1)
    case .clockwise270: ((rows - 1) * columns + y, -columns)
    }
  }

  /// The codes of an sRGB screen for even steps of another one's from 0 to 1. Between two steps the curve of BT.709 is a
  /// line to 2.4e-4, where its foot ends: a sixteenth of a code of 8 bits.
  ///
  /// - Throws: `outOfMemory`.
  private static func screenCodes(of tags: ColorTags) throws(CinematicError) -> [Float] {
    let ramp = try ramp(Int(FOCAL_CURVE_STEPS), until: 1, tags)
    var screenTags = tags
    screenTags.transfer = .srgb
    let screen = try PixelBuffer(
      dimensions: ramp.dimensions, format: .rgbaFloat, tags: screenTags)
    try screen.store(linearRGBA: ramp.linearRGBA())
    return screen.reds
  }

  /// A picture's light at another size, as it is stored.
  package static func light(
    of picture: PixelBuffer, at size: Dimensions
  ) throws(CinematicError) -> PixelBuffer {
    try stored(picture, at: size).asLight()
  }

  /// The same as it is looked at: light below zero may be none, and of standard dynamic range it comes from a table, which
  /// is right to 1e-6 at display white.
  package static func seenLight(
    of picture: PixelBuffer, at size: Dimensions
  ) throws(CinematicError) -> PixelBuffer {
    let result = try stored(picture, at: size)
    guard result.tags.transfer.isStandardRange else { return try result.asLight() }
    let curve = try lightCurve(of: result.tags)
    result.withUnsafeMutableBytes { bytes in
      focal_make_light(
        bytes.bindMemory(to: Float.self).baseAddress, Int32(size.count), curve)
    }
    var tags = result.tags
    tags.transfer = .linear
    return result.tagged(tags)
  }

  /// At another size, as it is stored; the tags say whether it is light.
  private static func stored(
    _ picture: PixelBuffer, at size: Dimensions
  ) throws(CinematicError) -> PixelBuffer {
    let strips = EyeStrips(picture, at: size)
    let result = try strips.buffer(rows: size.height)
    for rows in strips.ranges {
      try strips.write(rows, to: result.part(columns: 0..<size.width, rows: rows))
    }
    return result
  }

  /// The light of even steps of codes.
  ///
  /// - Throws: `outOfMemory`.
  private static func lightCurve(of tags: ColorTags) throws(CinematicError) -> [Float] {
    let steps = Int(FOCAL_LIGHT_END) * Int(FOCAL_CURVE_STEPS)
    return try ramp(steps, until: Float(FOCAL_LIGHT_END), tags).linearRGBA().reds
  }

  /// Gray in even steps from 0.
  private static func ramp(
    _ steps: Int, until end: Float, _ tags: ColorTags
  ) throws(CinematicError) -> PixelBuffer {
    try PixelBuffer(
      dimensions: Dimensions(width: steps + 1, height: 1), format: .rgbaFloat, tags: tags,
      values: (0...steps).flatMap {
        [Float](repeating: end * Float($0) / Float(steps), count: 4)
      })
  }

  /// Light as it is shown, three floats a pixel: none below zero.
  ///
  /// - Parameters:
  ///   - stored: linear `rgbaFloat`, rows without padding.
  ///   - turn: from stored to shown.
  package static func values(ofLight stored: PixelBuffer, turn: QuarterTurn) -> [Float] {
    let shown = turn.applied(to: stored.dimensions)
    return stored.withUnsafeBytes { bytes in
      let pixels = bytes.bindMemory(to: Float.self).baseAddress!
      return [Float](unsafeUninitializedCapacity: 3 * shown.count) { values, count in
        for y in 0..<stored.height {
          let (first, step) = Self.place(ofRow: y, turn, shown)
          focal_lay_light(
            pixels + 4 * y * stored.width, Int32(stored.width), Int64(step),
            values.baseAddress! + 3 * first)
        }
        count = 3 * shown.count
      }
    }
  }

  /// Red, green and blue of 0 to 255 and a zero of each pixel, rows without padding.
  package var bytes: [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 4 * dimensions.count) { bytes, count in
      count = 4 * dimensions.count
      codes.withUnsafeBufferPointer { codes in
        for index in 0..<dimensions.count {
          for channel in 0..<3 {
            bytes[4 * index + channel] = UInt8(255 * codes[3 * index + channel] + 0.5)
          }
          bytes[4 * index + 3] = 0
        }
      }
    }
  }

  /// Luma of 0 to 255, by BT.601's weights.
  package var luma: [UInt8] {
    [UInt8](unsafeUninitializedCapacity: dimensions.count) { luma, count in
      count = dimensions.count
      codes.withUnsafeBufferPointer { codes in
        for index in 0..<count {
          let red = codes[3 * index], green = codes[3 * index + 1], blue = codes[3 * index + 2]
          luma[index] = UInt8(255 * (0.299 * red + 0.587 * green + 0.114 * blue) + 0.5)
        }
      }
    }
  }
}

extension Dimensions {
  /// The size of the same shape whose longer side has at most so many pixels; it never grows.
  package func fitting(longerSide: Int) -> Dimensions {
    let longer = max(width, height)
    guard longer > longerSide else { return self }
    func scaled(_ side: Int) -> Int {
      max(1, Int((Double(side) * Double(longerSide) / Double(longer)).rounded()))
    }
    return Dimensions(width: scaled(width), height: scaled(height))
  }
}

extension CinematicError {
  static func noMemory(for dimensions: Dimensions) -> CinematicError {
    CinematicError(
      .outOfMemory, "no memory to estimate the disparity of a picture of \(dimensions)",
      remedy: "use a smaller picture")
  }
}

extension PixelBuffer {
  /// The first component of each pixel of `rgbaFloat`, rows without padding.
  fileprivate var reds: [Float] {
    withUnsafeBytes { bytes in
      let values = bytes.bindMemory(to: Float.self)
      return (0..<dimensions.count).map { values[4 * $0] }
    }
  }

  /// A map of floats in rows without padding.
  ///
  /// - Throws: `outOfMemory`.
  package static func map(
    _ values: [Float], _ dimensions: Dimensions
  ) throws(CinematicError) -> PixelBuffer {
    try PixelBuffer(
      dimensions: dimensions, format: .disparityFloat, tags: .linearBT709, values: values)
  }
}
