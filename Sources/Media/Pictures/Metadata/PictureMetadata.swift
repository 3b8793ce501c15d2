// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Everything in a picture file beside its pixels: when, where and by whom it was taken, its colours as an
/// ICC profile, its resolution.
public struct PictureMetadata: Hashable, Sendable {
  /// Pixels a metre, more than none and less than a million an inch.
  public struct Resolution: Hashable, Sendable {
    public let horizontal: Double
    public let vertical: Double

    /// `nil` for numbers that are no resolution.
    public init?(horizontal: Double, vertical: Double) {
      for value in [horizontal, vertical] {
        guard value > 0, value * Self.metresPerInch < 1e6 else { return nil }
      }
      self.horizontal = horizontal
      self.vertical = vertical
    }

    static let metresPerInch = 0.0254

    /// `nil` for numbers that are no resolution.
    init?(dotsPerInch horizontal: Double, _ vertical: Double) {
      self.init(
        horizontal: horizontal / Self.metresPerInch, vertical: vertical / Self.metresPerInch)
    }

    var dotsPerInch: (horizontal: Double, vertical: Double) {
      (horizontal * Self.metresPerInch, vertical * Self.metresPerInch)
    }
  }

  /// A picture that lies in the file beside the one that is shown.
  public enum Companion: String, Hashable, Sendable, CaseIterable {
    /// Disparity or depth of the picture.
    case disparity
    /// The subject's outline.
    case matte
    /// How much brighter a screen of high dynamic range shows each pixel.
    case gainMap
    /// The clip around the moment of the photograph.
    case video
    /// Pages behind the first, or the frames of an animation.
    case otherPictures

    /// In messages.
    public var name: String {
      switch self {
      case .disparity: "disparity"
      case .matte: "matte"
      case .gainMap: "gain map"
      case .video: "video"
      case .otherPictures: "other pictures"
      }
    }
  }

  /// EXIF: a TIFF structure, without the bytes that JPEG puts in front.
  public var exif: [UInt8]?
  /// XMP: a packet of XML.
  public var xmp: [UInt8]?
  /// IPTC: Photoshop's resource blocks, as JPEG files have them.
  public var iptc: [UInt8]?
  /// Words of a PNG beside XMP.
  var texts: [PNGText] = []
  /// The keywords of texts in a PNG that are metadata of another kind and are not read.
  var unreadTexts: [String] = []
  /// The ICC profile of the pixels' codes.
  public var profile: ColorProfile?
  public var resolution: Resolution?
  /// Further pictures in the file.
  public var companions: Set<Companion> = []
  /// A gain map that a JPEG is to have; files that are read say in ``companions`` that they have one.
  public var gainMap: GainMapFile?
  /// x and y of red, green, blue and white, where a file of linear light says them.
  var chromaticities: [Float]?
  /// The colours of a camera's codes, and of the light that is made of them.
  public var cameraGamut: CameraGamut?
  /// A pixel's width to its height, where a file of linear light says it.
  var pixelAspectRatio: Float?
  /// The further attributes of an OpenEXR file, by name.
  var attributes: [OpenEXRAttribute] = []
  /// Where an OpenEXR file's display window lies on the plane, and how large it is.
  var displayWindow: OpenEXRFile.Window?
  /// Whether an OpenEXR file has pixels outside of what is shown.
  var hasOverscan = false
  /// Channels of the file that are not part of the picture, by their names.
  public var leftOutChannels: [String] = []
  /// The channel that a map was read from, where channels have names.
  var mapChannel: String?
  /// Whether a map was read from a channel that is called depth.
  public var isCalledDepth: Bool { mapChannel.map(OpenEXRSelection.isDepth) ?? false }
  /// Whether a map's file has colours, of which luma was taken.
  public internal(set) var isColoredMap = false
  /// By what the floats of a PFM are divided, as its head says; `nil` where they stay as they are.
  public internal(set) var valueDivisor: Float?
  /// Whether colours were multiplied by alpha, where the file has alpha.
  public package(set) var hasPremultipliedAlpha = false
  /// Whether a file that is written has alpha also where it is 1 everywhere.
  var keepsAlpha = false
  /// A DPX file's header with what it says of film, television and production.
  var productionHeader: [UInt8]?
  /// Whether codes are printing density: DPX.
  package var isLogarithmic = false
  /// The assumption about a file's codes, in words for messages that begin with its name.
  public var assumption: String?
  /// What helps where the assumption is wrong, with the parameters that it points at; `nil` where nothing is known.
  public var assumptionRemedy: CinematicError.Wording?
  /// Whether the primaries of a clip's colours are assumed.
  public internal(set) var assumesPrimaries = false
  /// Whether there is light above the brightest that is blurred, which is taken for that.
  public internal(set) var exceedsLight = false
  /// Whether there is light that is not a number, which is taken for none.
  public internal(set) var holdsNotANumber = false
  /// The brightest light that is blurred: one brighter pixel could spoil a whole circle.
  public static let brightestLight: Float = 65504
  /// Whether the file has one component, and perhaps alpha.
  package var isGray = false
  /// Whether a file of linear light has halves.
  var storesHalves = false
  /// Bits of a component in the file, where the decoder delivers more.
  var storedDepth: Int?
  /// The file's chroma, where the decoder delivers red, green and blue.
  var storedChroma: CodedPixels.Chroma?

