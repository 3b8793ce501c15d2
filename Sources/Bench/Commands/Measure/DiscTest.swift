// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalRendering

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// How a quality draws small lights out of focus, against even discs.
struct DiscResult: Encodable {
  var device: String
  var quality: String
  /// Signed, in pixels: positive is nearer than the focus.
  var radius: Float
  /// Root mean square of the deviation from the mean, as a share of it, within three quarters of the
  /// radius.
  var ripple: Double
  /// Pixels over which the mean over all directions falls from nine tenths to one tenth.
  var edge: Double
  /// Light found over light given.
  var energy: Double

  static let header = "device        quality      radius  ripple %  edge px  energy"

  var row: String {
    [padded(device, 13), padded(quality, 12)].joined(separator: " ")
      + formatted(" %6.0f  %8.2f  %7.2f  %6.4f", Double(radius), 100 * ripple, edge, energy)
  }
}

/// Lights of 1 and 3 pixels on a dark plane, all at one distance: each becomes a disc.
///
/// A lens shows a point as a disc of one brightness with an edge of no width; one of 3 pixels has an edge
/// of two and a half. The lights stand at all places within a cell of four pixels, and are as bright
/// as makes the discs white.
struct DiscTest {
  static let radii: [Float] = [-48, -32, -16, -8, 8, 16, 32, 48]
  private static let size = Dimensions(width: 1920, height: 1080)
  private static let most = 40
  private static let background: Float = 0.02
  /// Clear of its neighbours' discs, and of the borders.
  private static let clearance = 14

  private struct Light {
    var x: Int
    var y: Int
    var side: Int
    var centre: SIMD2<Double> {
      SIMD2(Double(x) + 0.5 * Double(side), Double(y) + 0.5 * Double(side))
    }
  }

  private let radius: Float
  private let lights: [Light]
  private let source: PixelBuffer
  private let map: PixelBuffer

  init(radius: Float) throws(CinematicError) {
    self.radius = radius
    let reach = Int(abs(radius)) + Self.clearance
    var lights: [Light] = []
    var top = reach
    while top + reach < Self.size.height, lights.count < Self.most {
      var left = reach
      while left + reach < Self.size.width, lights.count < Self.most {
        let index = lights.count
        lights.append(
          Light(x: left + index % 4, y: top + index / 4 % 4, side: index % 2 == 0 ? 1 : 3))
        left += 2 * reach + 8
      }
      top += 2 * reach + 8
    }
    self.lights = lights
    source = try PixelBuffer(dimensions: Self.size, format: .rgbaFloat, tags: .linearBT709)
    let rowBytes = source.planes[0].bytesPerRow
    let area = Float.pi * radius * radius
    let background = Self.background
    source.withUnsafeMutableBytes { bytes in
      for y in 0..<Self.size.height {
        for x in 0..<Self.size.width {
          bytes.storeBytes(
            of: SIMD4(background, background, background, 1), toByteOffset: y * rowBytes + 16 * x,
            as: SIMD4<Float>.self)
        }
      }
      for light in lights {
        let value = background + area / Float(light.side * light.side)
        for y in light.y..<light.y + light.side {
          for x in light.x..<light.x + light.side {
            bytes.storeBytes(
              of: SIMD4(value, value, value, 1), toByteOffset: y * rowBytes + 16 * x,
              as: SIMD4<Float>.self)
          }
        }
      }
    }
    map = try PixelBuffer(dimensions: Dimensions(width: 32, height: 18), format: .disparityFloat)
    let mapRowBytes = map.planes[0].bytesPerRow
    map.withUnsafeMutableBytes { bytes in
      for y in 0..<18 {
        for x in 0..<32 {
          bytes.storeBytes(of: Float(0.5), toByteOffset: y * mapRowBytes + 4 * x, as: Float.self)
        }
      }
    }
  }

  func measure(_ quality: RenderingQuality, on device: Device) throws -> DiscResult {
    let session = try RenderingSession(
      commandQueue: CommandQueue(device: device), sessionAttributes: .init(blurScale: 1),
      quality: quality)
    let destination = try PixelBuffer(
      dimensions: Self.size, format: .rgbaFloat, tags: .linearBT709)
    let buffer = session.commandQueue.makeCommandBuffer()
    // Half of width * S / N * |d - focus| at S / N = 1/4.
    let focus = 0.5 - radius * 8 / Float(Self.size.width)
    try session.encodeRender(
      to: buffer, frameAttributes: .init(focusDisparity: focus, fNumber: 4), sourceImage: source,
      sourceDisparity: map, destinationImage: destination)
    buffer.commit()
    buffer.waitUntilCompleted()
    if let error = buffer.error { throw error }
    let found = lights.map { disc(of: $0, in: destination) }
    func mean(_ value: (Disc) -> Double) -> Double {
      found.map(value).reduce(0, +) / Double(found.count)
    }
    return DiscResult(
      device: device.identifier, quality: quality.description, radius: radius,
      ripple: mean(\.ripple), edge: mean(\.edge), energy: mean(\.energy))
  }

  private struct Disc {
    var ripple = 0.0
    var edge = 0.0
    var energy = 0.0
  }

  /// Steps of the radial profile, a pixel.
  private static let steps = 4

  private func disc(of light: Light, in picture: PixelBuffer) -> Disc {
    let size = Double(abs(radius))
    let reach = Int(size) + Self.clearance
    let rowBytes = picture.planes[0].bytesPerRow
    let centre = light.centre
    var inside: [Double] = []
    var total = 0.0
    var sums = [Double](repeating: 0, count: (reach + 2) * 2 * Self.steps)
    var counts = sums
    picture.withUnsafeBytes { bytes in
      for y in Int(centre.y) - reach...Int(centre.y) + reach {
        for x in Int(centre.x) - reach...Int(centre.x) + reach {
          let value = Double(
            bytes.loadUnaligned(fromByteOffset: y * rowBytes + 16 * x, as: Float.self)
              - Self.background)
          let away = SIMD2(Double(x) + 0.5, Double(y) + 0.5) - centre
          let distance = (away * away).sum().squareRoot()
          total += value
          if distance <= 0.75 * size { inside.append(value) }
          sums[Int(distance * Double(Self.steps))] += value
          counts[Int(distance * Double(Self.steps))] += 1
        }
      }
    }
    let mean = inside.reduce(0, +) / Double(inside.count)
    let square = inside.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(inside.count)
    /// Where the profile last passes a share of the mean.
    func passing(_ share: Double) -> Double {
      let profile = zip(sums, counts).map { $1 > 0 ? $0 / $1 : .nan }
      let places = profile.indices.filter { profile[$0] >= share * mean }
      guard let last = places.last else { return 0 }
      let next = profile[(last + 1)...].first { !$0.isNaN } ?? 0
      let part = (profile[last] - share * mean) / max(profile[last] - next, 1e-9)
      return (Double(last) + 0.5 + part) / Double(Self.steps)
    }
    return Disc(
      ripple: square.squareRoot() / mean, edge: passing(0.1) - passing(0.9),
      energy: total / Double(Float.pi * radius * radius))
  }
}
