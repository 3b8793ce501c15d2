// SPDX-License-Identifier: Apache-2.0

import FocalCore

extension Detection {
  /// The disparity at which an object is in focus: the mean of the middle fifth of the valid
  /// disparities in the part of its rectangle that most surely belongs to it.
  ///
  /// - Parameters:
  ///   - rect: where the object lies; parts outside the picture are ignored.
  ///   - sourceDisparity: the map, `disparityHalf` or `disparityFloat`. Values that are not finite,
  ///     or beyond a million, are no disparities.
  ///   - detectionType: may be `unknown`.
  ///   - priorDisparity: the value in the previous frame: where a good part of the rectangle still
  ///     has about this disparity, something else that has entered the rectangle is ignored.
  /// - Returns: relative disparity, larger is nearer; without any valid disparity the prior one, or
  ///   not a number where there is none.
  public static func disparity(
    in rect: NormalizedRect, sourceDisparity: PixelBuffer, detectionType: DetectionType,
    priorDisparity: Float? = nil
  ) -> Float {
    let prior = priorDisparity.flatMap { $0.isFinite ? $0 : nil }
    guard sourceDisparity.format.isDisparity, rect.isFinite else { return prior ?? .nan }
    let core = core(of: rect, type: detectionType)
    var values = DisparitySampling.values(of: sourceDisparity, in: core, limit: 4096)
    if values.isEmpty {
      values = DisparitySampling.values(of: sourceDisparity, in: rect, limit: 4096)
    }
    guard !values.isEmpty else { return prior ?? .nan }
    values.sort()
    guard let prior else { return DisparitySampling.middle(of: values[...]) }
    // a seventh of the map's spread tells a subject from what passes before or behind it
    let gate = max(DisparitySampling.spread(of: sourceDisparity) * 0.15, abs(prior) * 1e-3)
    let near = values.drop { $0 < prior - gate }.prefix { $0 <= prior + gate }
    return DisparitySampling.middle(of: near.count * 5 >= values.count ? near : values[...])
  }

  /// The part of an object's rectangle that is least likely to show what is behind it: the middle,
  /// of bodies the chest.
  private static func core(of rect: NormalizedRect, type: DetectionType) -> NormalizedRect {
    switch type {
    case .humanTorso, .catBody, .dogBody:
      NormalizedRect(
        x: rect.x + rect.width * 0.25, y: rect.y + rect.height * 0.2,
        width: rect.width * 0.5, height: rect.height * 0.4)
    case .humanFace, .humanHead, .catHead, .dogHead, .sportsBall:
      NormalizedRect(
        x: rect.x + rect.width * 0.2, y: rect.y + rect.height * 0.2,
        width: rect.width * 0.6, height: rect.height * 0.5)
    case .unknown, .autoFocus, .fixedFocus, .custom:
      NormalizedRect(
        x: rect.x + rect.width * 0.25, y: rect.y + rect.height * 0.2,
        width: rect.width * 0.5, height: rect.height * 0.5)
    }
  }
}

/// Samples of a disparity map.
enum DisparitySampling {
  /// Valid disparities of a part of a map, on a grid coarse enough to stay under a limit; always at
  /// least the pixel at the part's centre.
  static func values(of map: PixelBuffer, in rect: NormalizedRect, limit: Int) -> [Float] {
    let size = map.dimensions
    guard rect.maxX > 0, rect.maxY > 0, rect.x < 1, rect.y < 1 else { return [] }
    let first = NormalizedPoint(x: rect.x, y: rect.y).pixel(in: size)
    let last = NormalizedPoint(x: rect.maxX, y: rect.maxY).pixel(in: size)
    let (width, height) = (last.x - first.x + 1, last.y - first.y + 1)
    guard width > 0, height > 0 else { return [] }
    var step = 1
    while (width / step + 1) * (height / step + 1) > limit { step += 1 }
    var values: [Float] = []
    let bytesPerRow = map.planes[0].bytesPerRow
    map.withUnsafeBytes { bytes in
      for y in stride(from: first.y + min(step / 2, height - 1), through: last.y, by: step) {
        for x in stride(from: first.x + min(step / 2, width - 1), through: last.x, by: step) {
          let value = load(bytes, map.format, y * bytesPerRow, x)
          if isValid(value) { values.append(value) }
        }
      }
    }
    return values
  }

  /// From the twentieth to the last twentieth of a map's valid disparities; zero without any.
  static func spread(of map: PixelBuffer) -> Float {
    let whole = NormalizedRect(x: 0, y: 0, width: 1, height: 1)
    let all = values(of: map, in: whole, limit: 4096).sorted()
    return all.isEmpty ? 0 : all[all.count * 19 / 20] - all[all.count / 20]
  }

  /// Calls `body` with a way to read a map by column and row; what is invalid is not a number.
  static func withRows(of map: PixelBuffer, _ body: ((Int, Int) -> Float) -> Void) {
    let bytesPerRow = map.planes[0].bytesPerRow
    map.withUnsafeBytes { bytes in
      body { x, y in
        let value = load(bytes, map.format, y * bytesPerRow, x)
        return isValid(value) ? value : .nan
      }
    }
  }

  private static func load(
    _ bytes: UnsafeRawBufferPointer, _ format: PixelFormat, _ row: Int, _ x: Int
  ) -> Float {
    if format == .disparityFloat {
      return bytes.loadUnaligned(fromByteOffset: row + x * 4, as: Float.self)
    }
    return Float(half: bytes.loadUnaligned(fromByteOffset: row + x * 2, as: UInt16.self))
  }

  static func isValid(_ value: Float) -> Bool { abs(value) <= PixelBuffer.largestDisparity }

  /// The mean of the middle fifth of sorted values.
  static func middle(of sorted: ArraySlice<Float>) -> Float {
    guard !sorted.isEmpty else { return .nan }
    let low = sorted.startIndex + sorted.count * 2 / 5
    let high = max(low + 1, sorted.startIndex + (sorted.count * 3 + 4) / 5)
    let part = sorted[low..<min(high, sorted.endIndex)]
    let mean = part.reduce(0.0) { $0 + Double($1) } / Double(part.count)
    return Float(mean)
  }
}
