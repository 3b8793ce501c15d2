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

  /// What a phone stores is mirrored as it is read if the pictures' matrix mirrors it: maps too, whatever theirs says.
  @Test(arguments: [false, true]) func mirroredMovies(_ mapsSaySo: Bool) async throws {
    var layout = try Self.layout()
    let mirror: [Int32] = [-1 << 16, 0, 0, 0, 1 << 16, 0, 96 << 16, 0, 1 << 30]
    layout.tracks[0].matrix = mirror
    if mapsSaySo { layout.tracks[1].matrix = mirror }
    let mirrored = try await CinematicReader(
      AssetInfo(asset: Asset(source: MemorySource(layout.bytes()))))
    let (plain, _) = try await Self.reader()
    #expect(mirrored.preferredTransform == .identity)
    let found = try #require(try await mirrored.next())
    let wanted = try #require(try await plain.next())
    let (foundMap, wantedMap) = (try #require(found.disparity), try #require(wanted.disparity))
    for (buffer, plain) in [(found.image, wanted.image), (foundMap, wantedMap)] {
      let isMirrored = Self.rows(buffer) == Self.rows(plain).map { Array($0.reversed()) }
      #expect(isMirrored)
    }
  }

  /// The elements of the first plane's rows.
  private static func rows(_ buffer: PixelBuffer) -> [[[UInt8]]] {
    let plane = buffer.planes[0]
    let size = plane.bytesPerElement
    return buffer.withUnsafeBytes(ofPlane: 0) { bytes in
      (0..<plane.dimensions.height).map { y in
        (0..<plane.dimensions.width).map { x in
          let start = y * plane.bytesPerRow + x * size
          return Array(bytes[start..<(start + size)])
        }
      }
    }
  }

  /// The codes of a frame's picture and map.
  static func codes(_ frame: CinematicFrame) throws -> [[UInt8]] {
    [codes(frame.image), codes(try #require(frame.disparity))]
  }

  /// Every frame's codes, read in order.
  static func sequential(_ reader: CinematicReader) async throws -> [[[UInt8]]] {
    var all: [[[UInt8]]] = []
    while let frame = try await reader.next() { all.append(try codes(frame)) }
    return all
  }

  /// A frame is the same however it was reached, bit for bit: back to front, then anywhere.
  @Test func anyFrameEqualsTheSequentialOne() async throws {
    let (reader, _) = try await Self.reader()
    let expected = try await Self.sequential(reader)
    #expect(Set(expected).count == Self.frames)
    var random = Seeded(4)
    var order = Array((0..<Self.frames).reversed())
    for _ in 0..<60 { order.append(Int(random.next() % UInt64(Self.frames))) }
    for number in order {
      let time = Time(value: Int64(number) * 20 + Int64(random.next() % 20), timescale: 600)
      let frame = try #require(try await reader.frame(at: time))
      #expect(frame.index == number)
      #expect(try Self.codes(frame) == expected[number])
    }
  }

  /// Fresh readers give the same frames, and go on after them.
  @Test(arguments: [0, 5, 10, 15, 20, 25])
  func aFreshReaderGivesTheSameFrame(_ number: Int) async throws {
    let (reader, _) = try await Self.reader()
    let expected = try await Self.sequential(reader)
    let (fresh, _) = try await Self.reader()
    #expect(try Self.codes(try await fresh.frame(number: number)) == expected[number])
    let next = try await fresh.next()
    #expect(next?.index == (number + 1 < Self.frames ? number + 1 : nil))
    if let next { #expect(try Self.codes(next) == expected[number + 1]) }
  }

  @Test func seeking() async throws {
    let (reader, _) = try await Self.reader()
    reader.seek(to: Time(value: 205, timescale: 600))
    let frame = try #require(try await reader.next())
    #expect(frame.index == 10)
    let end = Time(value: Int64(Self.frames) * 20, timescale: 600)
    let beyond = try await reader.frame(at: end)
    #expect(beyond?.index == nil)
    // A map alone is the frame's.
    let map = try await reader.disparity(number: 10)
    #expect(Self.codes(try #require(map)) == Self.codes(try #require(frame.disparity)))
    #expect(try await reader.next()?.index == 11)
  }

  /// Decoding a frame far away begins in its group, of eight pictures, or for an open one in the one
  /// before.
  @Test func decodingBeginsNearby() async throws {
    let asset = Asset(source: MemorySource(try Self.layout().bytes()))
    let video = try #require(try await asset.loadTracks(withMediaType: .video).first)
    let index = try await video.load(.sampleIndex)
    #expect(index.count == Self.frames)
    #expect((0..<index.count).filter { index.isSync($0) }.count >= 3)
    for number in 0..<index.count { #expect(number - index.decodingStart(for: number) <= 16) }
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
