// SPDX-License-Identifier: Apache-2.0

import FocalCore
import PlanarCoding

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A camera's curve from scene light to codes, by its maker's paper. Light is blurred as the camera saw it,
/// and becomes codes of the same curve again. Raw values are the names on the command line.
public enum LogCurve: String, Hashable, Sendable, CaseIterable {
  /// ARRI LogC3 at exposure index 800.
  case logC3 = "logc3"
  /// ARRI LogC4.
  case logC4 = "logc4"
  /// Sony S-Log2, in S-Gamut.
  case sLog2 = "slog2"
  /// Sony S-Log3, in S-Gamut3.Cine.
  case sLog3 = "slog3"
  /// Sony S-Log3, in S-Gamut3.
  case sLog3Wide = "slog3-sgamut3"
  /// Panasonic V-Log.
  case vLog = "vlog"
  /// Canon Log, in Cinema Gamut.
  case canonLog = "clog"
  /// Canon Log 2, in Cinema Gamut.
  case canonLog2 = "clog2"
  /// Canon Log 3, in Cinema Gamut.
  case canonLog3 = "clog3"
  /// Canon Log 2, in BT.2020.
  case canonLog2BT2020 = "clog2-bt2020"
  /// Canon Log 3, in BT.2020.
  case canonLog3BT2020 = "clog3-bt2020"
  /// Nikon N-Log, in N-Gamut.
  case nLog = "nlog"
  /// Fujifilm F-Log.
  case fLog = "flog"
  /// Fujifilm F-Log2.
  case fLog2 = "flog2"
  /// Apple Log.
  case appleLog = "apple-log"
  /// DJI D-Log.
  case dLog = "dlog"
  /// RED Log3G10.
  case log3G10 = "log3g10"
  /// Blackmagic Film, generation 5.
  case blackmagicFilm5 = "bmdfilm5"
  /// DaVinci Intermediate.
  case daVinci = "davinci"

  /// For people.
  public var title: String {
    switch self {
    case .logC3: "ARRI LogC3"
    case .logC4: "ARRI LogC4"
    case .sLog2: "S-Log2"
    case .sLog3: "S-Log3"
    case .sLog3Wide: "S-Log3 in S-Gamut3"
    case .vLog: "V-Log"
    case .canonLog: "Canon Log"
    case .canonLog2: "Canon Log 2"
    case .canonLog3: "Canon Log 3"
    case .canonLog2BT2020: "Canon Log 2 in BT.2020"
    case .canonLog3BT2020: "Canon Log 3 in BT.2020"
    case .nLog: "N-Log"
    case .fLog: "F-Log"
    case .fLog2: "F-Log2"
    case .appleLog: "Apple Log"
    case .dLog: "D-Log"
    case .log3G10: "Log3G10"
    case .blackmagicFilm5: "Blackmagic Film Gen 5"
    case .daVinci: "DaVinci Intermediate"
    }
  }