  public init() {}

  /// Whether there is nothing that a file could say.
  public var isEmpty: Bool { self == PictureMetadata() }

  /// How the pixels lie, 1 to 8 as in EXIF; 1 is upright.
  var orientation: Int { exif.flatMap { EXIFBlock($0)?.orientation } ?? 1 }

  /// The same for pixels of a size that stand upright. The thumbnail goes: it shows the picture as it was.
  func described(_ dimensions: Dimensions) -> PictureMetadata {
    var result = self
    if let exif, var block = EXIFBlock(exif) {
      block.describe(dimensions)
      result.exif = block.bytes
    }
    if let xmp { result.xmp = XMPPacket.upright(xmp) }
    if resolution == nil { result.resolution = exif.flatMap { EXIFBlock($0)?.resolution } }
    return result
  }

  /// The part of it that a kind of picture file does not hold, in words for messages; a movie, for `nil`,
  /// holds nothing of it.
  public func losses(in kind: StillKind?) -> [String] {
    var result: [String] = []
    func lose(_ name: String, _ isThere: Bool, unless isHeld: Bool) {
      if isThere && !isHeld { result.append(name) }
    }
    let holdsText = kind.map(\.holdsProfiles) ?? false
    let holdsEXIF = kind != .jpeg || JPEGSegments.holds(exif: exif ?? [])
    let directory = exif.flatMap { TIFFDirectory($0) }
    let saysEXIF = exif != nil && directory?.entries.isEmpty != true
    lose("EXIF", saysEXIF, unless: holdsText && holdsEXIF)
    // TIFF takes EXIF entry by entry, other kinds as it is.
    lose("EXIF values that share bytes", directory?.isOverfull == true, unless: kind != .tiff)
    if isGray, let kind {
      lose("gray as one component", true, unless: kind.holdsGray)
    }
    if let profile, let kind, kind.holdsProfiles {
      lose(
        profile.isGray ? "ICC profile of gray" : "ICC profile, which is not one of gray", isGray,
        unless: profile.isGray == kind.holdsGray)
    }
    lose("XMP", xmp.flatMap { XMPFilter($0).kept } != nil, unless: holdsText)
    lose(
      "text (\(Self.listed(texts.map(\.keyword))))", !texts.isEmpty, unless: kind == .png)
    lose(
      "metadata in text (\(Self.listed(unreadTexts)))", !unreadTexts.isEmpty, unless: false)
    lose("IPTC", iptc != nil, unless: kind == .jpeg || kind == .tiff)
    let saysResolution = exif.flatMap { EXIFBlock($0)?.resolution } != nil
    lose(
      "resolution", resolution != nil && !saysResolution,
      unless: kind == .jpeg || kind == .png || kind == .tiff)
    let said = attributes.filter { !$0.isInEveryFile }
    lose(
      "attributes (\(Self.listed(said.map(\.name))))", !said.isEmpty,
      unless: kind == .openEXR)
    lose("header of the production", productionHeader != nil, unless: kind == .dpx)
    lose("pixels outside of the display window", hasOverscan, unless: false)
    return result
  }

  /// Names for a message: the first, and how many more there are.
  public static func listed(_ names: [String]) -> String {
    let most = 8
    let more = names.count > most ? " and \(names.count - most) more" : ""
    return names.prefix(most).joined(separator: ", ") + more
  }

  /// The metadata that numbered pictures have in common.
  var shared: PictureMetadata {
    var result = PictureMetadata()
    result.profile = profile
    result.resolution = resolution
    result.storedDepth = storedDepth
    result.storesHalves = storesHalves
    result.hasPremultipliedAlpha = hasPremultipliedAlpha
    result.chromaticities = chromaticities
    result.cameraGamut = cameraGamut
    result.pixelAspectRatio = pixelAspectRatio
    result.displayWindow = displayWindow
    result.keepsAlpha = keepsAlpha
    result.isLogarithmic = isLogarithmic
    result.isGray = isGray
    result.leftOutChannels = leftOutChannels
    result.companions = companions
    result.mapChannel = mapChannel
    result.valueDivisor = valueDivisor
    return result
  }
}
