// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Synchronization
import Testing

@Suite struct PixelBufferTests {
  /// The error that `body` throws, which must be of `code` and name every one of `words`.
  private func expect(
    _ code: CinematicError.Code, _ words: [String], _ body: () throws -> PixelBuffer
  ) {
    do {
      _ = try body()
      Issue.record("nothing was thrown")
    } catch let error as CinematicError {
      #expect(error.code == code)
      for word in words { #expect("\(error)".contains(word), "\(error)") }
    } catch {
      Issue.record("\(error)")
    }
  }

  @Test func impossibleSizesAreNamed() {
    for (width, height) in [(0, 1), (1, 0), (-3, 4), (32769, 1), (1, .max), (.min, .min)] {
      expect(.invalidParameter, ["\(width)x\(height)", "1 to 32768"]) {
        try PixelBuffer(width, height, .rgba8)
      }
    }
    #expect(throws: Never.self) { try PixelBuffer(32768, 1, .gray8) }
  }

  @Test func impossibleAlignmentsAreNamed() {
    for alignment in [0, -1, 3, 1 << 17, .max, .min] {
      expect(.invalidParameter, ["\(alignment)", "power of two"]) {
        try PixelBuffer(4, 4, .rgba8, alignment: alignment)
      }
    }
  }

  @Test(arguments: PixelFormat.allCases) func rowsAreAligned(_ format: PixelFormat) throws {
    for alignment in [1, 2, 16, 64, 4096] {
      let buffer = try PixelBuffer(5, 3, format, alignment: alignment)
      #expect(buffer.planes.count == format.planes.count)
      for (index, plane) in buffer.planes.enumerated() {
        let elements = plane.dimensions.width * plane.bytesPerElement
        #expect(plane.bytesPerRow >= elements && plane.bytesPerRow % alignment == 0)
        #expect(plane.bytesPerRow - elements < max(alignment, format.bytesPerComponent))
        #expect(
          plane.dimensions == (index == 0 ? buffer.dimensions : Dimensions(width: 3, height: 2)))
        buffer.withUnsafeMutableBytes(ofPlane: index) { bytes in
          #expect(bytes.count == plane.byteCount)
          #expect(Int(bitPattern: bytes.baseAddress) % 64 == 0)
          #expect(bytes.allSatisfy { $0 == 0 })
          bytes.initializeMemory(as: UInt8.self, repeating: UInt8(index + 1))
        }
      }
      // Planes lie apart.
      for index in buffer.planes.indices {
        buffer.withUnsafeBytes(ofPlane: index) { bytes in
          #expect(bytes.allSatisfy { $0 == UInt8(index + 1) })
        }
      }
    }
  }

  /// Devices that share memory with the processor reach whole pages in place.
  @Test(arguments: PixelFormat.allCases) func largePlanesBeginOnPages(_ format: PixelFormat) throws
  {
    let buffer = try PixelBuffer(dimensions: Dimensions(width: 161, height: 103), format: format)
    for index in buffer.planes.indices {
      buffer.withUnsafeBytes(ofPlane: index) { bytes in
        #expect(Int(bitPattern: bytes.baseAddress) % 4096 == 0)
      }
    }
  }

  /// A buffer over 4096 bytes that counts its releases.
  private func wrap(
    _ width: Int, _ height: Int, _ format: PixelFormat, _ planes: [(Int, Int)],
    byteCount: Int = 4096, shift: Int = 0, releases: ReleaseCount = ReleaseCount()
  ) throws -> PixelBuffer {
    try PixelBuffer(
      dimensions: Dimensions(width: width, height: height), format: format, tags: .bt709,
      baseAddress: releases.memory + shift, byteCount: byteCount,
      planes: planes.map { (offset: $0.0, bytesPerRow: $0.1) },
      release: { [address = Int(bitPattern: releases.memory + shift)] in
        #expect(Int(bitPattern: $0) == address)
        releases.count.add(1, ordering: .relaxed)
      })
  }

