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

/// Which of FFmpeg's encoders compresses a film, from which frames, with which settings.
struct EncoderChoice {
  let codec: WriterSettings.Codec
  let encoder: UnsafePointer<AVCodec>
  let pixels: CodedPixels
  let pixelFormat: AVPixelFormat
  /// The size that the encoder gets: halved chroma of H.264, HEVC and ProRes has no odd sides.
  let dimensions: Dimensions

  var name: String { String(cString: encoder.pointee.name) }

  /// - Throws: `unsupported` for an encoder that this FFmpeg lacks, `invalidParameter` for settings that
  ///   do not fit together.
  init(_ settings: WriterSettings, path: String) throws(CinematicError) {
    let pixels = settings.codedPixels ?? CodedPixels(settings.pixelFormat)
    var codec = settings.codec
    if settings.codedPixels == nil, pixels.bitDepth > 8, codec == .h264 {
      throw CinematicError(
        .invalidParameter, "\(path) cannot keep 10 bits in H.264 that players show",
        remedy: "choose HEVC")
    }
    if codec == .automatic {
      codec = pixels.chroma == .yuv420 && pixels.bitDepth == 8 ? .h264 : .hevc
    }
    self.codec = codec
    dimensions = Self.encodedDimensions(settings.dimensions, codec, pixels.chroma)
    let names = Self.encoders(
      codec, pixels, dimensions, isLossless: settings.constantRateFactor == 0)
    var largest: Dimensions?
    for name in names {
      if let limit = Self.largest(name),
        dimensions.width > limit.width || dimensions.height > limit.height
      {
        largest = limit
        continue
      }
      guard let encoder = avcodec_find_encoder_by_name(name),
        let found = pixels.format(among: Self.formats(of: encoder)),
        found.1.depth >= pixels.bitDepth
      else { continue }
      self.encoder = encoder
      self.pixels = CodedPixels(
        pixels.chroma, bitDepth: found.1.depth, isFullRange: pixels.isFullRange,
        hasAlpha: pixels.hasAlpha)
      pixelFormat = found.0
      return
    }
    if let largest {
      throw CinematicError(
        .unsupported,
        "cannot encode \(path) at \(dimensions): \(names[0]) takes \(largest) at most",
        remedy: "choose a smaller size, HEVC, or numbered pictures")
    }
    throw CinematicError(
      .unsupported,
      "this build of FFmpeg has no \(names[0]) for \(pixels), which \(path) needs",
      remedy: "install an FFmpeg with \(names[0]), or write numbered pictures")
  }

  /// The largest pictures of an encoder; `nil` where it says so itself, or takes all that are written here.
  private static func largest(_ encoder: String) -> Dimensions? {
    switch encoder {
    // VP9's too are those of its highest level; the library fails at the first picture.
    case "libx264", "libvpx-vp9": Dimensions(width: 16384, height: 16384)
    case "libsvtav1": Dimensions(width: 16384, height: 8704)
    default: nil
    }
  }

  private static func encoders(
    _ codec: WriterSettings.Codec, _ pixels: CodedPixels, _ dimensions: Dimensions,
    isLossless: Bool
  ) -> [String] {
    switch codec {
    case .automatic, .h264: return ["libx264"]
    case .hevc: return ["libx265"]
    case .proResProxy, .proResLT, .proRes422, .proRes422HQ, .proRes4444, .proRes4444XQ:
      return ["prores_ks"]
    case .dnxHRLB, .dnxHRSQ, .dnxHRHQ, .dnxHRHQX, .dnxHR444: return ["dnxhd"]
    case .ffv1: return ["ffv1"]
    case .vp9: return ["libvpx-vp9"]
    case .av1:
      // The quicker one takes no small, no odd and no deep pictures.
      let isPlain =
        pixels.chroma == .yuv420 && dimensions.width % 2 == 0 && dimensions.height % 2 == 0
        && dimensions.width >= 64 && dimensions.height >= 64
      guard isPlain else { return ["libaom-av1"] }
      // Nor does it keep every code.
      return isLossless ? ["libaom-av1", "libsvtav1"] : ["libsvtav1", "libaom-av1"]
    }
  }

  private static func formats(of encoder: UnsafePointer<AVCodec>) -> [AVPixelFormat] {
    guard let list = encoder.pointee.pix_fmts else { return [] }
    var formats: [AVPixelFormat] = []
    while list[formats.count] != AV_PIX_FMT_NONE { formats.append(list[formats.count]) }
    return formats
  }

