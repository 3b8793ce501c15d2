// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import FocalSample

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

@Suite struct MathsTests {
  @Test func approximationsKeepTheirBounds() {
    for i in -400...400 {
      let x = Float(i) * 0.0371
      #expect(near(exp2Approximation(x) / exp2f(x), 1, within: 2e-5))
      #expect(near(sineOfTurns(x), Float(sin(2 * Double.pi * Double(x))), within: 1e-5))
      #expect(near(cosineOfTurns(x), Float(cos(2 * Double.pi * Double(x))), within: 1e-5))
      let angle = fraction(x)
      let back = turns(
        Float(sin(2 * Double.pi * Double(angle))), Float(cos(2 * Double.pi * Double(angle))))
      #expect(min(abs(back - angle), 1 - abs(back - angle)) < 1e-4)
      #expect(floorInteger(x) == Int32(x.rounded(.down)))
    }
    #expect(turns(0, 0) == 0)
  }

  @Test func sequencesFillTheSquareEvenly() {
    var cells = [Int](repeating: 0, count: 16)
    var other = cells
    for i in 0..<256 {
      let p = hammersley(i, 256, SIMD2(0.3, 0.7))
      cells[Int(p.y * 4) * 4 + Int(p.x * 4)] += 1
      let q = plasticSequence(i, SIMD2(0.3, 0.7))
      other[Int(q.y * 4) * 4 + Int(q.x * 4)] += 1
    }
    #expect(cells.allSatisfy { abs($0 - 16) <= 2 })
    #expect(other.allSatisfy { abs($0 - 16) <= 4 })
  }

  @Test func resamplingKeepsTheMean() {
    var plane = FloatPlane(width: 10, height: 7)
    for i in plane.values.indices { plane.values[i] = hashUnit(Int32(i), 3, 1) }
    let mean = plane.values.reduce(0, +) / 70
    let small = plane.resampled(width: 4, height: 3)
    #expect(near(small.values.reduce(0, +) / 12, mean, within: 1e-5))
    var flat = FloatPlane(width: 9, height: 5)
    for i in flat.values.indices { flat.values[i] = 0.3 }
    flat.blur(sigma: 1.4)
    #expect(flat.values.allSatisfy { abs($0 - 0.3) < 1e-6 })
  }
}
