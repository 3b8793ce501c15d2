// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCaptionRendering
import FocalCaptions
import FocalCinematic
import FocalCommands
import FocalCore
import FocalMedia

struct CaptionsPreviewCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "preview",
    abstract: "Draw captions as a picture, or over time.",
    discussion: """
      With --at, the captions of a moment over a colour, a picture or a film's frame. Captions in cells are drawn as \
      a decoder of CEA-608 shows them, others in their regions. With --timeline, when captions are on the screen, \
      when a .scc file would send them, and where that collides.
      """)

  @OptionGroup var input: CaptionInput
  @Flag(help: "Draw a timeline.")
  var timeline = false
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Draw what is on the screen at a time in seconds.", valueName: "time"))
  var at: TimeArgument?
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "The picture to write: .png and the like, or .svg of a timeline.", valueName: "file"))
  var output: String
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The picture's size. (default: the background's, else 1920x1080)"),
    transform: SizeArgument.init(parsing:))
  var size: SizeArgument?
  @Option(
    help: ArgumentHelp(
      "What the captions lie over: a colour (navy, #204060), none, or a picture or film. (default: #404040)",
      valueName: "background"))
  var background: String?
  @OptionGroup(title: "Look options") var look: CaptionLookOptions
  @OptionGroup var safety: SafetyOptions
  @OptionGroup var overwriting: OverwriteOptions
  @Flag(help: "Print what is drawn as JSON.")
  var json = false

  private struct Report: Encodable {
    var output: String
    var width: Int
    var height: Int
    /// The captions on the screen.
    var captions: [CaptionReport.Item]
    /// From when to when the picture stays so, or moves on.
    var sceneStart: Double
    var sceneEnd: Double?
    var moves: Bool
    var missingCharacters: [String]
    /// Whether a text was too long to be drawn whole.
    var isTextCut: Bool
    var issues: [CaptionReport.Issue]
  }

  func validate() throws {
    guard timeline != (at != nil) else { throw ValidationError("give --at or --timeline") }
    if let at, at.exactTime == nil { throw ValidationError("--at takes seconds") }
    guard !timeline || (size == nil && background == nil && look.box == nil && look.textScale == 1)
    else {
      throw ValidationError("--size, --background, --box and --text-scale belong to --at")
    }
  }

  func run() throws {
    try interruptible(writing: [output]) {
      try KeptInputs.check(output, inputs: [input.file, background])
      if timeline { try drawTimeline() } else { try drawPicture(at?.exactTime ?? .zero) }
    }
  }

  private func drawTimeline() throws {
    try OutputFormat.checkFile(output, endings: ".svg")
    guard output.lowercased().hasSuffix(".svg") else {
      throw CinematicError(
        .invalidParameter, "\(output) is not the name of a drawing", remedy: "end it in .svg")
    }
    let document = try input.document()
    try input.checkChannel(document)
    let settings = try CaptionConversionSettings(
      doublesControlCodes: document.doublesControlCodes)
    let svg = CaptionTimeline(document.captions, settings: settings).svg
    try CaptionOutput.write(Array(svg.utf8), to: output, overwrite: overwriting.force)
    if json {
      try printJSON(CaptionReport.Written(output, document))
    } else {
      input.tell(document.issues)
    }
  }

  private func drawPicture(_ time: Time) throws {
    try OutputFormat.checkFile(output, endings: StillKind.endings)
    guard case .still(let kind) = try OutputFormat(path: output) else {
      throw CinematicError(
        .invalidParameter, "\(output) is not the name of one picture",
        remedy: "end it in .png, say")
    }
    let document = try input.document()
    try input.checkChannel(document)
    let (picture, shape) = try ground(time, kind)
    let drawing = CaptionDrawing([document], look)
    try drawing.prepare(picture.dimensions, shape)
    try drawing.draw(over: picture, at: time)
    try PictureWriter.write(picture, to: output, overwrite: overwriting.force)
    guard json else {
      input.tell(document.issues)
      if !document.captions.contains(where: { $0.timeRange.contains(time) }) {
        note("no caption is on the screen at \(time.secondsText) s")
      }
      return drawing.tell()
    }
    let renderer = try CaptionRenderer(document.captions, dimensions: picture.dimensions)
    let end = max(document.timeRange.end, time) + Time(value: 1, timescale: 1)
    let scene = renderer.sceneChanges(in: TimeRange(start: min(.zero, time), end: end)).first {
      $0.timeRange.contains(time)
    }
    let shown = document.captions.filter { $0.timeRange.contains(time) }
    try printJSON(
      Report(
        output: output, width: picture.width, height: picture.height,
        captions: shown.map(CaptionReport.Item.init),
        sceneStart: (scene?.timeRange.start ?? time).seconds,
        sceneEnd: time < document.timeRange.end ? scene?.timeRange.end.seconds : nil,
        moves: scene?.needsPeriodicRefresh ?? false,
        missingCharacters: drawing.missingCharacters.map { String($0) },
        isTextCut: drawing.isTextCut,
        issues: document.issues.map(CaptionReport.Issue.init)))
  }

  /// The picture below.
  private func ground(
    _ time: Time, _ kind: StillKind
  ) throws -> (picture: PixelBuffer, shape: PixelAspectRatio) {
    let named = background ?? "#404040"
    let isClear = named.lowercased() == "none"
    guard isClear || ColorText.color(named) != nil else {
      guard size == nil else {
        throw CinematicError(
          .invalidParameter, "--size is for a colour, and \(named) has its own",
          remedy: "leave one of them out")
      }
      return try waiting { [output] () async throws(CinematicError) in
        try await Self.frame(named, time, output)
      }
    }
    let color = ColorText.color(named) ?? .transparent
    guard color.alpha == 255 || kind == .png || kind == .tiff else {
      throw CinematicError(
        .invalidParameter, "\(output) holds no transparency here", remedy: "end it in .png or .tif")
    }
    let dimensions = size?.dimensions ?? Dimensions(width: 1920, height: 1080)
    let pixels = try OutputFormat(path: output).pixelFormat(forSource: .rgba8, tags: .sRGB)
    let picture = try PixelBuffer(dimensions: dimensions, format: .rgba8, tags: .sRGB)
    picture.withUnsafeMutableBytes { bytes in
      for y in 0..<dimensions.height {
        let row = y * picture.planes[0].bytesPerRow
        for x in 0..<dimensions.width {
          (bytes[row + 4 * x], bytes[row + 4 * x + 1]) = (color.red, color.green)
          (bytes[row + 4 * x + 2], bytes[row + 4 * x + 3]) = (color.blue, color.alpha)
        }
      }
    }
    guard pixels.format != .rgba8 else { return (picture, .square) }
    let converted = try PixelBuffer(
      dimensions: dimensions, format: pixels.format, tags: pixels.tags)
    try converted.store(linearRGBA: picture.linearRGBA())
    return (converted, .square)
  }

  /// A picture, or the frame of a film that is on the screen.
  private static func frame(
    _ path: String, _ time: Time, _ output: String
  ) async throws(CinematicError) -> (picture: PixelBuffer, shape: PixelAspectRatio) {
    let reader = try await FrameReader.open(path)
    let clip = try await OverlaidClip(reader, output: output, copiesSound: false) { _, _ in }
    var number = 0
    if reader.properties.kind != .still {
      guard let frame = try await reader.frame(at: time) else {
        throw CinematicError(
          .invalidParameter, "\(path) shows nothing at \(time.secondsText) s",
          remedy: "choose a time within the film, or another background")
      }
      number = frame.index - reader.frameNumbers.lowerBound
    }
    guard let frame = try await clip.frame(number) else {
      throw CinematicError(.unknown, "\(path) gave no frame")
    }
    return (try await frame.picture(), clip.settings.pixelAspectRatio)
  }
}
