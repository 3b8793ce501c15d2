// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// How much brighter a screen of high dynamic range shows each pixel of a photograph.
package struct GainMap: Sendable {
  /// Codes of red, green and blue, 0 to 1, as floats; they lie as the photograph is stored.
  private let codes: PixelBuffer
  /// Whether there is one code a pixel.
  let isGray: Bool
  let coding: GainMapCoding

  package var dimensions: Dimensions { codes.dimensions }
  /// The size in the file: that of a map of more than ``mostPixels``, which was averaged to fewer, is larger.
  package let storedDimensions: Dimensions

  /// Maps with more pixels are averaged to fewer: they are smooth, and are rendered in floats.
  static let mostPixels = 8_000_000

  private init(_ codes: PixelBuffer, isGray: Bool, _ coding: GainMapCoding) {
    self.codes = codes
    storedDimensions = codes.dimensions
    self.isGray = isGray
    self.coding = coding
  }

  /// - Parameter isMirrored: whether the photograph is mirrored as it is read.
  /// - Throws: `unsupported` for pixels that cannot be read, `outOfMemory`.
  init(
    _ frame: PictureFrame, _ coding: GainMapCoding, isMirrored: Bool = false, path: String
  ) throws(CinematicError) {
    // A map has no colours, whatever its file says.
    frame.metadata = PictureMetadata()
    isGray = PixelLayout(frame.pixelFormat)?.isGray ?? false
    let converter = try PictureConverter(
      first: frame, container: nil, isStill: true, transfer: .linear, path: path)
    let buffer = try converter.convert(frame, path: path)
    if isMirrored { buffer.mirrorRows() }
    storedDimensions = buffer.dimensions
    codes = try LightAverage.average(
      buffer, to: Self.size(buffer.dimensions, within: Self.mostPixels))
    self.coding = coding
  }

  private static func size(_ size: Dimensions, within most: Int) -> Dimensions {
    guard size.count > most else { return size }
    let scale = (Double(most) / Double(size.count)).squareRoot()
    return Dimensions(
      width: max(1, Int(Double(size.width) * scale)),
      height: max(1, Int(Double(size.height) * scale)))
  }

  /// The gain map beside a photograph.
  ///
  /// - Returns: `nil` where there is none, or one that does not say what its codes mean.
  /// - Throws: `malformed` for a damaged one.
  package static func load(from asset: Asset) async throws(CinematicError) -> GainMap? {
    guard let container = try await asset.container() as? PictureContainer,
      case .one(let source) = container.files
    else { return nil }
    let bytes = try await source.read(0..<(try await source.believedByteCount()))
    guard let kind = StillKind(file: bytes) else { return nil }
    return try kind.format.gainMap(in: bytes, StillRequest(asset.name))
  }

  // MARK: - Light

  /// The light that a screen with enough headroom shows. Codes are interpolated where the map is smaller.
  ///
  /// - Parameters:
  ///   - base: linear light in floats: rows of the photograph as it is stored.
  ///   - firstRow: the row that they begin with.
  ///   - size: of the whole photograph; by default of the rows.
  package func light(
    of base: PixelBuffer, at firstRow: Int = 0, of size: Dimensions? = nil
  ) throws(CinematicError) -> PixelBuffer {
    let result = try PixelBuffer(
      dimensions: base.dimensions, format: .rgbaFloat, tags: base.tags, bytesPerRowAlignment: 16)
    let size = size ?? base.dimensions
    let tables = (0..<3).map { channel in
      (0...255).map { Float(coding.stops(Double($0) / 255, channel)) }
    }
    let columns = (0..<size.width).map { Self.neighbours($0, of: size.width, dimensions.width) }
    var codes = [Float](repeating: 0, count: 4 * size.width)
    for y in 0..<base.height {
      let rows = Self.neighbours(firstRow + y, of: size.height, dimensions.height)
      interpolate(rows, columns, into: &codes)
      Self.row(y, of: base) { light in
        codes.withUnsafeBufferPointer { codes in
          Self.row(y, of: result) { out in
            for x in 0..<size.width {
              for channel in 0..<3 {
                let place = max(0, min(1, codes[4 * x + channel])) * 255
                let index = min(Int(place), 254)
                let table = tables[channel]
                let stops =
                  table[index] + (place - Float(index)) * (table[index + 1] - table[index])
                let numbers = coding.channels[channel]
                let value =
                  (light[4 * x + channel] + Float(numbers.baseOffset)) * exp2f(stops)
                  - Float(numbers.offset)
                out[4 * x + channel] = max(0, min(value, PictureMetadata.brightestLight))
              }
              out[4 * x + 3] = light[4 * x + 3]
            }
          }
        }
      }
    }
    return result
  }

  /// A place between two pixels of a map: theirs, and the share of the second.
  private typealias Neighbours = (first: Int, second: Int, share: Float)

  /// The pixels of a map on both sides of one of a photograph, across or down.
  private static func neighbours(_ place: Int, of count: Int, _ mapCount: Int) -> Neighbours {
    guard count != mapCount else { return (place, place, 0) }
    let found = (Double(place) + 0.5) * Double(mapCount) / Double(count) - 0.5
    let inside = max(0, min(Double(mapCount - 1), found))
    let first = Int(inside)
    return (first, min(first + 1, mapCount - 1), Float(inside - Double(first)))
  }

  /// The codes at a row of a photograph.
  private func interpolate(
    _ rows: Neighbours, _ columns: [Neighbours], into values: inout [Float]
  ) {
    Self.row(rows.first, of: codes) { above in
      Self.row(rows.second, of: codes) { below in
        for (x, column) in columns.enumerated() {
          for channel in 0..<3 {
            let (left, right) = (4 * column.first + channel, 4 * column.second + channel)
            let top = above[left] + (above[right] - above[left]) * column.share
            let bottom = below[left] + (below[right] - below[left]) * column.share
            values[4 * x + channel] = top + (bottom - top) * rows.share
          }
        }
      }
    }
  }

  /// The map between two renditions of a picture, of one component where this one is; it spans the gains
  /// that are there, and asks for the same headroom.
  ///
  /// - Parameters:
  ///   - light: of high dynamic range, linear, in floats.
  ///   - base: of standard range, likewise, of the same size.
  package func mapping(
    _ base: PixelBuffer, to light: PixelBuffer
  ) throws(CinematicError) -> GainMap {
    let size = base.dimensions
    let result = try PixelBuffer(
      dimensions: size, format: .rgbaFloat, tags: .linearBT709, bytesPerRowAlignment: 16)
    let offset = Float(GainMapCoding.usualOffset)
    // A mean of light has no gain beyond those that were there; at edges, where the two are not mixed quite
    // alike, it would seem so.
    let spans = (0..<3).map { channel in
      let ends = [0, coding.stops(0, channel), coding.stops(1, channel)].map { Float($0) }
      return ends.min()!...ends.max()!
    }
    func clamped(_ gain: Float, _ channel: Int) -> Float {
      max(spans[channel].lowerBound, min(spans[channel].upperBound, gain))
    }
    var low = [Float](repeating: .infinity, count: 3)
    var high = [Float](repeating: -.infinity, count: 3)
    // Luminance by BT.709; of other primaries it is near enough for a factor of all three.
    let weights: [Float] = [0.2126, 0.7152, 0.0722]
    for y in 0..<size.height {
      Self.row(y, of: base) { from in
        Self.row(y, of: light) { to in
          Self.row(y, of: result) { out in
            for x in 0..<size.width {
              var pair: (Float, Float) = (0, 0)
              for channel in 0..<3 {
                let (a, b) = (max(from[4 * x + channel], 0), max(to[4 * x + channel], 0))
                pair.0 += weights[channel] * a
                pair.1 += weights[channel] * b
                if !isGray {
                  out[4 * x + channel] = clamped(log2f((b + offset) / (a + offset)), channel)
                }
              }
              if isGray {
                let gain = clamped(log2f((pair.1 + offset) / (pair.0 + offset)), 0)
                for channel in 0..<3 { out[4 * x + channel] = gain }
              }
              for channel in 0..<3 {
                low[channel] = min(low[channel], out[4 * x + channel])
                high[channel] = max(high[channel], out[4 * x + channel])
              }
              out[4 * x + 3] = 1
            }
          }
        }
      }
    }
    // A map without any gain needs a range, too.
    let least: Float = 1.0 / 64
    let found = zip(low, high).map { ($0, max($1, $0 + least)) }
    for y in 0..<size.height {
      Self.row(y, of: result) { out in
        for x in 0..<size.width {
          for channel in 0..<3 {
            let (low, high) = found[channel]
            out[4 * x + channel] = (out[4 * x + channel] - low) / (high - low)
          }
        }
      }
    }
    let channels = found.map {
      GainMapCoding.Channel(low: Double($0.0), high: Double($0.1))
    }
    return GainMap(
      result, isGray: isGray, GainMapCoding(channels: channels, headroom: coding.headroom))
  }

  /// The floats of a row.
  private static func row(
    _ y: Int, of buffer: PixelBuffer, _ body: (UnsafeMutablePointer<Float>) -> Void
  ) {
    buffer.withUnsafeMutableBytes { bytes in
      let row = bytes.baseAddress! + y * buffer.planes[0].bytesPerRow
      body(row.assumingMemoryBound(to: Float.self))
    }
  }

  /// The codes as a JPEG holds them.
  func stored() throws(CinematicError) -> PixelBuffer {
    let result = try PixelBuffer(dimensions: dimensions, format: .rgba8, tags: .sRGB)
    for y in 0..<dimensions.height {
      Self.row(y, of: codes) { codes in
        result.withUnsafeMutableBytes { bytes in
          let out = bytes.baseAddress! + y * result.planes[0].bytesPerRow
          for index in 0..<(4 * dimensions.width) {
            let code = max(0, min(1, codes[index])) * 255 + 0.5
            out.storeBytes(of: UInt8(code), toByteOffset: index, as: UInt8.self)
          }
        }
      }
    }
    return result
  }
}
