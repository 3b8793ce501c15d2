// SPDX-License-Identifier: Apache-2.0

import FocalCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Objects that are not where they are expected.
extension CorrelationTracker {
  /// The least quality of an answer elsewhere: within one and a half objects, and beyond.
  private static let nearQuality: Float = 0.55
  private static let farQuality: Float = 0.7
  private static let nearDistance = 1.5
  /// The least share of usual colours elsewhere.
  private static let leastColor: Float = 0.75
  /// Parts of the picture that are searched in a frame, and places that are looked at closely.
  private static let partsPerFrame = 2
  private static let candidates = 3
  /// Places less than this share of the object apart are one: parts overlap.
  private static let leastDistance = 0.3
  /// Sizes that are tried in turn, one for each time that the whole picture was searched; 0 is the
  /// object's first size.
  private static let factors = [1, 0.8, 1, 1.25, 1, 0, 1, 0.64, 1, 1.56]

  /// An answer at the size that the object had is taken from this share of another size's on: an object that
  /// comes out from behind a pole looks like a smaller one at first.
  private static let unchangedShare: Float = 0.9

  /// Of what a detector found: how many are looked at, their sizes and shapes in shares of the object's, and
  /// the least quality. That something is there is known; that it is this object is not.
  private static let mostDetected = 8
  private static let detectedFactors = 0.33...3.0
  private static let detectedShapes = 0.6...1.7
  private static let detectedQuality: Float = 0.6

  /// Looks for the object where it is not expected: further around, and once it is lost in parts of the
  /// whole picture, one after the other.
  mutating func seek(
    _ picture: PicturePlanes, _ map: PixelBuffer?
  ) -> (answer: Answer, factor: Double)? {
    var factor = Self.factors[sweep % Self.factors.count]
    if factor == 0 { factor = (startArea / (width * height)).squareRoot() }
    let side = 2 * searchSide * factor
    let around = window(picture, map, x: centerX, y: centerY, side: side)
    var places = places(in: around, filter: 1, factor: factor, count: 2, tapers: false)
    let columns = max(1, Int((Double(picture.width) / (0.75 * side)).rounded(.up)))
    let rows = max(1, Int((Double(picture.height) / (0.75 * side)).rounded(.up)))
    for _ in 0..<(framesLost > 0 ? Self.partsPerFrame : 0) {
      part += 1
      if part >= columns * rows { (part, sweep) = (0, sweep + 1) }
      let x = (Double(part % columns) + 0.5) * Double(picture.width) / Double(columns)
      let y = (Double(part / columns) + 0.5) * Double(picture.height) / Double(rows)
      places += self.places(
        in: window(picture, map, x: x, y: y, side: side), filter: 1, factor: factor, count: 1,
        tapers: false)
    }
    places.removeAll {
      $0.x < 0 || $0.y < 0 || $0.x > Double(picture.width) || $0.y > Double(picture.height)
    }
    places.sort { $0.peak + Self.colorShare * $0.color > $1.peak + Self.colorShare * $1.color }
    var best: Answer?
    var looked: [Answer] = []
    let apart = Self.leastDistance * (width * height).squareRoot() * factor
    for place in places where looked.count < Self.candidates {
      guard looked.allSatisfy({ hypot($0.x - place.x, $0.y - place.y) >= apart }) else { continue }
      looked.append(place)
      let window = window(picture, map, x: place.x, y: place.y, side: searchSide * factor)
      let closely = self.places(in: window, filter: 0, factor: factor, count: 1, tapers: true)
      guard let answer = closely.first, isClear(answer),
        quality(answer) > best.map(quality) ?? 0
      else { continue }
      best = answer
    }
    guard let best else { return nil }
    if factor != 1 {
      let window = window(picture, map, x: best.x, y: best.y, side: searchSide)
      let unchanged = self.places(in: window, filter: 0, factor: 1, count: 1, tapers: true)
      if let answer = unchanged.first, isClear(answer),
        quality(answer) > Self.unchangedShare * quality(best)
      {
        return (answer, 1)
      }
    }
    return (best, factor)
  }

  /// The detected thing that most looks like an object that was lost; `nil` if none does.
  mutating func look(
    at detected: [NormalizedRect], _ picture: PicturePlanes, _ map: PixelBuffer?
  ) -> (Answer, Double)? {
    var best: (answer: Answer, factor: Double)?
    for rect in detected.prefix(Self.mostDetected) where rect.isFinite && rect.area > 0 {
      let (columns, rows) = (
        rect.width * Double(picture.width), rect.height * Double(picture.height)
      )
      let factor = (columns * rows / (width * height)).squareRoot()
      let shape = columns / rows / (width / height)
      guard Self.detectedFactors.contains(factor), Self.detectedShapes.contains(shape) else {
        continue
      }
      let window = window(
        picture, map, x: rect.midX * Double(picture.width), y: rect.midY * Double(picture.height),
        side: searchSide * factor)
      let places = places(in: window, filter: 0, factor: factor, count: 1, tapers: true)
      guard let answer = places.first, quality(answer) >= Self.detectedQuality,
        answer.color >= Self.leastColor * usual.color,
        quality(answer) > best.map({ quality($0.answer) }) ?? 0
      else { continue }
      best = (answer, factor)
    }
    return best.map { ($0.answer, $0.factor) }
  }

  /// Whether an answer elsewhere is sure to be the object.
  func isClear(_ answer: Answer) -> Bool {
    let distance = hypot(answer.x - centerX, answer.y - centerY)
    let isNear = distance < Self.nearDistance * (width * height).squareRoot()
    return quality(answer) >= (isNear ? Self.nearQuality : Self.farQuality)
      && answer.color >= Self.leastColor * usual.color
  }
}
