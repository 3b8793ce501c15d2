// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import FocalMedia
import MovieKit
import Testing

/// Real pictures in a phone's layout: HEVC with reordered pictures, several groups of them, and
/// groups that need the one before (open ones).
@Suite(.enabled(if: EncodedClip.isPossible, "this FFmpeg has no libx265"))
struct ReaderTests {
  static let frames = 26

  static func layout(_ form: MovieLayout.Form = .movieLast) throws -> MovieLayout {
    try EncodedMovie.layout(frames: frames, form: form)
  }

  static func reader(
    _ form: MovieLayout.Form = .movieLast
  ) async throws -> (CinematicReader, MemorySource) {
    let source = MemorySource(try layout(form).bytes())
    return (try await CinematicReader(AssetInfo(asset: Asset(source: source))), source)
  }

  static func codes(_ buffer: PixelBuffer) -> [UInt8] {
    buffer.planes.indices.flatMap { index in
      let plane = buffer.planes[index]
      return buffer.withUnsafeBytes(ofPlane: index) { bytes in
        (0..<plane.dimensions.height).flatMap { y in
          bytes[(y * plane.bytesPerRow)...].prefix(plane.dimensions.width * plane.bytesPerElement)
        }
      }
    }
  }

  @Test(arguments: [MovieLayout.Form.movieLast, .fragments])
  func framesInOrder(_ form: MovieLayout.Form) async throws {
    let (reader, _) = try await Self.reader(form)
    #expect(reader.frameCount == Self.frames)
    var number = 0
    while let frame = try await reader.next() {
      #expect(frame.index == number)
      #expect(
        frame.timeRange
          == TimeRange(
            start: Time(value: Int64(number) * 20, timescale: 600),
            duration: Time(value: 20, timescale: 600)))
      #expect(frame.image.dimensions == Dimensions(width: 96, height: 64))
      #expect(frame.image.format == .yuv420Video10)
      // The maps are coded without loss: every disparity is its code's.
      let map = try #require(frame.disparity)
      for (x, y) in [(0, 0), (17, 5), (63, 47)] {
        let code = Float(EncodedMovie.mapCode(number, x, y) - 64) / 876
        let value = try #require(map.disparity(x: x, y: y))
        // 32-bit floats of a range of 0 to 1: a few units of their last place.
        #expect(abs(value - code) < 1e-5)
      }
      let metadata = try #require(frame.metadata)
      #expect(metadata.rawSample == PhoneMovie.payload(number))
      #expect(metadata.items.map(\.key.identifier) == Entry.appleKeys.map(\.0))
      number += 1
    }
    #expect(number == Self.frames)
    #expect(try await reader.next() == nil)
  }

  /// A frame is the same however it was reached, bit for bit.
  @Test func anyFrameEqualsTheSequentialOne() async throws {
    let (reader, _) = try await Self.reader()
    var pictures: [[UInt8]] = []
    var maps: [[UInt8]] = []
    while let frame = try await reader.next() {
      pictures.append(Self.codes(frame.image))
      maps.append(Self.codes(try #require(frame.disparity)))
    }
    #expect(Set(pictures).count == Self.frames)
    var random = Seeded(4)
    // Back to front, then anywhere, on one reader and on fresh ones.
    let order =
      (0..<Self.frames).reversed() + (0..<60).map { _ in Int(random.next() % UInt64(Self.frames)) }
    for number in order {
      let time = Time(value: Int64(number) * 20 + Int64(random.next() % 20), timescale: 600)
      let frame = try #require(try await reader.frame(at: time))
      #expect(frame.index == number)
      #expect(Self.codes(frame.image) == pictures[number])
      #expect(Self.codes(try #require(frame.disparity)) == maps[number])
    }
    for number in stride(from: 0, to: Self.frames, by: 5) {
      let (fresh, _) = try await Self.reader()
      #expect(Self.codes(try await fresh.frame(number: number).image) == pictures[number])
      // Reading goes on from there.
      let next = try await fresh.next()
      #expect(next?.index == (number + 1 < Self.frames ? number + 1 : nil))
      if let next { #expect(Self.codes(next.image) == pictures[number + 1]) }
    }
    reader.seek(to: Time(value: 205, timescale: 600))
    #expect(try await reader.next()?.index == 10)
    #expect(try await reader.frame(at: Time(value: Int64(Self.frames) * 20, timescale: 600)) == nil)
    #expect(try await reader.disparity(number: 3).map(Self.codes) == maps[3])
  }

  /// A frame far away costs the samples from the nearest place where decoding can begin.
  @Test func seekingReadsLittle() async throws {
    let layout = try Self.layout()
    let media = layout.tracks.dropLast().flatMap(\.samples).reduce(0) { $0 + $1.data.count }
    let source = MemorySource(layout.bytes())
    let reader = try await CinematicReader(AssetInfo(asset: Asset(source: source)))
    let before = source.bytesRead
    #expect(try await reader.frame(number: Self.frames - 1).index == Self.frames - 1)
    // Groups have eight pictures and five maps, of 26: the last group, and for an open one the one
    // before.
    #expect(source.bytesRead - before < Int64(media * 2 / 3))
  }

  @Test func cancelledReadsEnd() async throws {
    let (reader, _) = try await Self.reader()
    for number in 0..<20 {
      let task = Task { try await reader.frame(number: (number * 7) % Self.frames).index }
      if number % 2 == 0 { await Task.yield() }
      task.cancel()
      let result = await task.result
      if case .failure(let error) = result {
        #expect((error as? CinematicError)?.code == .cancelled)
      }
    }
    // And the reader is as good as before.
    #expect(try await reader.frame(number: 13).index == 13)
  }

  @Test func damageIsNamed() async throws {
    var layout = try Self.layout()
    let count = layout.tracks[0].samples.count
    for sample in 12..<count {
      layout.tracks[0].samples[sample].data = [UInt8](repeating: 0xFF, count: 40)
    }
    let source = MemorySource(layout.bytes(), name: "IMG_9.MOV")
    let reader = try await CinematicReader(AssetInfo(asset: Asset(source: source)))
    #expect(try await reader.frame(number: 0).index == 0)
    let error = await failure { () async throws(CinematicError) in
      for number in 0..<Self.frames { _ = try await reader.frame(number: number) }
    }
    #expect(error?.code == .malformed)
    #expect(error?.message.contains("IMG_9.MOV") == true)
    #expect(try await reader.frame(number: 1).index == 1)
  }

  /// Pictures without disparity and metadata are read all the same.
  @Test func aVideoAlone() async throws {
    let source = MemorySource(try Self.layout().bytes())
    let asset = Asset(source: source)
    let video = try #require(try await asset.loadTracks(withMediaType: .video).first)
    let reader = try await CinematicReader(asset: asset, videoTrack: video)
    let frame = try #require(try await reader.next())
    #expect(frame.disparity == nil && frame.metadata == nil)
    #expect(reader.metadataGroupCount == 0)
  }
}