  @Test func wrappedMemoryIsReleasedOnce() throws {
    let releases = ReleaseCount()
    do {
      let buffer = try wrap(4, 4, .rgba8, [(16, 32)], releases: releases)
      buffer.set(UInt8(7), 0, 1)
      #expect(releases.memory.load(fromByteOffset: 48, as: UInt8.self) == 7)
      #expect(releases.count.load(ordering: .relaxed) == 0)
    }
    #expect(releases.count.load(ordering: .relaxed) == 1)
    #expect(throws: CinematicError.self) { try wrap(4, 4, .rgba8, [], releases: releases) }
    #expect(releases.count.load(ordering: .relaxed) == 1)
  }

  @Test func badPlaneTablesAreNamed() {
    typealias Case = (PixelFormat, [(Int, Int)], String)
    let cases: [Case] = [
      (.rgba8, [], "1 planes, not 0"),
      (.yuv420Video8, [(0, 64)], "2 planes, not 1"),
      (.rgba8, [(-1, 64)], "start at byte -1"),
      (.rgba8, [(0, 31)], "31 bytes a row"),
      (.rgba8, [(0, -64)], "-64 bytes a row"),
      (.rgba8, [(0, .max)], "\(Int.max) bytes a row"),
      (.rgba8, [(.max, 64)], "from byte \(Int.max)"),
      (.rgba8, [(4000, 64)], "memory has 4096"),
      (.rgba8, [(0, 1000)], "memory has 4096"),
      (.yuv420Video8, [(0, 64), (300, 64)], "overlaps plane 0"),
      (.yuv420Video8, [(128, 64), (0, 64)], "overlaps plane 0"),
      (.gray16, [(1, 64)], "multiples of 2"),
      (.gray16, [(0, 65)], "multiples of 2"),
      (.rgbaFloat, [(2, 256)], "multiples of 4"),
    ]
    for (format, planes, words) in cases {
      expect(.invalidParameter, [words, "\(format)"]) { try wrap(8, 8, format, planes) }
    }
    expect(.invalidParameter, ["multiples of 2"]) { try wrap(8, 8, .gray16, [(0, 64)], shift: 1) }
    expect(.invalidParameter, ["memory has -1"]) {
      try wrap(8, 8, .rgba8, [(0, 64)], byteCount: -1)
    }
  }

