// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Foundation
import Testing

@testable import FocalScript

/// Boxes drawn into pictures, and the script's plot.
struct OverlayTests {
  /// Two actors side by side; the right one is in focus.
  private func frame(strong: Bool) throws -> ScriptFrame {
    func track(_ id: Int64, x: Double) throws -> RecordedDetectionTrack {
      try RecordedDetectionTrack(
        detectionID: DetectionID(id), detectionType: .humanFace,
        detections: [
          Detection(
            time: .zero, detectionType: .humanFace,
            normalizedRect: NormalizedRect(x: x, y: 0.25, width: 0.25, height: 0.5),
            focusDisparity: 0.5)
        ])
    }
    let script = try Script(
      recording: Scripts.recording(
        frames: 1, tracks: [track(1, x: 0.125), track(2, x: 0.625)], decisions: []))
    script.addUserDecision(Scripts.user(0, 2, strong: strong))
    return try #require(script.frame(at: .zero))
  }

  /// A gray picture with the boxes of a frame on it, in linear light.
  private func drawn(
    _ format: PixelFormat, strong: Bool, size: Dimensions = Dimensions(width: 320, height: 180),
    turn: QuarterTurn = .identity
  ) throws -> [SIMD4<Float>] {
    let picture = try PixelBuffer(dimensions: size, format: format)
    let gray = try PixelBuffer(
      dimensions: size, format: .rgbaFloat, tags: .linearBT709, bytesPerRowAlignment: 16)
    gray.withUnsafeMutableBytes { bytes in
      for index in 0..<size.count {
        bytes.storeBytes(
          of: SIMD4(0.25, 0.25, 0.25, 1), toByteOffset: index * 16, as: SIMD4<Float>.self)
      }
    }
    try picture.store(linearRGBA: gray)
    try DetectionOverlay(turn: turn).draw(frame(strong: strong), into: picture)
    return try picture.linearRGBA().withUnsafeBytes { bytes in
      (0..<size.count).map { bytes.load(fromByteOffset: $0 * 16, as: SIMD4<Float>.self) }
    }
  }

  private func isGray(_ pixel: SIMD4<Float>) -> Bool {
    abs(pixel.x - 0.25) < 0.03 && abs(pixel.y - 0.25) < 0.03 && abs(pixel.z - 0.25) < 0.03
  }
  private func isWhite(_ pixel: SIMD4<Float>) -> Bool {
    pixel.x > 0.9 && pixel.y > 0.9 && pixel.z > 0.9
  }
  private func isYellow(_ pixel: SIMD4<Float>) -> Bool {
    pixel.x > 0.85 && pixel.y > 0.6 && pixel.z < 0.15
  }

  @Test(arguments: [
    PixelFormat.yuv420Video8, .yuv420Full8, .yuv420Video10, .yuv420Full10, .rgba8, .rgbaHalf,
    .rgbaFloat,
  ])
  func boxesShowInEveryFormat(_ format: PixelFormat) throws {
    let pixels = try drawn(format, strong: true)
    func at(_ x: Int, _ y: Int) -> SIMD4<Float> { pixels[y * 320 + x] }
    // edges lie on even pixels: the left box from (40, 46) is white, the right one from (200, 46)
    // yellow
    #expect(isWhite(at(80, 46)))
    #expect(isYellow(at(240, 46)))
    #expect(isGray(at(80, 90)) && isGray(at(240, 90)) && isGray(at(5, 5)))
    // solid: yellow all along the top
    #expect((202..<278).allSatisfy { isYellow(at($0, 46)) })
  }

