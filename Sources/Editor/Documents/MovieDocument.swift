// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCore
import FocalEditing
import FocalMedia
import FocalRendering
import FocalScript
import Foundation

/// A movie that is open: its edits, its pictures and its sound.
actor MovieDocument {
  nonisolated let number: Int
  nonisolated let path: String
  /// Looked at before each step: another movie may have its place.
  nonisolated let file: MovieFile
  /// Tells this opening of the movie from others.
  nonisolated let opening = UUID().uuidString
  let renderer: PreviewRenderer
  /// The width of a pixel over its height, as the movie is shown.
  let pixelAspect: Double
  let sound: MovieSound?
  let lane: FrameLane
  let session: EditSession
  let send: @Sendable (Data, String?) -> Void
  let announce: @Sendable (String) -> Void
  let words: PageWords
  var thumbnails: Task<Thumbnails?, Never>?
  /// How many thumbnails were asked for so far.
  var thumbnailCount = 0
  /// When each frame appears.
  let starts: [Time]
  /// The same in the script's times, which may be rounded in another way: decisions at them come into force with the
  /// frames.
  let scriptStarts: [Time]
  /// The automatic decisions of the recording.
  let recorded: Set<Decision>
  var spans: [ObjectIdentifier: (track: DetectionTrack, spans: [Int])] = [:]
  var following: Following?
  var taskCount = 0
  let devices: [Device]
  /// Whether a table was given by which screens show a camera's curve.
  let hasScreenTable: Bool

  /// An object that is being followed.
  struct Following {
    let task: Int
    let work: Task<Void, Never>
    /// The tap that began it.
    let start: Command
    /// Whether it is strongly in focus in the end.
    var isStrong: Bool
  }

  /// - Parameters:
  ///   - changes: the changes file; by default the latest of those beside the movie.
  ///   - screenTable: as ``Editor/Settings/screenTable``.
  ///   - announce: tells the terminal where the changes are.
  ///   - words: what pages call parameters.
  ///   - send: tells every client of the movie; a message of a key takes the place of an older one.
  init(
    number: Int, path: String, changes: String?, devices: [Device], screenTable: ColorCube? = nil,
    announce: @escaping @Sendable (String) -> Void,
    words: PageWords,
    send: @escaping @Sendable (Data, String?) -> Void
  ) async throws(CinematicError) {
    self.number = number
    self.path = path
    self.devices = devices
    self.send = send
    self.announce = announce
    self.words = words
    hasScreenTable = screenTable != nil
    file = MovieFile(path)
    let asset = try Asset.named(path)
    renderer = try await PreviewRenderer(
      asset: asset, devices: devices, screenTable: screenTable)
    let track = renderer.movie.info.cinematicVideoTrack
    pixelAspect = Self.pixelAspect(of: try await track.load(.videoFormat))
    recorded = Set(renderer.recording.baseDecisions)
    let frames = (0..<renderer.frameCount).map { [renderer] in renderer.timeRange(ofFrame: $0) }
    starts = frames.map(\.start)
    let scripted = renderer.recording.frameTimes
    scriptStarts = frames.map { range in
      scripted.index(ofPicture: range).map { scripted[$0] } ?? range.start
    }
    let files =
      changes == nil ? ChangesFiles(beside: path, of: renderer.recording) : nil
    session = try EditSession(
      recording: renderer.recording,
      changesPath: changes ?? files?.latest ?? ChangesFiles.path(of: path),
      note: files?.note?.description(naming: words.name))
    if FileManager.default.fileExists(atPath: session.changesPath) {
      announce(
        "\(URL(fileURLWithPath: path).lastPathComponent): its changes are in \(session.changesPath)"
      )
    }
    var failure: CinematicError?
    do throws(CinematicError) {
      sound = try await MovieSound(asset)
    } catch {
      sound = nil
      failure = error
    }
    lane = FrameLane()
    soundFailure = failure
  }

  private static func pixelAspect(of format: VideoFormat) -> Double {
    let stored = Dimensions(
      width: Int(format.pixelAspectRatio.horizontal), height: Int(format.pixelAspectRatio.vertical))
    let shown = format.preferredTransform.applied(to: stored)
    return Double(shown.width) / Double(shown.height)
  }

  let soundFailure: CinematicError?

  var isBusy: Bool { following != nil }

  func close() {
    following?.work.cancel()
    following = nil
    session.close()
  }

  /// Renders the first picture before a page asks for it: decoders are open then, and memory is there.
  func prepare() async {
    var settings = PreviewRenderer.Settings()
    settings.maximumSize = Dimensions(width: 960, height: 960)
    settings.fidelity = .reduced
    settings.halvesThumbnails = true
    let script = session.document.current.script
    _ = try? await lane.run(.background, line: "") {
      [renderer, settings] () async throws(CinematicError) in
      try await renderer.picture(0, script: script, settings: settings)
    }
  }

  // MARK: - For commands

  /// The parts of the present state that an export needs: the changes in a file of its own, and the range.
  ///
  /// - Throws: `invalidState` where another movie is in the place of this one, `unwritable`.
  func snapshot(in folder: String) throws(CinematicError) -> (changes: String, range: [String]) {
    try file.check()
    let state = session.document.current
    let path = "\(folder)/\(UUID().uuidString).focus"
    let writer = try DataWriter(path: path)
    defer { writer.cancel() }
    try writer.write([UInt8](state.changes.dataRepresentation))
    try writer.finish()
    let range = state.range.map { ["--range", "\($0.start)-\($0.end)"] } ?? []
    return (path, range)
  }

  func exactTime(ofFrame frame: Int?) throws(CinematicError) -> String {
    try time(frame).description
  }
}