  @Test func fittingPlaneTablesAreTaken() throws {
    // Chroma before luma, and a last row without its padding.
    let chromaFirst = try wrap(
      8, 8, .yuv420Video8, [(256, 64), (0, 64)], byteCount: 256 + 7 * 64 + 8)
    #expect(chromaFirst.planes.map(\.offset) == [256, 0])
    chromaFirst.withUnsafeBytes(ofPlane: 0) { #expect($0.count == 7 * 64 + 8) }
    #expect(try wrap(8, 8, .rgba8, [(1, 33)], shift: 1).planes[0].bytesPerRow == 33)
  }

  @Test func wrongPartnersAreRefused() throws {
    let map = try PixelBuffer(4, 4, .disparityHalf)
    let linear = try PixelBuffer.linear(4, 4) { _, _ in .zero }
    expect(.unsupported, ["hdis"]) { try map.linearRGBA() }
    expect(.unsupported, ["hdis"]) {
      try map.store(linearRGBA: linear); return map
    }
    let picture = try PixelBuffer(5, 4, .rgba8)
    expect(.incompatible, ["4x4", "5x4"]) {
      try picture.store(linearRGBA: linear); return picture
    }
    expect(.incompatible, ["linearRGBA()"]) {
      try picture.store(linearRGBA: picture); return map
    }
  }

  @Test func valuesAreCopiedRowByRow() throws {
    let size = Dimensions(width: 3, height: 2)
    let gray = try PixelBuffer(
      dimensions: size, format: .gray8, values: [1, 2, 3, 4, 5, 6] as [UInt8])
    gray.withUnsafeBytes { bytes in
      #expect(Array(bytes[..<3]) == [1, 2, 3])
      #expect(Array(bytes[gray.planes[0].bytesPerRow...].prefix(3)) == [4, 5, 6])
    }
    let map = try PixelBuffer(
      dimensions: size, format: .disparityFloat, values: [0, 0.5, 1, 1.5, 2, .nan] as [Float])
    #expect(map.disparity(x: 1, y: 1) == 2 && map.disparity(x: 2, y: 1) == nil)
    let luma = (0..<6).map { UInt8($0) }
    let video = try PixelBuffer(
      dimensions: size, format: .yuv420Video8, values: luma + [100, 101, 102, 103])
    video.withUnsafeBytes(ofPlane: 1) { #expect(Array($0[..<4]) == [100, 101, 102, 103]) }
    for count in [0, 5, 7] {
      #expect(throws: CinematicError.self) {
        try PixelBuffer(
          dimensions: size, format: .gray8, values: [UInt8](repeating: 0, count: count))
      }
    }
  }

  @Test func disparityOutsideAMapIsNone() throws {
    let size = Dimensions(width: 3, height: 2)
    let values: [Float] = [0, 0.5, 1, 1.5, 2, 2.5]
    let map = try PixelBuffer(dimensions: size, format: .disparityFloat, values: values)
    let halves = try map.storedAsHalves()
    let outside = [(-1, 0), (3, 0), (0, -1), (0, 2), (Int.max, 1), (1, Int.min)]
    for buffer in [map, halves] {
      #expect(buffer.disparity(x: 2, y: 1) == 2.5)
      for (x, y) in outside { #expect(buffer.disparity(x: x, y: y) == nil, "\(x),\(y)") }
    }
    for format in [PixelFormat.gray8, .rgbaFloat, .yuv420Video8] {
      #expect(try PixelBuffer(3, 2, format).disparity(x: 1, y: 1) == nil)
    }
  }

  /// Shares beyond 0 to 1 are the nearer end; what is not a number is none.
  @Test func anyShareOfARegionIsTaken() throws {
    let map = try PixelBuffer(
      dimensions: Dimensions(width: 10, height: 1), format: .disparityFloat,
      values: (0..<10).map { Float($0) })
    let whole = NormalizedRect(x: 0, y: 0, width: 1, height: 1)
    for share in [0, -1e300, -.infinity] as [Double] {
      #expect(map.disparity(in: whole, share: share) == 0)
    }
    #expect(map.disparity(in: whole, share: 0.5) == 5)
    for share in [1, 1e300, .infinity] as [Double] {
      #expect(map.disparity(in: whole, share: share) == 9)
    }
    #expect(map.disparity(in: whole, share: .nan) == nil)
  }

  @Test func mapsOfHalvesBecomeFloats() throws {
    let values: [Float] = [0, 0.5, -1, 1.5, 2048, 0.25]
    let map = try PixelBuffer(
      dimensions: Dimensions(width: 3, height: 2), format: .disparityFloat, values: values)
    let floats = try map.storedAsHalves().storedAsFloats()
    #expect(floats.format == .disparityFloat)
    #expect(floats.cells == values)
    #expect(try map.storedAsFloats() === map)
    expect(.unsupported, ["L008", "fdis"]) { try PixelBuffer(3, 2, .gray8).storedAsFloats() }
  }

  @Test func disparityAtAPointIsTheMedianAroundIt() throws {
    let map = try PixelBuffer(
      dimensions: Dimensions(width: 100, height: 100), format: .disparityFloat,
      values: (0..<10_000).map { $0 % 100 == 50 ? Float.nan : Float($0 % 100) })
    // two columns of a fiftieth of the width, one of them a hole
    #expect(map.disparity(at: NormalizedPoint(x: 0.5, y: 0.5)) == 51)
    #expect(map.disparity(at: NormalizedPoint(x: 0.1, y: 0.9)) == 10)
  }
}

/// Memory that outlives the buffers over it.
private final class ReleaseCount: Sendable {
  let count = Atomic<Int>(0)
  nonisolated(unsafe) let memory = UnsafeMutableRawPointer.allocate(
    byteCount: 4096 + 64, alignment: 64)
  init() { memory.initializeMemory(as: UInt8.self, repeating: 0, count: 4096 + 64) }
  deinit { memory.deallocate() }
}
