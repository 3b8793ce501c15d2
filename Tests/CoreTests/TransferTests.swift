// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Foundation
import ShaderTypes
import Testing

/// The transfer functions as their standards have them, in Double.
enum Closed {
  // IEC 61966-2-1.
  static func srgb(decode e: Double) -> Double {
    e <= 0.04045 ? e / 12.92 : pow((e + 0.055) / 1.055, 2.4)
  }
  // BT.2020 gives BT.709's two constants to the digits at which both pieces meet smoothly.
  static func bt709(decode e: Double) -> Double {
    let alpha = 1.09929682680944, beta = 0.018053968510807
    return e < 4.5 * beta ? e / 4.5 : pow((e + alpha - 1) / alpha, 1 / 0.45)
  }
  // BT.2100 table 5, without its opto-optical part.
  static func hlg(decode e: Double) -> Double {
    let a = 0.17883277, b = 1 - 4 * 0.17883277, c = 0.5 - a * log(4 * a)
    func scene(_ e: Double) -> Double { e <= 0.5 ? e * e / 3 : (exp((e - c) / a) + b) / 12 }
    return scene(e) / scene(0.75)
  }
  // BT.2100 table 4, with 203 cd/m² at 1 (BT.2408).
  static func pq(decode e: Double) -> Double {
    let m1 = 2610.0 / 16384, m2 = 2523.0 / 4096 * 128
    let c1 = 3424.0 / 4096, c2 = 2413.0 / 4096 * 32, c3 = 2392.0 / 4096 * 32
    let p = pow(e, 1 / m2)
    return 10000.0 / 203 * pow(max(p - c1, 0) / (c2 - c3 * p), 1 / m1)
  }

  static func decode(_ transfer: ColorTags.Transfer, _ e: Double) -> Double {
    switch transfer {
    case .linear: e
    case .srgb: srgb(decode: e)
    case .bt709: bt709(decode: e)
    case .hlg: hlg(decode: e)
    case .pq: pq(decode: e)
    }
  }
}

@Suite struct TransferTests {
  /// One step of a 16-bit code.
  private let code16 = 1.0 / 65535
  private let curves: [ColorTags.Transfer] = [.srgb, .bt709, .hlg, .pq]

  // Light within 5e-6 of itself: that is 0.02 % of the 2 % that an eye can tell.
  @Test(arguments: ColorTags.Transfer.allCases)
  func decodingFollowsTheStandard(_ transfer: ColorTags.Transfer) {
    var worst = 0.0
    for i in 0...65535 {
      let e = Float(i) / 65535
      let exact = Closed.decode(transfer, Double(e))
      let light = Double(focal_decode(e, transfer.rawValue))
      worst = max(worst, abs(light - exact) / (exact + 2e-4))
    }
    #expect(worst < 5e-6, "\(worst)")
  }

  // A twentieth of a 16-bit code: no format that has codes can tell.
  @Test(arguments: ColorTags.Transfer.allCases)
  func encodingInvertsTheStandard(_ transfer: ColorTags.Transfer) {
    var worst = 0.0
    for i in 0...65535 {
      let e = Double(i) / 65535
      let light = Float(Closed.decode(transfer, e))
      worst = max(worst, abs(Double(focal_encode(light, transfer.rawValue)) - e) / code16)
    }
    #expect(worst < 0.05, "\(worst)")
  }

  // Half a 10-bit code would be 32 of these; a dither of 0.49 leaves 0.01 of a code, 0.64 of these.
  @Test(arguments: ColorTags.Transfer.allCases)
  func encodingUndoesDecoding(_ transfer: ColorTags.Transfer) {
    var worst = 0.0
    for i in 0...60_000 {
      let e = Float(1.09 * Double(i) / 60_000)  // up to the head room of the video range
      let back = focal_encode(focal_decode(e, transfer.rawValue), transfer.rawValue)
      worst = max(worst, abs(Double(back) - Double(e)) / code16)
      let below = focal_encode(focal_decode(-e, transfer.rawValue), transfer.rawValue)
      #expect(below == -back || e == 0)
    }
    #expect(worst < 0.06, "\(worst)")
  }

  @Test(arguments: ColorTags.Transfer.allCases)
  func bothDirectionsRise(_ transfer: ColorTags.Transfer) {
    var lastLight = -Float.infinity, lastCode = -Float.infinity
    for i in 0...60_000 {
      let x = Float(i) / 60_000
      let light = focal_decode(x, transfer.rawValue)
      #expect(light >= lastLight, "decode \(x)")
      lastLight = light
      let code = focal_encode(x * 4, transfer.rawValue)
      #expect(code >= lastCode, "encode \(x * 4)")
      lastCode = code
    }
  }

  @Test func fixedPoints() {
    for transfer in [ColorTags.Transfer.linear, .srgb, .bt709] {
      #expect(focal_decode(1, transfer.rawValue) == 1)
      #expect(focal_encode(1, transfer.rawValue) == 1)
    }
    for transfer in ColorTags.Transfer.allCases {
      #expect(focal_decode(0, transfer.rawValue) == 0)
      #expect(abs(focal_encode(0, transfer.rawValue)) < 1e-6)
    }
    #expect(abs(focal_decode(0.75, FOCAL_TRANSFER_HLG) - 1) < 1e-6)
    #expect(abs(focal_decode(1, FOCAL_TRANSFER_HLG) - 3.7741181) < 1e-5)
    // BT.2408: 203 cd/m² is a signal of 58 %; all of PQ's range is 10000 cd/m².
    #expect(abs(focal_encode(1, FOCAL_TRANSFER_PQ) - 0.5806889) < 1e-6)
    #expect(abs(focal_decode(1, FOCAL_TRANSFER_PQ) - 10000.0 / 203) < 1e-4)
  }

  // sRGB and BT.709 reach beyond white where the format does; PQ ends at the video range's head
  // room, because its curve has a pole.
  @Test func lightOutsideTheRange() {
    for transfer in curves {
      for light in [2, 10, 49, 1000, 65504] as [Float] {
        let e = focal_encode(light, transfer.rawValue)
        #expect(e.isFinite && e > focal_encode(1, transfer.rawValue))
        let back = focal_decode(e, transfer.rawValue)
        if transfer != .pq || light < 60 { #expect(abs(back / light - 1) < 1e-5) }
      }
      for e in [1.5, 2, 100, 65504] as [Float] {
        let light = focal_decode(e, transfer.rawValue)
        #expect(light.isFinite, "\(transfer) \(e)")
      }
    }
    #expect(focal_decode(2, FOCAL_TRANSFER_PQ) == focal_decode(1.2, FOCAL_TRANSFER_PQ))
    #expect(focal_decode(2, FOCAL_TRANSFER_PQ) < 150)
  }
}
