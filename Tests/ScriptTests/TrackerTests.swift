// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalSample
import Foundation
import Testing

@testable import FocalScript

/// Following an object, on frames made here: a textured disc before a textured wall.
struct TrackerTests {
  static let size = Dimensions(width: 320, height: 180)

  /// Smooth noise of a seed, 0 to 255.
  private static func texture(_ x: Double, _ y: Double, seed: Double) -> Double {
    128 + 45 * sin(x * 0.31 + seed) * cos(y * 0.27 + seed * 2)
      + 40 * sin(x * 0.13 - y * 0.17 + seed * 3) + 30 * cos(x * 0.71 + y * 0.53 + seed)
  }

  private struct Scene {
    var x: Double
    var y: Double
    var radius = 22.0
    var isVisible = true

    var rect: NormalizedRect {
      NormalizedRect(
        x: (x - radius) / 320, y: (y - radius) / 180, width: 2 * radius / 320,
        height: 2 * radius / 180)
    }

    func image(_ format: PixelFormat = .gray8) throws -> PixelBuffer {
      let buffer = try PixelBuffer(dimensions: TrackerTests.size, format: .gray8)
      buffer.withUnsafeMutableBytes { bytes in
        for row in 0..<180 {
          for column in 0..<320 {
            let (dx, dy) = (Double(column) + 0.5 - x, Double(row) + 0.5 - y)
            let inside = isVisible && dx * dx + dy * dy < radius * radius
            let value =
              inside
              ? texture(dx * 22 / radius, dy * 22 / radius, seed: 5)
              : texture(Double(column), Double(row), seed: 1) * 0.8
            bytes[row * buffer.planes[0].bytesPerRow + column] = UInt8(max(0, min(255, value)))
          }
        }
      }
      guard format != .gray8 else { return buffer }
      let other = try PixelBuffer(dimensions: TrackerTests.size, format: format)
      try other.store(linearRGBA: buffer.linearRGBA())
      return other
    }

    func map() throws -> PixelBuffer {
      let buffer = try PixelBuffer(
        dimensions: Dimensions(width: 80, height: 45), format: .disparityFloat)
      buffer.withUnsafeMutableBytes { bytes in
        for row in 0..<45 {
          for column in 0..<80 {
            let (dx, dy) = (Double(column) * 4 + 2 - x, Double(row) * 4 + 2 - y)
            let inside = isVisible && dx * dx + dy * dy < radius * radius
            bytes.storeBytes(
              of: inside ? 0.7 : 0.2 + Float(row) * 0.002,
              toByteOffset: row * buffer.planes[0].bytesPerRow + column * 4, as: Float.self)
          }
        }
      }
      return buffer
    }
  }

