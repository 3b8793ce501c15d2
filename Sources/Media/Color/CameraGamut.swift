// SPDX-License-Identifier: Apache-2.0

/// The colours that a camera's red, green and blue are, by the papers that ``LogCurve`` names. (Cameras record Sony's
/// and Canon's curves in several; those of a ``LogCurve`` that names none are what the makers advise.) All numbers are
/// those of colour-science 0.4, too.
public struct CameraGamut: Hashable, Sendable {
  /// For people.
  public var name: String
  /// x and y of red, green and blue, and of white, which is D65.
  public var chromaticities: [Float]
  /// Whether cameras record the curve in other colours, too.
  public var isOneOfSeveral: Bool

  private init(
    _ name: String, isOneOfSeveral: Bool = false, _ points: [Float],
    white: [Float] = [0.3127, 0.3290]
  ) {
    self.name = name
    self.isOneOfSeveral = isOneOfSeveral
    chromaticities = points + white
  }

  static let arri3 = CameraGamut(
    "ARRI Wide Gamut 3", [0.6840, 0.3130, 0.2210, 0.8480, 0.0861, -0.1020])
  static let arri4 = CameraGamut(
    "ARRI Wide Gamut 4", [0.7347, 0.2653, 0.1424, 0.8576, 0.0991, -0.0308])
  static let sony = CameraGamut(
    "S-Gamut3.Cine", isOneOfSeveral: true, [0.766, 0.275, 0.225, 0.800, 0.089, -0.087])
  static let sonyOld = CameraGamut(
    "S-Gamut", [0.730, 0.280, 0.140, 0.855, 0.100, -0.050])
  static let sonyWide = CameraGamut(
    "S-Gamut3", [0.730, 0.280, 0.140, 0.855, 0.100, -0.050])
  static let dji = CameraGamut("D-Gamut", [0.71, 0.31, 0.21, 0.88, 0.09, -0.08])
  static let red = CameraGamut(
    "REDWideGamutRGB", [0.780308, 0.304253, 0.121595, 1.493994, 0.095612, -0.084589])
  static let blackmagic = CameraGamut(
    "Blackmagic Wide Gamut Gen 5",
    [0.7177215, 0.3171181, 0.2280410, 0.8615690, 0.1005841, -0.0820452],
    white: [0.3127170, 0.3290312])
  static let daVinci = CameraGamut(
    "DaVinci Wide Gamut", [0.8000, 0.3130, 0.1682, 0.9877, 0.0790, -0.1155])
  static let panasonic = CameraGamut("V-Gamut", [0.730, 0.280, 0.165, 0.840, 0.100, -0.030])
  static let canon = CameraGamut(
    "Cinema Gamut", isOneOfSeveral: true, [0.740, 0.270, 0.170, 1.140, 0.080, -0.100])
  static let bt2020 = CameraGamut("BT.2020", [0.708, 0.292, 0.170, 0.797, 0.131, 0.046])
}

extension LogCurve {
  /// The colours that cameras record with the curve; of several those that their makers advise.
  public var gamut: CameraGamut {
    switch self {
    case .logC3: .arri3
    case .logC4: .arri4
    case .sLog2: .sonyOld
    case .sLog3: .sony
    case .sLog3Wide: .sonyWide
    case .vLog: .panasonic
    case .canonLog, .canonLog2, .canonLog3: .canon
    // F-Gamut and N-Gamut are that of BT.2020.
    case .nLog, .fLog, .fLog2, .appleLog, .canonLog2BT2020, .canonLog3BT2020: .bt2020
    case .dLog: .dji
    case .log3G10: .red
    case .blackmagicFilm5: .blackmagic
    case .daVinci: .daVinci
    }
  }
}
