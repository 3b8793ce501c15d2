// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia

/// What an output must be able to hold.
extension LiftedClip {
  /// Checks before any work whether an output can hold what is written.
  ///
  /// - Parameters:
  ///   - source: the clip's.
  ///   - isTransparent: whether nothing is behind the subjects.
  /// - Throws: as the initialiser, for the output.
  public static func check(
    _ output: String, of source: SourceProperties, content: Content, isTransparent: Bool,
    coding: FilmCoding = FilmCoding()
  ) throws(CinematicError) {
    let format = try OutputFormat(path: output)
    if content == .masks {
      guard format.stillKind == nil else { return }
      throw CinematicError(
        .unsupported, "\(output) is a movie, and masks are written as pictures",
        remedy: "number them, as in masks/%04d.png")
    }
    guard isTransparent, try !holdsAlpha(format, source, coding) else { return }
    var remedy: CinematicError.Wording =
      format.stillKind == nil
      ? """
      write .webm, .mov with \(parameter: .codec, to: WriterSettings.Codec.proRes4444.rawValue), \
      numbered pictures (out/%04d.png), or give a \(parameter: .background)
      """
      : "write .png, .tif, .exr, .heic or .avif, or give a \(parameter: .background)"
    if let parameters = parametersWithoutAlpha(format, source, coding) {
      var list: CinematicError.Wording = "\(parameter: parameters[0])"
      for other in parameters.dropFirst() { list = "\(list) and \(parameter: other)" }
      remedy = "leave out \(list), or give a \(parameter: .background)"
    }
    throw CinematicError(
      .invalidParameter, "\(PipePath.outputName(output)) holds no alpha as it is written",
      remedy: remedy)
  }

  private static func holdsAlpha(
    _ format: OutputFormat, _ source: SourceProperties, _ coding: FilmCoding
  ) throws(CinematicError) -> Bool {
    let pixels = try format.pixelFormat(
      for: written(source, hasAlpha: true), coding: coding, drawsColors: true)
    return !format.refusesAlpha && pixels.coded?.hasAlpha != false
  }

  /// The parameters that keep alpha out of an output that otherwise holds it, one at least; `nil` for other outputs.
  private static func parametersWithoutAlpha(
    _ format: OutputFormat, _ source: SourceProperties, _ coding: FilmCoding
  ) -> [CinematicError.Parameter]? {
    var candidates: [(parameters: [CinematicError.Parameter], coding: FilmCoding)] = []
    var least = FilmCoding()
    var all: [CinematicError.Parameter] = []
    func add(_ parameter: CinematicError.Parameter, _ drop: (inout FilmCoding) -> Void) {
      var other = coding
      drop(&other)
      candidates.append(([parameter], other))
      all.append(parameter)
    }
    if coding.codec != .automatic { add(.codec) { $0.codec = .automatic } }
    if coding.chroma != nil { add(.chroma) { $0.chroma = nil } }
    if coding.bitDepth != nil { add(.bitDepth) { $0.bitDepth = nil } }
    // A codec that has alpha is not what keeps it out.
    least.codec = coding.codec
    if all.count > 1 {
      candidates.append((all.filter { $0 != .codec }, least))
      candidates.append((all, FilmCoding()))
    }
    return candidates.first { (try? holdsAlpha(format, source, $0.coding)) == true }?.parameters
  }

  /// The properties of the output, as far as they are not those of the source.
  static func written(_ source: SourceProperties, hasAlpha: Bool) -> SourceProperties {
    var source = source
    source.codedPixels?.hasAlpha = hasAlpha
    source.pictureMetadata.isGray = false
    source.pictureMetadata.hasPremultipliedAlpha = false
    return source
  }
}

extension OutputFormat {
  /// Whether no output of the kind holds alpha.
  fileprivate var refusesAlpha: Bool {
    switch stillKind {
    case .jpeg, .pfm: true
    default: if case .stream = self { stillKind == nil } else { false }
    }
  }
}
