// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import FocalRendering

/// The parts of a source that an output does not get as they are: said in a line each before the work begins.
package struct OutputNotes {
  /// The source's name, for messages.
  package var source: String
  package var output: String
  /// With the colours as they are stored, the sound that is written and what stands beside it.
  package var settings: WriterSettings
  /// The coding of each track of a film's sound.
  package var writtenSound: [WrittenSound] = []
  /// Whether the source has sound, which streams leave out.
  package var hasSound = false
  /// Whether the frames are shown equally long, as some streams must have them.
  package var isSteady = true
  /// The part of chroma, depth and alpha that the output does not hold, in words.
  package var codingLoss: String?
  /// The same of further movies.
  package var otherCodingLosses: [CodingLoss] = []
  /// Whether a view is shown instead of the pictures.
  package var showsView = false
  /// Whether the pictures have colours; masks have none.
  package var hasColors = true
  /// Whether high dynamic range becomes standard.
  package var isToneMapped = false
  /// Whether light above white is cut.
  package var clipsLight = false
  /// Whether a film's linear light becomes codes of a curve.
  package var codesLight = false

  package init(
    source: String, output: String, settings: WriterSettings, writtenSound: [WrittenSound] = [],
    hasSound: Bool = false, isSteady: Bool = true, codingLoss: String? = nil,
    otherCodingLosses: [CodingLoss] = [], showsView: Bool = false, hasColors: Bool = true,
    isToneMapped: Bool = false, clipsLight: Bool = false, codesLight: Bool = false
  ) {
    (self.source, self.output, self.settings) = (source, output, settings)
    (self.writtenSound, self.hasSound, self.isSteady) = (writtenSound, hasSound, isSteady)
    (self.codingLoss, self.otherCodingLosses) = (codingLoss, otherCodingLosses)
    (self.showsView, self.hasColors) = (showsView, hasColors)
    (self.isToneMapped, self.clipsLight) = (isToneMapped, clipsLight)
    self.codesLight = codesLight
  }

  /// - Throws: what naming the output throws.
  package func tell(to note: Notes) throws(CinematicError) {
    tellSound(note)
    try tellCompanions(note)
    if isToneMapped {
      note("high dynamic range becomes standard: \(outputName) holds no more")
    } else if clipsLight {
      note(
        "\(outputName) holds no light above white: where there is some, it is clipped; .exr and .pfm"
          + " keep it")
    }
    if codesLight {
      note(
        "\(source) is linear light, which \(outputName) does not hold: it becomes codes by"
          + " the curve of \(settings.tags.transfer)")
    }
    if let codingLoss {
      note("\(settings.stream?.name ?? outputName) does not hold all of \(source): \(codingLoss)")
    }
    for other in otherCodingLosses where other.loss != codingLoss {
      note("\(outputName) does not hold all of \(other.movie): \(other.loss)")
    }
    if showsView, settings.codedPixels?.hasAlpha == true {
      note("\(outputName) does not get the alpha of \(source): views are opaque")
    }
    if let stream = settings.stream { tell(stream, note) }
    try tellPictures(note)
  }

  /// Says what picture files cannot say of a film: its times, and the shape of its pixels.
  private func tellPictures(_ note: Notes) throws(CinematicError) {
    let format = try OutputFormat(path: output, stream: settings.stream)
    guard let kind = format.stillKind else { return }
    tellGamut(kind, note)
    tellPrimaries(kind, note)
    if kind != .openEXR, settings.pixelAspectRatio != .square {
      let shape = settings.pixelAspectRatio
      note(
        "\(outputName) does not say that pixels are \(shape.horizontal) wide and \(shape.vertical) high"
      )
    }
    if case .numbered = format, !isSteady {
      note(
        "\(outputName) has no times, and the frames of \(source) are not equally long: a film keeps them"
      )
    }
  }

  /// Says so if a map or a mask hardly is what it is taken for: depth that is read as disparity, or colours.
  ///
  /// - Parameter options: how it is read.
  package static func tellDoubts(
    of metadata: PictureMetadata, _ options: ReadOptions, map: String, to note: Notes
  ) {
    if case .disparity(let scale) = options.content, scale.kind == .disparity,
      metadata.isCalledDepth
    {
      note(
        worded: """
          the map's channel is called depth and is read as disparity: larger is nearer; \
          \(parameter: .mapKind, to: "depth") reads it as depth
          """)
    }
    if let divisor = metadata.valueDivisor {
      note("the values of the map \(map) are divided by the scale that its head says, \(divisor)")
    }
    guard metadata.isColoredMap else { return }
    guard options.content != .mask else {
      return note(
        "the mask \(map) has colours, of which the luma is taken: a mask is gray, or the alpha of a cut-out"
      )
    }
    note(
      "the map \(map) has colours, of which the luma is taken for disparity: false colours are to be made"
        + " gray first")
  }

  /// Says so if circles of confusion were to be larger than any that are drawn.
  ///
  /// - Parameters:
  ///   - remedy: what shows the whole blur.
  ///   - isUnscaledDepth: whether the map is of depth in codes of which nothing is said: near zero disparity has no bound.
  package static func tellOfCircles(
    _ diameter: Float, _ remedy: String, isUnscaledDepth: Bool = false, to note: Notes
  ) {
    let limit = RenderingSession.largestCircleDiameter
    guard diameter > limit else { return }
    let circles =
      "circles of confusion are \(Int(limit)) pixels wide at most, and the largest would be"
      + " \(Int(min(diameter, 1e6)))"
    guard isUnscaledDepth else {
      return note("\(circles): a smaller \(remedy) shows the whole blur")
    }
    note(
      worded: """
        \(circles): the map's codes are taken for depths from 0 to 1; \(parameter: .mapScale) says \
        which they are
        """)
  }

  /// Says which colours light has that was made of a camera's codes.
  private func tellGamut(_ kind: StillKind, _ note: Notes) {
    guard let gamut = settings.pictureMetadata.cameraGamut else { return }
    switch kind {
    case .openEXR:
      note(
        "\(outputName) says that its light is of \(gamut.name)"
          + (gamut.isOneOfSeveral ? ": cameras record the curve in other colours, too" : ""))
    case .pfm: note("\(outputName) does not say that its light is of \(gamut.name)")
    default: break
    }
  }

  /// Says that colours become those of BT.709, where the file cannot say theirs.
  private func tellPrimaries(_ kind: StillKind, _ note: Notes) {
    guard hasColors, !kind.holds(settings.tags.primaries),
      settings.pictureMetadata.cameraGamut == nil
    else { return }
    if kind == .pfm {
      note(
        "\(outputName) does not say which colours its light has: that of \(source) becomes BT.709's, below"
          + " zero where it lies outside")
    } else {
      note(
        "\(outputName) does not say wider colours than BT.709's: those of \(source) become these, and"
          + " what lies outside is cut; .tif and .exr keep it")
    }
  }

  private var outputName: String { PipePath.outputName(output) }

  private func tell(_ stream: StreamFormat, _ note: Notes) {
    if hasSound { note("\(stream.name) is written without sound: that of \(source) is left out") }
    guard stream.stillKind == nil else { return }
    if let unsaid = stream.unsaid(of: settings.tags, settings.dimensions) {
      note("\(unsaid): tell the program that reads it")
    }
    if stream == .y4m, !isSteady {
      note(
        worded: """
          y4m has one frame rate, and \(source) has not: \(parameter: .stream, to: "nut") keeps the \
          times
          """)
    }
  }

  /// Says which sound is not copied as it is, and which is not heard, and why.
  private func tellSound(_ note: Notes) {
    let written = writtenSound.filter { $0.leftOut == nil }
    for (index, track) in written.enumerated() {
      guard let stored = track.storedAs else { continue }
      let sound = written.count > 1 ? "track \(index + 1) of the sound" : "the sound"
      let isAgain = stored == track.codec
      let how = isAgain ? "again" : "as \(stored.uppercased())"
      let unheld = "\(outputName) does not hold \(isAgain ? "a part of it" : "it") as it is"
      let reason = track.reason.map { Self.words(for: $0) } ?? unheld
      note("\(sound) (\(track.codec)) is encoded \(how): \(reason)")
      if let change = track.layoutChange { note("\(sound): \(Self.text(of: change, stored))") }
    }
    let leftOut =
      (settings.sound?.leftOut ?? []).map(\.message) + writtenSound.compactMap(\.leftOut)
    for reason in leftOut { note("a track of sound is left out: \(reason)") }
  }

  private static func words(for reason: WrittenSound.Reason) -> String {
    switch reason {
    case .channels: "its parts have different channels"
    case .sampleRates: "its parts have different sample rates"
    case .codings: "its parts are coded differently"
    case .gaps: "it has gaps"
    }
  }

  private static func text(of change: WrittenSound.LayoutChange, _ codec: String) -> String {
    let channels = "its channels (\(change.from))"
    let codec = codec.uppercased()
    guard let places = change.to else {
      return "\(channels) are kept apart, in order; \(codec) does not say where these are heard"
    }
    return change.isMixed
      ? "\(channels) are mixed to \(places)"
      : "\(channels) are kept apart and become \(places): \(codec) has no such places"
  }

  /// Says what else of the source the output does not get. Of pictures it is clear that they are no film.
  private func tellCompanions(_ note: Notes) throws(CinematicError) {
    let companions = settings.companions
    var lost = companions.leftOut
    switch try OutputFormat(path: output, stream: settings.stream) {
    case .movie(let container):
      lost = companions.losses(in: container)
      lost += companions.chaptersBeforeStart(
        settings.timelineStart, slack: settings.nominalFrameDuration)
      if container == .webM, !isSteady {
        note(
          "\(outputName) has times of whole milliseconds, to which those of \(source) are rounded")
      }
    case .stream: lost += companions.contents
    case .still, .numbered: break
    }
    if !lost.isEmpty { note("\(outputName) does not keep \(lost.joined(separator: ", "))") }
  }
}

extension Asset {
  /// Says what is doubtful about the file's end.
  package func tellDoubtfulEnd(to note: Notes) async {
    if let doubt = await doubtfulEnd() { note("\(name) \(doubt)") }
  }
}

extension SourceProperties {
  /// Whether the linear light of a film becomes codes of a curve in pictures of some colours. Of picture files it is
  /// clear that it does.
  package func codesLight(as tags: ColorTags) -> Bool {
    kind == .clip && self.tags.transfer == .linear && tags.transfer != .linear && logCoding == nil
  }

  /// Whether light above white is cut in pictures of some colours.
  package func clipsLight(as tags: ColorTags) -> Bool {
    // Light that was made of a camera's or a profile's codes becomes those again. Whole numbers end at white, unless
    // they are densities; those of 16 bits may be halves.
    let mayExceedWhite = holdsFloats || bitDepth >= 16 || pictureMetadata.isLogarithmic
    return mayExceedWhite && self.tags.transfer == .linear && tags.transfer != .linear
      && logCoding == nil && pictureMetadata.profile == nil
  }
}
