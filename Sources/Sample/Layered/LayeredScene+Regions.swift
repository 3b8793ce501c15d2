// SPDX-License-Identifier: Apache-2.0

import FocalCore

extension LayeredScene {
  /// A part of the picture whose error is worth a number of its own.
  public enum Region: String, Hashable, Sendable, CaseIterable {
    /// Inside the sharp subject, where nothing out of focus reaches: should not change at all.
    case focus
    /// A band around the sharp subject's outline, hair included.
    case outline
    /// A band around the outlines of the near leaves, as wide as their blur.
    case near
    /// The far plane where nothing nearer reaches.
    case far
  }

  /// Whether each pixel belongs to a region, row by row.
  public func mask(_ region: Region) -> [Bool] {
    let pillars = covered(1, atLeast: 1e-4)
    let head = covered(2, atLeast: 1e-4)
    let solidHead = covered(2, atLeast: 1)
    let leaves = covered(3, atLeast: 1e-4)
    let nearReach = reach(3)
    let band = max(2, 12 * dimensions.width / 1920)
    switch region {
    case .focus:
      let inside = eroded(solidHead, by: 2)
      let disturbed = dilated(leaves, by: nearReach)
      return zip(inside, disturbed).map { $0 && !$1 }
    case .outline:
      let around = dilated(head, by: band)
      let inside = eroded(solidHead, by: band)
      let disturbed = dilated(leaves, by: nearReach)
      return around.indices.map { around[$0] && !inside[$0] && !disturbed[$0] }
    case .near:
      let around = dilated(leaves, by: nearReach)
      let inside = eroded(covered(3, atLeast: 1), by: nearReach)
      return zip(around, inside).map { $0 && !$1 }
    case .far:
      let a = dilated(pillars, by: reach(1) + reach(0))
      let b = dilated(head, by: reach(0))
      let c = dilated(leaves, by: nearReach + reach(0))
      return a.indices.map { !a[$0] && !b[$0] && !c[$0] }
    }
  }

  /// How much of each pixel shows the head in focus: `disparityFloat`, 0 to 1.
  ///
  /// - Throws: `outOfMemory`.
  public func headMask() throws(CinematicError) -> PixelBuffer {
    let mask = try PixelBuffer(dimensions: dimensions, format: .disparityFloat)
    var plane = FloatPlane(width: dimensions.width, height: dimensions.height)
    for y in 0..<dimensions.height {
      for x in 0..<dimensions.width {
        plane.values[y * dimensions.width + x] =
          planes[2].coverage(x, y) * (1 - planes[3].coverage(x, y))
      }
    }
    plane.write(to: mask)
    return mask
  }

  /// A point of the head's face.
  public static let headPoint = NormalizedPoint(x: 0.5, y: 0.45)

  /// A plane's radius in whole pixels, rounded up.
  private func reach(_ plane: Int) -> Int { Int(abs(radius(ofPlane: plane)).rounded(.up)) }

  private func covered(_ plane: Int, atLeast share: Float) -> [Bool] {
    var result: [Bool] = []
    result.reserveCapacity(dimensions.count)
    for y in 0..<dimensions.height {
      for x in 0..<dimensions.width { result.append(planes[plane].coverage(x, y) >= share) }
    }
    return result
  }

  /// Whether anything lies within a square of 2·`radius` + 1 around each pixel.
  private func dilated(_ mask: [Bool], by radius: Int) -> [Bool] {
    let width = dimensions.width
    let height = dimensions.height
    func spread(_ source: [Bool], _ count: Int, _ lines: Int, _ step: Int, _ lineStep: Int)
      -> [Bool]
    {
      var result = [Bool](repeating: false, count: source.count)
      for line in 0..<lines {
        var last = -(radius + 1)
        for i in 0..<count {
          if source[line * lineStep + i * step] { last = i }
          if i - last <= radius { result[line * lineStep + i * step] = true }
        }
        var next = count + radius + 1
        for i in stride(from: count - 1, through: 0, by: -1) {
          if source[line * lineStep + i * step] { next = i }
          if next - i <= radius { result[line * lineStep + i * step] = true }
        }
      }
      return result
    }
    let rows = spread(mask, width, height, 1, width)
    return spread(rows, height, width, width, 1)
  }

  private func eroded(_ mask: [Bool], by radius: Int) -> [Bool] {
    dilated(mask.map { !$0 }, by: radius).map { !$0 }
  }
}
