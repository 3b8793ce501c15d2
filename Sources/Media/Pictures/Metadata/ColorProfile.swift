// SPDX-License-Identifier: Apache-2.0

import CLittleCMS
import FocalCore

/// An ICC profile: what a picture's codes mean as colour.
///
/// Codes by the primaries and the curve that ``FocalCore/ColorTags`` can name stay as they are. Others
/// become linear light of BT.2020's primaries in floats, unbounded, and codes of the profile again in
/// files that hold one. Profiles of gray are for pictures of one component alone.
public struct ColorProfile: Hashable, Sendable {
  public let bytes: [UInt8]
  /// The profile's content, found out once.
  let meaning: Meaning

  /// Whether it is for pictures of one component.
  let isGray: Bool

  /// The treatment of codes.
  enum Meaning: Hashable {
    /// They are what these tags say.
    case tags(ColorTags)
    /// They have to be converted.
    case converted
    /// The profile is for neither gray nor red, green and blue, but for a space of the name that it gives, or
    /// cannot be read (`nil`): codes are taken as they are.
    case other(space: String?)
  }

  /// The colours in which pictures whose codes are converted are rendered.
  var workingTags: ColorTags {
    isGray
      ? .linearBT709 : ColorTags(primaries: .bt2020, transfer: .linear, matrix: .bt2020)
  }

  public init(_ bytes: [UInt8]) {
    self.bytes = bytes
    (meaning, isGray) = Self.meaning(of: bytes)
  }

