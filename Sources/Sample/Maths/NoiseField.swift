// SPDX-License-Identifier: Apache-2.0

/// Smooth random fields for procedural surfaces: value noise over a table of 256×256 numbers.
// @unchecked Sendable: the table is written in the initialiser alone.
final class NoiseField: @unchecked Sendable {
  private let table: UnsafeMutablePointer<Float>

  init(seed: UInt64) {
    table = .allocate(capacity: 65536)
    var generator = SeededGenerator(seed: seed)
    for i in 0..<65536 { table[i] = generator.unit() }
  }

  deinit { table.deallocate() }

  @inline(__always)
  private func at(_ x: Int32, _ y: Int32) -> Float {
    table[Int((x & 255) | ((y & 255) << 8))]
  }

  /// A cell's own number, 0..<1.
  @inline(__always)
  func cell(_ x: Int32, _ y: Int32) -> Float { at(x &+ 17, y &+ 101) }

  /// Noise of one octave, 0...1, one feature a unit.
  @inline(__always)
  func value(_ x: Float, _ y: Float) -> Float {
    let ix = floorInteger(x)
    let iy = floorInteger(y)
    let fx = x - Float(ix)
    let fy = y - Float(iy)
    let u = fx * fx * (3 - 2 * fx)
    let v = fy * fy * (3 - 2 * fy)
    let top = mix(at(ix, iy), at(ix &+ 1, iy), u)
    let bottom = mix(at(ix, iy &+ 1), at(ix &+ 1, iy &+ 1), u)
    return mix(top, bottom, v)
  }

  /// Three octaves, 0...1, each twice as fine and half as strong.
  @inline(__always)
  func fractal(_ x: Float, _ y: Float) -> Float {
    let a = value(x, y)
    let b = value(x * 2.03 + 19.7, y * 2.03 + 7.3)
    let c = value(x * 4.09 + 3.1, y * 4.09 + 41.9)
    return (a * 4 + b * 2 + c) * (1 / 7)
  }
}