  /// Above each box stands what it is and its id, light on dark.
  @Test func labelsStandAboveTheirBoxes() throws {
    #expect(
      OverlayLabel("I1").rows.map { row in String(row.map { $0 ? "#" : "." }) } == [
        ".###....#..", "..#....##..", "..#.....#..", "..#.....#..", "..#.....#..", "..#.....#..",
        ".###...###.",
      ])
    let pixels = try drawn(.rgba8, strong: true)
    // A dot is two pixels wide: a plate of nine by twice the width of eight letters, four above the box.
    func plate(_ left: Int) -> [SIMD4<Float>] {
      (24..<42).flatMap { y in (left..<left + 98).map { pixels[y * 320 + $0] } }
    }
    let drawnDots = OverlayLabel("PERSON 2").rows.joined().count { $0 }
    #expect(plate(200).count { isYellow($0) } == 4 * drawnDots)
    #expect(
      plate(40).count { isWhite($0) } == 4 * OverlayLabel("PERSON 1").rows.joined().count { $0 })
    #expect(plate(200).allSatisfy { isYellow($0) || $0.x < 0.1 })
    // A picture that is too small for letters has none.
    let small = try drawn(.rgba8, strong: true, size: Dimensions(width: 160, height: 90))
    #expect(small[12 * 160 + 104].x > 0.2)
  }

  @Test func weakDecisionsAreDashed() throws {
    let pixels = try drawn(.rgba8, strong: false)
    let top = (200..<280).map { isYellow(pixels[46 * 320 + $0]) }
    #expect(top[1] && top[78])
    let changes = zip(top, top.dropFirst()).count { $0 != $1 }
    #expect(changes >= 2)
  }

  @Test func turnedPicturesGetTurnedBoxes() throws {
    let size = Dimensions(width: 180, height: 320)
    let pixels = try drawn(.rgba8, strong: true, size: size, turn: .clockwise90)
    // (0.625...0.875, 0.25...0.75) becomes (0.25...0.75, 0.625...0.875)
    #expect(isYellow(pixels[201 * 180 + 90]))
    #expect((202..<278).allSatisfy { isYellow(pixels[$0 * 180 + 46]) })
    #expect(isGray(pixels[240 * 180 + 90]))
  }

  @Test(arguments: [(1, 1), (3, 5), (33, 7), (16, 1001)])
  func oddAndTinyPicturesWork(_ width: Int, _ height: Int) throws {
    for format in [PixelFormat.yuv420Video8, .yuv420Full10, .rgba8, .gray8, .gray16] {
      _ = try drawn(format, strong: false, size: Dimensions(width: width, height: height))
    }
  }

  @Test func sidesStayInsideTheirBox() {
    for (width, height) in [(2, 2), (4, 90), (400, 6), (300, 200)] {
      for line in [DetectionOverlay.Line.solid, .dashed] {
        let box = DetectionOverlay.Box(left: -10, top: 20, right: -10 + width, bottom: 20 + height)
        for side in DetectionOverlay.sides(of: box, thickness: 4, line: line) {
          #expect(side.left >= box.left && side.right <= box.right)
          #expect(side.top >= box.top && side.bottom <= box.bottom)
        }
      }
    }
  }

  @Test func disparityMapsAreRefused() throws {
    let map = try PixelBuffer(
      dimensions: Dimensions(width: 8, height: 8), format: .disparityFloat)
    #expect(throws: CinematicError.self) {
      try DetectionOverlay().draw(frame(strong: true), into: map)
    }
  }

  @Test func plotIsWellFormed() throws {
    for seed in 0..<60 as Range<UInt64> {
      let svg = ScriptPlot(try Script(recording: Oracle.random(seed: seed).recording())).svg
      #expect(!svg.contains("nan") && !svg.contains("inf"))
      var open: [Substring] = []
      for tag in svg.split(separator: "<").map({ $0.prefix { $0 != ">" } }) {
        let name = tag.prefix { !" /".contains($0) }
        if tag.hasPrefix("/") {
          #expect(open.popLast() == tag.dropFirst())
        } else if !tag.hasSuffix("/"), !name.isEmpty {
          open.append(name)
        }
      }
      #expect(open.isEmpty)
    }
    _ = ScriptPlot(try ChangesTests.edited()).svg
  }

  /// The largest script there may be, and many decisions: what nobody could tell apart is drawn once.
  @Test func plotOfALargeScriptIsSmall() throws {
    let frames = 1 << 24
    let step = frames / 20_000
    let decisions = (0..<20_000).map { Scripts.base($0 * step, $0 % 2 == 0 ? 1 : 2) }
    let script = try Script(
      recording: Scripts.recording(
        frames: frames,
        tracks: [
          Scripts.track(1, frames: [0, frames - 1]) { _ in 0.2 },
          Scripts.track(2, frames: [0, frames - 1]) { _ in 0.7 },
        ], decisions: decisions))
    let byteCount = ScriptPlot(script).svg.utf8.count
    #expect(byteCount < 1_000_000)
    #expect(byteCount > 10_000)
  }
}
