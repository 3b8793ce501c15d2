// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalSample
import FocalSubjects
import Testing

/// What a map holds, and what it only seems to.
@Suite struct MapContentTests {
  private static let size = Dimensions(width: 320, height: 200)

  /// Even gray with grain, which shows nothing.
  private static func picture(_ seed: UInt64) throws -> PixelBuffer {
    var generator = SeededGenerator(seed: seed)
    var codes = [UInt8](repeating: 255, count: 4 * size.count)
    for place in 0..<size.count {
      let code = UInt8(118 + 4 * generator.share())
      for channel in 0..<3 { codes[4 * place + channel] = code }
    }
    return try PixelBuffer(dimensions: size, format: .rgba8, values: codes)
  }

  private static func map(_ value: (Int, Int) -> Float) throws -> PixelBuffer {
    try PixelBuffer(
      dimensions: size, format: .disparityFloat, tags: .linearBT709,
      values: (0..<size.count).map { value($0 % size.width, $0 / size.width) })
  }

  private static func subjects(_ map: PixelBuffer) async throws -> Int {
    var request = GenerateForegroundInstanceMaskRequest()
    request.disparity = map
    return try await request.perform(on: picture(1))?.allInstances.count ?? 0
  }

  /// Ramps of a few codes of 8 bits are bands, each one code above the next.
  @Test(arguments: [4, 12]) func bandsOfOneCodeAreNoSubjects(codes: Int) async throws {
    let height = Self.size.height
    let map = try Self.map { _, y in Float(100 + y * codes / height) / 255 }
    #expect(try await Self.subjects(map) == 0)
  }

  /// A few codes of 16 bits are a camera's noise.
  @Test func noiseIsNoSubject() async throws {
    let map = try Self.map { x, y in
      let wave = ((x / 40 + 2 * (y / 40)) % 5) * 2
      return Float(30000 + wave) / 65535
    }
    #expect(try await Self.subjects(map) == 0)
  }

  /// Few distances may be far apart, and codes few between subject and background.
  @Test(arguments: [(Float(0.9), Float(0.2)), (110 / 255, 100 / 255)] as [(Float, Float)])
  func fewDistancesAreContent(near: Float, far: Float) async throws {
    let map = try Self.map { x, y in
      (100..<200).contains(x) && (50..<150).contains(y) ? near : far
    }
    #expect(try await Self.subjects(map) == 1)
  }

  /// What a subject leaves behind looks as it did where colours are alike: the map alone tells, and a trail fades. It held two
  /// thirds of the subject, and the subject itself a fifth.
  @Test func whatASubjectLeavesBehindFades() async throws {
    let size = Self.size
    let follower = SubjectFollower()
    for frame in 0..<8 {
      let columns = (60 + 12 * frame)..<(120 + 12 * frame)
      let map = try Self.map { x, y in
        columns.contains(x) && (60..<160).contains(y) ? 0.9 : 0.2
      }
      let picture = try Self.picture(UInt64(frame + 1))
      picture.withUnsafeMutableBytes(ofPlane: 0) { bytes in
        for y in 60..<160 {
          for x in columns {
            let place = y * picture.planes[0].bytesPerRow + 4 * x
            bytes[place] += 20
            bytes[place + 1] -= 8
          }
        }
      }
      let mask = try await follower.observation(of: picture, disparity: map)
        .mask(of: picture).floats
      var (inside, outside): (Float, Float) = (0, 0)
      for place in mask.indices {
        let (x, y) = (place % size.width, place / size.width)
        let isNear =
          (columns.lowerBound - 10..<columns.upperBound + 10).contains(x)
          && (50..<170).contains(y)
        if isNear { inside += mask[place] } else { outside += mask[place] }
      }
      #expect(outside < 1500, "frame \(frame)")
      #expect(inside > 0.6 * 6000, "frame \(frame)")
    }
  }
}
