// SPDX-License-Identifier: Apache-2.0

import FocalCore

extension WriterSettings {
  /// How a movie's pictures are compressed. Raw values are the names on the command line.
  public enum Codec: String, Hashable, Sendable, CaseIterable {
    /// H.264 for 4:2:0 of 8 bits a component, else HEVC; in WebM VP9.
    case automatic
    /// H.264; 4:2:0 of 8 bits, which all players show, unless something else is asked for.
    case h264
    /// HEVC, with up to 12 bits.
    case hevc
    /// ProRes: 4:2:2 of 10 bits, every picture by itself.
    case proResProxy = "prores-proxy"
    case proResLT = "prores-lt"
    case proRes422 = "prores-422"
    case proRes422HQ = "prores-422-hq"
    /// ProRes of 4:4:4 with alpha.
    case proRes4444 = "prores-4444"
    case proRes4444XQ = "prores-4444-xq"
    /// DNxHR of 4:2:2 and 8 bits, every picture by itself.
    case dnxHRLB = "dnxhr-lb"
    case dnxHRSQ = "dnxhr-sq"
    case dnxHRHQ = "dnxhr-hq"
    /// DNxHR of 4:2:2 and 10 bits.
    case dnxHRHQX = "dnxhr-hqx"
    /// DNxHR of 4:4:4, or RGB, and 10 bits.
    case dnxHR444 = "dnxhr-444"
    /// FFV1: every code as it is, whatever the source stores.
    case ffv1
    case av1
    /// VP9; in WebM with alpha, which lies beside pictures of 4:2:0 and 8 bits.
    case vp9
  }
}

extension WriterSettings.Codec {
  /// The range of ``WriterSettings/constantRateFactor``; `nil` for codecs that have none.
  public var rateFactors: ClosedRange<Double>? {
    switch self {
    case .automatic, .h264, .hevc: 0...51
    case .av1, .vp9: 0...63
    default: nil
    }
  }

  /// The files that hold it.
  public var containers: Set<OutputFormat.Container> {
    switch self {
    case .automatic: [.mp4, .mov, .webM]
    case .h264, .hevc: [.mp4, .mov]
    case .av1, .vp9: [.mp4, .webM]
    default: [.mov]
    }
  }

  /// The codec that is meant in a kind of file.
  public func resolved(in container: OutputFormat.Container) -> Self {
    self == .automatic && container == .webM ? .vp9 : self
  }

  /// The name for people.
  public var title: String {
    switch self {
    case .automatic: "H.264 or HEVC"
    case .h264: "H.264"
    case .hevc: "HEVC"
    case .proResProxy: "Apple ProRes 422 Proxy"
    case .proResLT: "Apple ProRes 422 LT"
    case .proRes422: "Apple ProRes 422"
    case .proRes422HQ: "Apple ProRes 422 HQ"
    case .proRes4444: "Apple ProRes 4444"
    case .proRes4444XQ: "Apple ProRes 4444 XQ"
    case .dnxHRLB: "DNxHR LB"
    case .dnxHRSQ: "DNxHR SQ"
    case .dnxHRHQ: "DNxHR HQ"
    case .dnxHRHQX: "DNxHR HQX"
    case .dnxHR444: "DNxHR 444"
    case .ffv1: "FFV1"
    case .av1: "AV1"
    case .vp9: "VP9"
    }
  }

  /// The chroma that it can hold, the coarsest first.
  var chromas: [CodedPixels.Chroma] {
    switch self {
    case .automatic, .h264: [.yuv420, .yuv422, .yuv444]
    case .hevc, .av1, .vp9: [.yuv420, .yuv422, .yuv444, .rgb]
    case .proResProxy, .proResLT, .proRes422, .proRes422HQ: [.yuv422]
    case .proRes4444, .proRes4444XQ: [.yuv444]
    case .dnxHRLB, .dnxHRSQ, .dnxHRHQ, .dnxHRHQX: [.yuv422]
    case .dnxHR444: [.yuv444, .rgb]
    case .ffv1: CodedPixels.Chroma.allCases
    }
  }

  /// The bits of a component that it can have, rising.
  var bitDepths: [Int] {
    switch self {
    case .h264: [8, 10]
    case .automatic, .hevc, .av1, .vp9: [8, 10, 12]
    case .dnxHRLB, .dnxHRSQ, .dnxHRHQ: [8]
    case .ffv1: [8, 10, 12, 16]
    default: [10]
    }
  }

  /// Whether it holds alpha beside pictures of some form, in a kind of file if that is known.
  func holdsAlpha(
    with chroma: CodedPixels.Chroma, bitDepth: Int, in container: OutputFormat.Container?
  ) -> Bool {
    switch self {
    case .proRes4444, .proRes4444XQ: true
    case .ffv1: chroma != .gray
    // A second picture, for which WebM alone has a place; FFmpeg's encoder makes it of 8 bits.
    case .vp9: container == .webM && chroma == .yuv420 && bitDepth == 8
    default: false
    }
  }

  var isDNxHR: Bool {
    switch self {
    case .dnxHRLB, .dnxHRSQ, .dnxHRHQ, .dnxHRHQX, .dnxHR444: true
    default: false
    }
  }