  @Test(arguments: [PixelFormat.gray8, .yuv420Video10, .rgbaHalf])
  func followsAMovingAndGrowingObject(_ format: PixelFormat) throws {
    let tracker = ObjectTracker()
    var scene = Scene(x: 100, y: 80)
    let first = try scene.image(format)
    let point = NormalizedPoint(x: 102.0 / 320, y: 78.0 / 180)
    let found = try #require(
      tracker.findObject(at: point, sourceImage: first, sourceDisparity: scene.map()))
    #expect(found.normalizedBounds.overlap(scene.rect) > 0.75)
    #expect(
      tracker.startTracking(
        at: .zero, within: scene.rect, sourceImage: first, sourceDisparity: try scene.map()))
    for frame in 1...8 {
      scene.x += 5
      scene.y += 2
      scene.radius *= 1.012
      let prediction = try #require(
        tracker.continueTracking(
          at: Scripts.frameTime(frame), sourceImage: try scene.image(format),
          sourceDisparity: try scene.map()))
      #expect(prediction.normalizedBounds.overlap(scene.rect) > 0.75, "frame \(frame)")
      #expect(prediction.confidence > 0.3 && prediction.confidence <= 1)
    }
    let track = try #require(tracker.finishDetectionTrack())
    #expect(track.allDetections.count == 9 && track.detectionType == .custom)
    #expect(track.allDetections.allSatisfy { abs($0.focusDisparity - 0.7) < 0.01 })
    #expect(tracker.finishDetectionTrack() == nil)
  }

  @Test func saysWhenTheObjectIsGoneAndFindsItAgain() throws {
    let tracker = ObjectTracker()
    var scene = Scene(x: 150, y: 90)
    tracker.startTracking(
      at: .zero, within: scene.rect, sourceImage: try scene.image(),
      sourceDisparity: try scene.map())
    func next(_ frame: Int) throws -> BoundsPrediction? {
      tracker.continueTracking(
        at: Scripts.frameTime(frame), sourceImage: try scene.image(),
        sourceDisparity: try scene.map())
    }
    #expect(try next(1) != nil)
    scene.isVisible = false
    #expect(try next(2) == nil)
    #expect(try next(3) == nil)
    scene.isVisible = true
    scene.x += 8
    let again = try #require(try next(4))
    #expect(again.normalizedBounds.overlap(scene.rect) > 0.7)
    #expect(tracker.finishDetectionTrack()?.allDetections.count == 3)
  }

  @Test func nothingToFollowIsRefused() throws {
    let tracker = ObjectTracker()
    let scene = Scene(x: 150, y: 90)
    let (image, map) = (try scene.image(), try scene.map())
    for rect in [
      NormalizedRect(x: 0.2, y: 0.2, width: 0, height: 0.2),
      NormalizedRect(x: 1.2, y: 0.2, width: 0.2, height: 0.2),
      NormalizedRect(x: .nan, y: 0.2, width: 0.2, height: 0.2),
      NormalizedRect(x: 0.2, y: 0.2, width: 0.001, height: 0.001),
      NormalizedRect(x: -1e9, y: -1e9, width: 2e9, height: 2e9),
    ] {
      #expect(
        !tracker.startTracking(at: .zero, within: rect, sourceImage: image, sourceDisparity: map))
    }
    #expect(
      !tracker.startTracking(at: .zero, within: scene.rect, sourceImage: map, sourceDisparity: map))
    #expect(tracker.continueTracking(at: .zero, sourceImage: image, sourceDisparity: map) == nil)
    #expect(tracker.findObject(at: NormalizedPoint(x: 2, y: 0.5), sourceImage: image) == nil)
    #expect(tracker.findObject(at: NormalizedPoint(x: .nan, y: 0.5), sourceImage: image) == nil)
    let flat = try PixelBuffer(dimensions: Dimensions(width: 1, height: 1), format: .gray8)
    #expect(tracker.findObject(at: NormalizedPoint(x: 0.5, y: 0.5), sourceImage: flat) == nil)
  }

  /// A caller's own: the object goes right by a tenth each frame.
  private struct Conveyor: VisualTracker {
    var bounds = NormalizedRect(x: 0, y: 0, width: 0, height: 0)
    mutating func start(
      within bounds: NormalizedRect, sourceImage: PixelBuffer, sourceDisparity: PixelBuffer?
    ) -> Bool {
      self.bounds = bounds
      return true
    }
    mutating func next(
      sourceImage: PixelBuffer, sourceDisparity: PixelBuffer?
    ) -> BoundsPrediction? {
      bounds.x += 0.1
      return BoundsPrediction(normalizedBounds: bounds, confidence: 1)
    }
  }

  @Test func aCallersTrackerPlugsIn() throws {
    let tracker = ObjectTracker(visualTracker: Conveyor())
    let scene = Scene(x: 50, y: 90)
    tracker.startTracking(
      at: .zero, within: scene.rect, sourceImage: try scene.image(),
      sourceDisparity: try scene.map())
    let next = tracker.continueTracking(
      at: Scripts.frameTime(1), sourceImage: try scene.image(), sourceDisparity: try scene.map())
    #expect(next?.normalizedBounds.x == scene.rect.x + 0.1)
    #expect(
      tracker.continueTracking(
        at: Scripts.frameTime(1), sourceImage: try scene.image(), sourceDisparity: try scene.map())
        == nil)
    let script = try Scripts.talk()
    let id = script.addDetectionTrack(try #require(tracker.finishDetectionTrack()))
    #expect(script.frame(at: .zero)?.detection(for: id) != nil)
  }

  /// A caller's own that gives one box after the other.
  private struct BoxTeller: VisualTracker {
    var boxes: [NormalizedRect]
    mutating func start(
      within bounds: NormalizedRect, sourceImage: PixelBuffer, sourceDisparity: PixelBuffer?
    ) -> Bool { true }
    mutating func next(
      sourceImage: PixelBuffer, sourceDisparity: PixelBuffer?
    ) -> BoundsPrediction? {
      boxes.isEmpty ? nil : BoundsPrediction(normalizedBounds: boxes.removeFirst(), confidence: 1)
    }
  }

  /// What no script could hold counts as lost; the rest of the track stays.
  @Test func oddBoxesCountAsLost() throws {
    let scene = Scene(x: 50, y: 90)
    let odd = [
      NormalizedRect(x: .nan, y: 0, width: 1, height: 1),
      NormalizedRect(x: 0, y: 0, width: .infinity, height: 1),
      NormalizedRect(x: -1e300, y: 0, width: 2e300, height: 1e300),
      NormalizedRect(x: -1.1e6, y: 0, width: 1.2e6, height: 1),
      NormalizedRect(x: 0.2, y: 0.2, width: -0.1, height: 0.1),
      NormalizedRect(x: 0.2, y: 0.2, width: 0.1, height: 0),
    ]
    let tracker = ObjectTracker(visualTracker: BoxTeller(boxes: odd + [scene.rect]))
    let (image, map) = (try scene.image(), try scene.map())
    for box in odd {
      let isStarted = tracker.startTracking(
        at: .zero, within: box, sourceImage: image, sourceDisparity: map)
      #expect(!isStarted, "\(box)")
    }
    tracker.startTracking(
      at: .zero, within: scene.rect, sourceImage: image, sourceDisparity: map)
    for (index, box) in odd.enumerated() {
      let found = tracker.continueTracking(
        at: Scripts.frameTime(index + 1), sourceImage: image, sourceDisparity: map)
      #expect(found == nil, "\(box)")
    }
    let last = tracker.continueTracking(
      at: Scripts.frameTime(odd.count + 1), sourceImage: image, sourceDisparity: map)
    #expect(last?.normalizedBounds == scene.rect)
    let track = try #require(tracker.finishDetectionTrack())
    #expect(track.allDetections.count == 2)
  }

  @Test func transformIsInvertedAndMatchesItsDefinition() {
    let side = 8
    let transform = FourierTransform(side: side)
    var generator = SeededGenerator(seed: 4)
    let real = (0..<64).map { _ in Float.random(in: -1...1, using: &generator) }
    let imaginary = (0..<64).map { _ in Float.random(in: -1...1, using: &generator) }
    var (re, im) = (real, imaginary)
    var workspace = [Float](repeating: 0, count: 2 * side * side)
    transform.forward(&re, &im, workspace: &workspace)
    for v in 0..<side {
      for u in 0..<side {
        var (sumRe, sumIm) = (0.0, 0.0)
        for y in 0..<side {
          for x in 0..<side {
            let phase = -2 * Double.pi * Double(u * x + v * y) / Double(side)
            let (a, b) = (Double(real[y * side + x]), Double(imaginary[y * side + x]))
            sumRe += a * cos(phase) - b * sin(phase)
            sumIm += a * sin(phase) + b * cos(phase)
          }
        }
        // transposed
        #expect(abs(Double(re[u * side + v]) - sumRe) < 1e-4)
        #expect(abs(Double(im[u * side + v]) - sumIm) < 1e-4)
      }
    }
    transform.inverse(&re, &im, workspace: &workspace)
    for index in 0..<64 {
      #expect(abs(re[index] / 64 - real[index]) < 1e-5)
      #expect(abs(im[index] / 64 - imaginary[index]) < 1e-5)
    }
  }
}
