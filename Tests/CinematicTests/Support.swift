// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCPU
import FocalCinematic
import FocalCore
import FocalMedia
import FocalRendering
import Foundation
import MovieKit

/// Movies with real pictures, made once.
enum Movies {
  /// Frames that the movies have.
  static let frameCount = 12

  /// With this project's metadata: the focus moves from frame to frame.
  static let own = Result { try layout(offset: 0).bytes() }
  /// The same pictures with another focus.
  static let other = Result { try layout(offset: 0.3).bytes() }
  /// The same pictures with maps of a slope, which flicker.
  static let flickering = Result { try layout(offset: 0, mapCode: flickeringCode).bytes() }
  /// With a phone's opaque metadata.
  static let phone = Result { try EncodedMovie.layout(frames: frameCount).bytes() }
  /// As `own`, with a script that says the same and a look: a blur scale of 0.5, and something unknown.
  static let lookingWide = Result { try lookingWideLayout().bytes() }

  /// The same movie, of which edit lists show parts, in frames, after some without a picture.
  static func lookingWide(showing parts: [Range<Int>], after gap: Int = 0) throws -> Asset {
    var layout = try lookingWideLayout()
    for index in layout.tracks.indices {
      let zero = layout.tracks[index].edits.first?.1 ?? 0
      layout.tracks[index].edits = parts.map {
        ($0.count * 20, zero + $0.lowerBound * 20, 1 << 16)
      }
      if gap > 0 { layout.tracks[index].edits.insert((gap * 20, -1, 1 << 16), at: 0) }
    }
    return Asset(source: MemorySource(layout.bytes()))
  }

  private static func lookingWideLayout() throws -> MovieLayout {
    let detections = (0..<frameCount).map { frame in
      "{\"time\": \(frame * 20), \"rect\": [0, 0, 1, 1], \"disparity\": \(Float(frame) / 20)}"
    }
    let script = """
      {"format": "focal-script", "version": 1, "timescale": 600, "frameDuration": 20, "fNumber": 2,
       "timeRange": {"start": 0, "duration": \(frameCount * 20)},
       "look": {"blurScale": 0.5, "flare": {"strength": 1}},
       "tracks": [{"id": 1, "type": "autoFocus", "kind": "custom", "smooth": false,
                   "detections": [\(detections.joined(separator: ", "))]}],
       "decisions": [{"time": 0, "detection": 1}]}
      """
    return try EncodedMovie.layout(
      frames: frameCount,
      keys: [
        (CinematicKey.focusDisparity, 23), (CinematicKey.fNumber, 23), (CinematicKey.script, 1),
      ],
      payload: { frame in
        Entry.sample(
          [(1, float(Float(frame) / 20)), (2, float(2))]
            + (frame == 0 ? [(3, Array(script.utf8))] : []))
      })
  }
  /// Turned by a quarter when it is shown.
  static let upright = Result {
    var layout = try Movies.layout(offset: 0)
    let one: Int32 = 1 << 16
    layout.tracks[0].matrix = [
      0, one, 0, -one, 0, 0, Int32(EncodedMovie.size.height) << 16, 0, 1 << 30,
    ]
    return layout.bytes()
  }

  /// Pictures whose container names their colours by the code points of ITU-T H.273: primaries, transfer
  /// function, matrix.
  static func tagged(_ codes: [Int], frames: Int) -> Result<[UInt8], any Error> {
    Result {
      var layout = try EncodedMovie.layout(frames: frames)
      let color = Box.of("colr") { builder in
        builder.code("nclc")
        for code in codes { builder.u16(code) }
      }
      if let entry = layout.tracks[0].entry {
        layout.tracks[0].entry = Box(entry.type, data: Array(entry.data) + color.bytes)
      }
      return layout.bytes()
    }
  }

  private static func float(_ value: Float) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> (24 - 8 * $0)) }
  }

  /// From far at the left to near at the right, with noise of 14 codes.
  private static func flickeringCode(_ frame: Int, _ x: Int, _ y: Int) -> Int {
    var bits = UInt64((frame * EncodedMovie.mapSize.height + y) * EncodedMovie.mapSize.width + x)
    bits = bits &* 0x9E37_79B9_7F4A_7C15
    bits ^= bits >> 29
    bits = bits &* 0xBF58_476D_1CE4_E5B9
    bits ^= bits >> 32
    return 144 + 10 * x + Int(bits % 29) - 14
  }

  private static func layout(
    offset: Float, mapCode: (Int, Int, Int) -> Int = EncodedMovie.mapCode
  ) throws -> MovieLayout {
    try EncodedMovie.layout(
      frames: frameCount, keys: [(CinematicKey.focusDisparity, 23), (CinematicKey.fNumber, 23)],
      mapCode: mapCode,
      payload: { frame in
        Entry.sample([(1, float(offset + Float(frame) / 20)), (2, float(2))])
      })
  }

  static func asset(_ bytes: Result<[UInt8], any Error>, name: String = "memory.mov") throws
    -> Asset
  {
    Asset(source: MemorySource(try bytes.get(), name: name))
  }

  static func time(frame: Int) -> Time { Time(value: Int64(frame) * 20, timescale: 600) }

  static func frames(_ range: Range<Int>) -> TimeRange {
    TimeRange(start: time(frame: range.lowerBound), end: time(frame: range.upperBound))
  }
}

/// A folder of one test that goes away with its last reference.
final class Folder: Sendable {
  let path: String

  init() {
    path = NSTemporaryDirectory() + "/focal-cinematic-\(UUID().uuidString)"
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  var names: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: path).sorted()) ?? []
  }

  /// The pictures of an export, and their times.
  func frames(_ name: String) async throws -> [(time: Time, codes: [UInt8], picture: PixelBuffer)] {
    let reader = try await FrameReader.open(file(name))
    var frames: [(time: Time, codes: [UInt8], picture: PixelBuffer)] = []
    while let frame = try await reader.next() {
      frames.append((frame.time, frame.pixelBuffer.allCodes, frame.pixelBuffer))
    }
    return frames
  }
}

extension PixelBuffer {
  /// The codes of all planes, rows without their padding.
  var allCodes: [UInt8] {
    planes.indices.flatMap { index in
      let plane = planes[index]
      return withUnsafeBytes(ofPlane: index) { bytes in
        (0..<plane.dimensions.height).flatMap { y in
          bytes[(y * plane.bytesPerRow)...].prefix(plane.dimensions.width * plane.bytesPerElement)
        }
      }
    }
  }
}

/// The error of a piece of work; `nil` where it succeeds.
func failure(_ body: () async throws(CinematicError) -> Void) async -> CinematicError? {
  do throws(CinematicError) {
    try await body()
    return nil
  } catch {
    return error
  }
}

/// Whether two things are equal. Outside of `#expect`, which would take minutes to show how two long
/// rows of numbers differ.
func isSame<Value: Equatable>(_ a: Value, _ b: Value) -> Bool { a == b }

/// Settings for tests: quick, and with their own register of unfinished files.
func quick(_ quality: RenderingQuality = .thumbnail) -> ExportSession.Settings {
  var settings = ExportSession.Settings()
  settings.quality = quality
  settings.encoderPreset = "ultrafast"
  settings.temporaryFiles = TemporaryFiles()
  return settings
}