  /// The profile of colours that viewers do not assume by themselves; `nil` for sRGB.
  init?(_ tags: ColorTags) {
    guard tags.transfer.isStandardRange, tags.primaries != .bt709,
      let curve = Self.curve(.srgb),
      let profile = Self.profile(tags.primaries, curve: curve)
    else { return nil }
    defer { cmsCloseProfile(profile) }
    cmsSetProfileVersion(profile, 2.4)
    var count: UInt32 = 0
    guard cmsSaveProfileToMem(profile, nil, &count) != 0, count > 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: Int(count))
    guard cmsSaveProfileToMem(profile, &bytes, &count) != 0, bytes.count >= 128 else { return nil }
    // The date of its making (ICC.1 §7.2, six numbers of two bytes) would make every file another.
    bytes.replaceSubrange(24..<36, with: [0x07, 0xD0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0])
    self.init(bytes)
  }

  /// Whether codes were converted to be rendered, and are to be converted back.
  var isConverted: Bool { meaning == .converted }

  /// The colour tags that say the same; `nil` if there are none.
  public var tags: ColorTags? {
    if case .tags(let tags) = meaning { tags } else { nil }
  }

  private static func meaning(of bytes: [UInt8]) -> (Meaning, isGray: Bool) {
    guard let profile = open(bytes) else { return (.other(space: nil), false) }
    defer { cmsCloseProfile(profile) }
    if cmsGetColorSpace(profile) == cmsSigGrayData {
      // The curve leads to the connection space (ICC.1, F.2): in Lab to lightness, which is not light.
      let isOfLightness = cmsGetPCS(profile) == cmsSigLabData
      let transfer = isOfLightness ? nil : Self.transfer(profile, [cmsSigGrayTRCTag])
      return (
        transfer.map { .tags(ColorTags(primaries: .bt709, transfer: $0, matrix: .bt709)) }
          ?? .converted, true
      )
    }
    return (colorMeaning(of: profile), false)
  }

  private static func colorMeaning(of profile: cmsHPROFILE) -> Meaning {
    let space = cmsGetColorSpace(profile)
    guard space == cmsSigRgbData else { return .other(space: name(of: space)) }
    guard cmsIsMatrixShaper(profile) != 0,
      let red = colorant(profile, cmsSigRedColorantTag),
      let green = colorant(profile, cmsSigGreenColorantTag),
      let blue = colorant(profile, cmsSigBlueColorantTag),
      let transfer = transfer(
        profile, [cmsSigRedTRCTag, cmsSigGreenTRCTag, cmsSigBlueTRCTag])
    else { return .converted }
    for primaries in [ColorTags.Primaries.bt709, .displayP3, .bt2020] {
      guard let known = curve(transfer).flatMap({ Self.profile(primaries, curve: $0) }) else {
        continue
      }
      defer { cmsCloseProfile(known) }
      let pairs = [
        (red, colorant(known, cmsSigRedColorantTag)),
        (green, colorant(known, cmsSigGreenColorantTag)),
        (blue, colorant(known, cmsSigBlueColorantTag)),
      ]
      // Makers round their numbers, and adapt to the white of D50 by slightly different ones: sRGB's
      // profiles differ by up to 0.001. Adobe RGB is 0.17 away.
      let isSame = pairs.allSatisfy { given, known in
        guard let known else { return false }
        return abs(given.X - known.X) < 0.003 && abs(given.Y - known.Y) < 0.003
          && abs(given.Z - known.Z) < 0.003
      }
      if isSame {
        return .tags(
          ColorTags(
            primaries: primaries, transfer: transfer,
            matrix: primaries == .bt2020 ? .bt2020 : .bt709))
      }
    }
    return .converted
  }

  /// The letters of a colour space's signature.
  private static func name(of space: cmsColorSpaceSignature) -> String? {
    let letters = (0..<4).map { UInt8(truncatingIfNeeded: space.rawValue >> (24 - 8 * $0)) }
      .filter { $0 > 0x20 && $0 < 0x7F }
    return letters.isEmpty ? nil : String(decoding: letters, as: UTF8.self)
  }

  // MARK: - Conversion

  /// Converts rows of red, green, blue and alpha; by a profile of gray, red becomes all three colours.
  // The transform is used by one thread at a time and freed with its owner.
  final class Conversion {
    private let transform: cmsHTRANSFORM
    private let isGray: Bool

    /// From codes of a profile to linear light, or back.
    ///
    /// - Throws: `malformed` for a profile that cannot be used.
    init(_ profile: ColorProfile, toCodes: Bool, path: String) throws(CinematicError) {
      guard let codes = ColorProfile.open(profile.bytes),
        let linear = profile.isGray ? ColorProfile.linearGray : ColorProfile.linear
      else { throw Self.unusable(path) }
      defer {
        cmsCloseProfile(codes)
        cmsCloseProfile(linear)
      }
      let format = profile.isGray ? focal_cms_gray_float() : focal_cms_rgba_float()
      guard
        let transform = cmsCreateTransform(
          toCodes ? linear : codes, format, toCodes ? codes : linear, format,
          UInt32(INTENT_RELATIVE_COLORIMETRIC), focal_cms_flags())
      else { throw Self.unusable(path) }
      self.transform = transform
      isGray = profile.isGray
    }

    deinit { cmsDeleteTransform(transform) }

    /// In place.
    func convert(_ row: UnsafeMutablePointer<Float>, count: Int) {
      cmsDoTransform(transform, row, row, UInt32(count))
      guard isGray else { return }
      for x in 0..<count {
        row[4 * x + 1] = row[4 * x]
        row[4 * x + 2] = row[4 * x]
      }
    }

    private static func unusable(_ path: String) -> CinematicError {
      CinematicError(
        .malformed, "the ICC profile of \(path) cannot be used",
        remedy: "assign another profile, or remove it")
    }
  }

  private static var linear: cmsHPROFILE? {
    guard let curve = cmsBuildGamma(nil, 1) else { return nil }
    return profile(.bt2020, curve: curve)
  }

  private static var linearGray: cmsHPROFILE? {
    guard let curve = cmsBuildGamma(nil, 1) else { return nil }
    defer { cmsFreeToneCurve(curve) }
    return cmsCreateGrayProfile(cmsD50_xyY(), curve)
  }

  // MARK: - Little CMS

  private static func open(_ bytes: [UInt8]) -> cmsHPROFILE? {
    prepared
    guard bytes.count >= 128 else { return nil }
    return cmsOpenProfileFromMem(bytes, UInt32(bytes.count))
  }

  /// The library prints nothing.
  private static let prepared: Void = cmsSetLogErrorHandler { _, _, _ in }

  /// - Parameter curve: freed here.
  private static func profile(
    _ primaries: ColorTags.Primaries, curve: OpaquePointer
  ) -> cmsHPROFILE? {
    defer { cmsFreeToneCurve(curve) }
    var white = cmsCIExyY(x: 0.3127, y: 0.3290, Y: 1)
    let points = PrimariesConversion.chromaticities(of: primaries)
    var triple = cmsCIExyYTRIPLE(
      Red: cmsCIExyY(x: points[0].x, y: points[0].y, Y: 1),
      Green: cmsCIExyY(x: points[1].x, y: points[1].y, Y: 1),
      Blue: cmsCIExyY(x: points[2].x, y: points[2].y, Y: 1))
    return [curve, curve, curve].withUnsafeBufferPointer { curves in
      curves.withMemoryRebound(to: OpaquePointer?.self) {
        cmsCreateRGBProfile(&white, &triple, $0.baseAddress)
      }
    }
  }

  /// The curve of a transfer function. Parametric type 4: (a x + b)^g from d on, c x below.
  private static func curve(_ transfer: ColorTags.Transfer) -> OpaquePointer? {
    switch transfer {
    case .linear: cmsBuildGamma(nil, 1)
    case .srgb:
      cmsBuildParametricToneCurve(nil, 4, [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045])
    default: nil
    }
  }

  private static func colorant(_ profile: cmsHPROFILE, _ tag: cmsTagSignature) -> cmsCIEXYZ? {
    cmsReadTag(profile, tag).map { $0.load(as: cmsCIEXYZ.self) }
  }

  /// The transfer function whose curve all those of a profile are, within half a code of 8 bits.
  private static func transfer(
    _ profile: cmsHPROFILE, _ tags: [cmsTagSignature]
  ) -> ColorTags.Transfer? {
    let curves = tags.compactMap { cmsReadTag(profile, $0).map { OpaquePointer($0) } }
    guard curves.count == tags.count else { return nil }
    return [ColorTags.Transfer.srgb, .linear].first { transfer in
      guard let known = curve(transfer) else { return false }
      defer { cmsFreeToneCurve(known) }
      return curves.allSatisfy { curve in
        (0...32).allSatisfy { step in
          let code = Float(step) / 32
          return abs(cmsEvalToneCurveFloat(curve, code) - cmsEvalToneCurveFloat(known, code))
            < 0.002
        }
      }
    }
  }
}