  /// Whether luma may use all codes: editors take these for video range, whatever else is said.
  var keepsRange: Bool {
    switch self {
    case .automatic, .h264, .hevc, .av1, .vp9, .ffv1: true
    default: false
    }
  }

  /// - Throws: `invalidParameter` for a factor that the codec does not have.
  public func check(rateFactor: Double) throws(CinematicError) {
    guard let range = rateFactors else {
      throw CinematicError(
        .invalidParameter, "\(title) has no rate factor", remedy: "leave it out")
    }
    if self == .av1 || self == .vp9, rateFactor.rounded() != rateFactor {
      throw CinematicError(
        .invalidParameter, "\(title) has whole rate factors, and \(rateFactor) is none",
        remedy: "give \(Int(rateFactor)) or \(Int(rateFactor) + 1)")
    }
    guard !range.contains(rateFactor) else { return }
    throw CinematicError(
      .invalidParameter, "\(title) has no rate factor of \(rateFactor)",
      remedy: "give 0 (no loss) to \(Int(range.upperBound))")
  }

  /// - Throws: `invalidParameter` for a file that does not hold the codec.
  public func check(_ container: OutputFormat.Container, of path: String) throws(CinematicError) {
    guard !containers.contains(container) else { return }
    let endings = containers.map { ".\($0.rawValue)" }.sorted().joined(separator: " or ")
    throw CinematicError(
      .invalidParameter, "\(path) cannot hold \(title)",
      remedy: "end the name in \(endings), or choose another codec")
  }
}

/// How a film's pictures are to be compressed.
public struct FilmCoding: Hashable, Sendable {
  public var codec: WriterSettings.Codec
  /// By default the source's, as far as the codec has it; for pictures and in H.264, 4:2:0.
  public var chroma: CodedPixels.Chroma?
  /// Bits of a component; by default the source's, as far as the codec has them; in H.264, 8.
  public var bitDepth: Int?

  public init(
    _ codec: WriterSettings.Codec = .automatic, chroma: CodedPixels.Chroma? = nil,
    bitDepth: Int? = nil
  ) {
    self.codec = codec
    self.chroma = chroma
    self.bitDepth = bitDepth
  }

  /// How pictures of a source are stored.
  ///
  /// - Parameters:
  ///   - isClip: whether the source is a movie; pictures are stored in 4:2:0 where nothing says more.
  ///   - isDeep: whether the source has more than 8 bits.
  ///   - container: of the movie, if that is known.
  /// - Throws: `invalidParameter` for what the codec does not have.
  func pixels(
    for source: CodedPixels, isClip: Bool, isDeep: Bool, in container: OutputFormat.Container? = nil
  ) throws(CinematicError) -> CodedPixels {
    let codec = container.map { self.codec.resolved(in: $0) } ?? self.codec
    let isLuma = source.isLumaAndChroma
    let keeps = isClip && (isLuma || source.chroma == .rgb)
    let (chromas, depths) = (codec.chromas, codec.bitDepths)
    if let chroma, !chromas.contains(chroma) {
      throw lacks("chroma of \(chroma.rawValue)", but: chromas.map(\.rawValue))
    }
    if let bitDepth, !depths.contains(bitDepth) {
      throw lacks("bit depth of \(bitDepth)", but: depths.map { "\($0)" })
    }
    // Hardly a player shows films of red, green and blue: they are for those that ask.
    var own: CodedPixels.Chroma = !keeps ? .yuv420 : isLuma ? source.chroma : .yuv444
    if codec == .h264 { own = .yuv420 }
    if codec == .ffv1, !isLuma || !isClip { own = source.chroma == .gray ? .gray : .rgb }
    if codec == .dnxHR444, source.chroma == .rgb { own = .rgb }
    // Alpha goes before finer chroma and more bits, unless those are asked for.
    let prefersAlpha =
      source.hasAlpha && codec.holdsAlpha(with: .yuv420, bitDepth: 8, in: container)
      && codec == .vp9 && chroma ?? .yuv420 == .yuv420 && bitDepth ?? 8 == 8
    if prefersAlpha { own = .yuv420 }
    let chroma = chroma ?? chromas.first { !$0.isCoarser(than: own) } ?? chromas[chromas.count - 1]
    var depth = keeps || codec == .ffv1 ? source.bitDepth : isDeep ? 10 : 8
    // The matrix makes more of red, green and blue than as many bits hold.
    if keeps, !isLuma, chroma == .yuv444 { depth += 2 }
    if codec == .h264 || prefersAlpha { depth = 8 }
    if codec == .ffv1, !isClip { depth = isDeep ? 16 : 8 }
    let bits = bitDepth ?? depths.first { $0 >= depth } ?? depths[depths.count - 1]
    return CodedPixels(
      chroma, bitDepth: bits,
      isFullRange: chroma == .rgb || chroma == .gray
        || (isClip && isLuma && source.isFullRange && codec.keepsRange),
      hasAlpha: source.hasAlpha && codec.holdsAlpha(with: chroma, bitDepth: bits, in: container))
  }

  private func lacks(_ wanted: String, but possible: [String]) -> CinematicError {
    CinematicError(
      .invalidParameter, "\(codec.title) has no \(wanted)",
      remedy: "it has \(possible.joined(separator: ", "))")
  }
}