  private static func encodedDimensions(
    _ dimensions: Dimensions, _ codec: WriterSettings.Codec, _ chroma: CodedPixels.Chroma
  ) -> Dimensions {
    switch codec {
    case .automatic, .h264, .hevc: break
    case .proResProxy, .proResLT, .proRes422, .proRes422HQ:
      // FFmpeg's encoder loses the chroma of the last one of an odd number of columns.
      return Dimensions(width: (dimensions.width + 1) & ~1, height: dimensions.height)
    default: return dimensions
    }
    // libx265 takes no picture smaller than its smallest block.
    let smallest = codec == .hevc ? 32 : 2
    func length(_ length: Int, isHalved: Bool) -> Int {
      max(smallest, isHalved ? (length + 1) & ~1 : length)
    }
    return Dimensions(
      width: length(dimensions.width, isHalved: chroma == .yuv420 || chroma == .yuv422),
      height: length(dimensions.height, isHalved: chroma == .yuv420))
  }

  // MARK: - Options

  /// The encoder's options; to be freed.
  func options(_ settings: WriterSettings) -> OpaquePointer? {
    var options: OpaquePointer?
    func set(_ name: String, _ value: String) { av_dict_set(&options, name, value, 0) }
    switch codec {
    case .automatic, .h264, .hevc: setNetworkOptions(settings, set)
    case .proResProxy: set("profile", "proxy")
    case .proResLT: set("profile", "lt")
    case .proRes422: set("profile", "standard")
    case .proRes422HQ: set("profile", "hq")
    case .proRes4444: set("profile", "4444")
    case .proRes4444XQ: set("profile", "4444xq")
    case .dnxHRLB: set("profile", "dnxhr_lb")
    case .dnxHRSQ: set("profile", "dnxhr_sq")
    case .dnxHRHQ: set("profile", "dnxhr_hq")
    case .dnxHRHQX: set("profile", "dnxhr_hqx")
    case .dnxHR444: set("profile", "dnxhr_444")
    case .ffv1:
      // Pictures of fewer pixels than slices have none, and come out black.
      let hasSlices = dimensions.width >= 16 && dimensions.height >= 16
      set("level", hasSlices ? "3" : "1")
      if hasSlices { set("slicecrc", "1") }
      set("g", "1")
    case .av1:
      let rate = settings.constantRateFactor ?? 20
      set("crf", "\(Int(rate))")
      // Two seconds between pictures at which players can begin.
      set("g", "\(Self.framesOfTwoSeconds(settings))")
      if name == "libsvtav1" {
        _ = Self.silentSVT
        set("preset", "8")
        // FFmpeg takes zero for a factor that is not given.
        if rate == 0 { set("svtav1-params", "crf=0") }
      } else {
        set("cpu-used", "6")
        set("row-mt", "1")
        set("b", "0")
      }
    case .vp9:
      let rate = settings.constantRateFactor ?? 20
      set("crf", "\(Int(rate))")
      if rate == 0 { set("lossless", "1") }
      set("b", "0")
      let distance = Self.framesOfTwoSeconds(settings)
      set("g", "\(distance)")
      // Alpha is a stream of its own, whose pictures have to begin anew where the others do.
      if pixels.hasAlpha { set("keyint_min", "\(distance)") }
      set("deadline", "good")
      set("cpu-used", "4")
      set("row-mt", "1")
    }
    return options
  }

  /// libsvtav1 prints by itself, not through FFmpeg's log, and can be told otherwise by this alone.
  private static let silentSVT: Void = { _ = setenv("SVT_LOG", "0", 0) }()

  private static func framesOfTwoSeconds(_ settings: WriterSettings) -> Int {
    max(1, min(480, Int((2 / max(settings.nominalFrameDuration.seconds, 1e-3)).rounded())))
  }

  private func setNetworkOptions(
    _ settings: WriterSettings, _ set: (String, String) -> Void
  ) {
    let rate = settings.constantRateFactor ?? (codec == .hevc ? 18 : 16)
    set("preset", settings.encoderPreset ?? "fast")
    set("crf", "\(rate)")
    if settings.isLive {
      set("tune", "zerolatency")
      set("g", "\(Self.framesOfTwoSeconds(settings))")
    }
    guard codec == .hevc else { return }
    // libx265 prints by itself, not through FFmpeg's log. Its look-ahead writes past its own
    // memory in pictures a few blocks wide (seen with 3.5 at 34×48), so small ones do without
    // the part that does.
    let isSmall = settings.dimensions.width < 256 || settings.dimensions.height < 256
    var parameters = ["log-level=none", VideoEncoder.frameThreads(settings.dimensions)]
    parameters += settings.hdrMetadata.encoderParameters
    if isSmall { parameters.append("cutree=0") }
    // Its rate factor of 0 still rounds; libx264's does not.
    if rate == 0 { parameters.append("lossless=1") }
    set("x265-params", parameters.joined(separator: ":"))
  }
}