  /// The curve's numbers. Those of papers that use the common logarithm are per octave here. All agree with what
  /// colour-science 0.4 gives for the curve at -0.02 to 5, but Canon Log's, Blackmagic's and DaVinci's, of which
  /// only the constants were compared.
  ///
  /// - Parameter isFullRange: whether the pictures' codes use the whole range. Some papers give the number
  ///   that is recorded, over the largest one: in video range, 64 is 0 and 940 is 1 of 10 bits.
  func curve(isFullRange: Bool) -> FocalLogCurve {
    let octave = log10(2.0)
    func curve(
      gain: Double, offset: Double, slope: Double, base: Double, lift: Double, foot: Double,
      cut: Double, recorded: Bool = false, centre: Double? = nil
    ) -> FocalLogCurve {
      var result = FocalLogCurve()
      (result.gain, result.offset) = (Float(gain), Float(offset))
      (result.slope, result.base) = (Float(slope), Float(base))
      (result.lift, result.foot) = (Float(lift), Float(foot))
      (result.cut, result.codeAtCut) = (Float(cut), Float(slope * log2(gain * cut + offset) + base))
      result.isMirrored = centre == nil ? 0 : 1
      result.centre = Float(centre ?? 0)
      (result.scale, result.shift) =
        recorded && !isFullRange ? (Float(876.0 / 1023), Float(64.0 / 1023)) : (1, 0)
      return result
    }
    switch self {
    case .logC3:
      // ARRI, "ALEXA Log C Curve: Usage in VFX" (2012), exposure index 800.
      return curve(
        gain: 5.555556, offset: 0.052272, slope: 0.247190 * octave, base: 0.385537, lift: 5.367655,
        foot: 0.092809, cut: 0.010591)
    case .logC4:
      // ARRI, "LogC4 Logarithmic Color Space: Specification" (2022).
      let gain: Double = (262144 - 16) / 117.45
      let (b, c): (Double, Double) = (928.0 / 1023, 95.0 / 1023)
      let ratio: Double = 14 * c / b
      let s: Double = 7 * log(2.0) * exp2(7 - ratio) / (gain * b)
      let t: Double = (exp2(6 - ratio) - 64) / gain
      return curve(
        gain: gain, offset: 64, slope: b / 14, base: c - 6 * b / 14, lift: 1 / s, foot: -t / s,
        cut: t)
    case .sLog2:
      // Sony, "S-Log2 Technical Paper", 1.0 (2012). Its light is 1 at a reflectance of 0.9, and its code a share
      // of the video signal from 64 to 940.
      let (signal, black): (Double, Double) = (876.0 / 1023, 64.0 / 1023)
      return curve(
        gain: 155 / 219 / 0.9, offset: 0.037584, slope: 0.432699 * octave * signal,
        base: (0.616596 + 0.03) * signal + black, lift: 3.53881278538813 / 0.9 * signal,
        foot: 0.030001222851889303 * signal + black, cut: 0, recorded: true)
    case .sLog3, .sLog3Wide:
      // Sony, "Technical Summary for S-Gamut3.Cine/S-Log3 and S-Gamut3/S-Log3".
      return curve(
        gain: 1 / 0.19, offset: 0.01 / 0.19, slope: 261.5 / 1023 * octave, base: 420.0 / 1023,
        lift: (171.2102946929 - 95) / 0.01125 / 1023, foot: 95.0 / 1023, cut: 0.01125,
        recorded: true)
    case .vLog:
      // Panasonic, "VARICAM V-Log/V-Gamut" (2014).
      return curve(
        gain: 1, offset: 0.00873, slope: 0.241514 * octave, base: 0.598206, lift: 5.6, foot: 0.125,
        cut: 0.01, recorded: true)
    case .canonLog:
      // Canon, "Input Transform Version 202007 for EOS C300 Mark II" (2020): the number that is recorded, by light
      // that is 1 at a reflectance of 0.9.
      let gain = 10.1596 / 0.9
      return curve(
        gain: gain, offset: 1, slope: 0.45310179 * octave, base: 0.12512248,
        lift: 0.45310179 / log(10.0) * gain, foot: 0.12512248, cut: 0, recorded: true,
        centre: 0.12512248)
    case .canonLog2, .canonLog2BT2020:
      let gain = 87.09937546 / 0.9
      return curve(
        gain: gain, offset: 1, slope: 0.24136077 * octave, base: 0.092864125,
        lift: 0.24136077 / log(10.0) * gain, foot: 0.092864125, cut: 0, recorded: true,
        centre: 0.092864125)
    case .canonLog3, .canonLog3BT2020:
      return curve(
        gain: 14.98325 / 0.9, offset: 1, slope: 0.36726845 * octave, base: 0.12240537,
        lift: 1.9754798 / 0.9, foot: 0.12512219, cut: 0.014 * 0.9, recorded: true,
        centre: 0.12512219)
    case .nLog:
      // Nikon, "N-Log Specification Document" 1.0 (2018), which cuts at 0.328, where its two formulas differ by an
      // eighth of a code of ten bits; they meet here.
      var result = curve(
        gain: 1, offset: 0, slope: 150.0 / 1023 * log(2.0), base: 619.0 / 1023, lift: 650.0 / 1023,
        foot: -0.0075, cut: 0.3167306, recorded: true)
      result.form = Int32(FOCAL_LOG_CUBE_ROOT)
      return result
    case .fLog:
      // Fujifilm, "F-Log Data Sheet" 1.1 (2022), and "F-Log2 Data Sheet" 1.0 (2022).
      return curve(
        gain: 0.555556, offset: 0.009468, slope: 0.344676 * octave, base: 0.790453, lift: 8.735631,
        foot: 0.092864, cut: 0.00089, recorded: true)
    case .fLog2:
      return curve(
        gain: 5.555556, offset: 0.064829, slope: 0.245281 * octave, base: 0.384316, lift: 8.799461,
        foot: 0.092864, cut: 0.000889, recorded: true)
    case .appleLog:
      // Apple, "Apple Log Profile White Paper" (2023).
      var result = curve(
        gain: 1, offset: 0.00964052, slope: 0.08550479, base: 0.69336945, lift: 47.28711236,
        foot: -0.05641088, cut: 0.01)
      result.form = Int32(FOCAL_LOG_SQUARE)
      return result
    case .dLog:
      // DJI, "White Paper on D-Log and D-Gamut of DJI Cinema Color System" (2017).
      return curve(
        gain: 0.9892, offset: 0.0108, slope: 0.256663 * octave, base: 0.584555, lift: 6.025,
        foot: 0.0929, cut: 0.0078, recorded: true)
    case .log3G10:
      // RED, "White Paper on REDWideGamutRGB and Log3G10" (2017).
      let (gain, black): (Double, Double) = (155.975327, 0.01)
      return curve(
        gain: gain, offset: gain * black + 1, slope: 0.224282 * octave, base: 0, lift: 15.1927,
        foot: 15.1927 * black, cut: -black)
    case .blackmagicFilm5:
      // Blackmagic Design, "Blackmagic Generation 5 Color Science" (2021).
      return curve(
        gain: 1, offset: 0.005494072432257808, slope: 0.08692876065491224 * log(2.0),
        base: 0.5300133392291939, lift: 8.283605932402494, foot: 0.09246575342465753, cut: 0.005)
    case .daVinci:
      // Blackmagic Design, "DaVinci Resolve 17: Wide Gamut Intermediate" (2020).
      return curve(
        gain: 1, offset: 0.0075, slope: 0.07329248, base: 7 * 0.07329248, lift: 10.44426855,
        foot: 0, cut: 0.00262409)
    }
  }
}

extension PixelBuffer {
  /// Codes of a camera's curve become light, where they stand.
  ///
  /// - Precondition: `rgbaFloat`.
  package func decodeLog(_ curve: LogCurve, isFullRange: Bool) {
    apply(curve.curve(isFullRange: isFullRange), focal_log_decode)
  }

  /// Light becomes codes of a camera's curve, where it stands.
  ///
  /// - Precondition: `rgbaFloat`.
  package func encodeLog(_ curve: LogCurve, isFullRange: Bool) {
    apply(curve.curve(isFullRange: isFullRange), focal_log_encode)
  }

  private func apply(
    _ curve: FocalLogCurve,
    _ body: (UnsafePointer<FocalLogCurve>?, UnsafeMutablePointer<Float>?, Int) -> Void
  ) {
    withUnsafePointer(to: curve) { curve in
      withUnsafeMutableBytes { bytes in
        for y in 0..<height {
          let row = bytes.baseAddress! + y * planes[0].bytesPerRow
          body(curve, row.assumingMemoryBound(to: Float.self), width)
        }
      }
    }
  }
}
