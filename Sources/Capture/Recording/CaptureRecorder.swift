// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import FocalScript
import Foundation

/// Writes the movies of a recording. A movie that fails ends alone; the others go on.
actor CaptureRecorder {
  /// A movie that is being written.
  private struct Output {
    var path: String
    var form: StoredForm
    var isEditable: Bool
    var writer: MovieWriter?
    var error: CinematicError?
    /// Those that were written.
    var frameCount = 0
    /// Of them.
    var duration = Time.zero
  }

  /// Sound that has come and is not written yet: some seconds, while the first picture is on its way.
  nonisolated let sound = BoundedQueue<SoundBuffer>(capacity: 512)
  nonisolated let isBaked: Bool
  /// The form of the baked movie's pictures where it has more bits than the source's, and the same colours; else `nil`.
  nonisolated let deeperBakedFormat: PixelFormat?
  private let settings: CaptureRecording
  private let soundFormat: SoundFormat?
  private let fNumber: Float
  private let look: Look
  private let givenRange: ClosedRange<Float>?
  private var outputs: [Output] = []
  private var log: RecordingLog?
  private var journal: ScriptJournal?
  /// The first picture's time.
  private var start = Time.zero
  private var soundTask: Task<Void, Never>?
  private var report = CaptureRecordingReport()
  private var isOver = false
  private let tell: @Sendable (CaptureEvent) -> Void

  /// How much wider than the disparities of a session so far those of a movie may become, on either side, in parts of
  /// their extent. A code is then a five hundredth of what was seen.
  private static let margin: Float = 0.5
  /// Less beyond the codes, in parts of their extent, is what compression of maps does.
  private static let leastClamped: Float = 0.005
  /// How much of a movie the end of the program costs.
  private static let fragmentSeconds = 0.25

  /// - Parameters:
  ///   - range: the disparities that maps have at most, if that is known.
  ///   - tell: told of a movie or a journal that cannot be written any more.
  /// - Throws: `invalidParameter` for no movie, or one of a wrong name or coding, `unwritable` for a name that is taken.
  init(
    _ settings: CaptureRecording, source: SourceProperties, soundFormat: SoundFormat?,
    fNumber: Float, look: Look, range: ClosedRange<Float>?,
    tell: @escaping @Sendable (CaptureEvent) -> Void
  ) throws(CinematicError) {
    self.settings = settings
    self.soundFormat = settings.recordsSound ? soundFormat : nil
    (self.fNumber, self.look, givenRange) = (fNumber, look, range)
    self.tell = tell
    isBaked = settings.bakedMovie != nil
    if let film = settings.bakedMovie,
      case let pixels = try settings.pixels(for: source, in: film),
      pixels.tags == source.tags, pixels.format.isBiPlanar,
      pixels.format.bitsPerComponent > source.pixelFormat.bitsPerComponent
    {
      deeperBakedFormat = pixels.format
    } else {
      deeperBakedFormat = nil
    }
    for (path, isEditable) in [(settings.editableMovie, true), (settings.bakedMovie, false)] {
      guard let path else { continue }
      guard case .movie(let kind) = try OutputFormat(path: path),
        kind == .mov || !isEditable && kind == .mp4
      else {
        throw CinematicError(
          .invalidParameter, "\(path) is not the name of \(isEditable ? "a Cinematic" : "a") movie",
          remedy: isEditable ? "end it in .mov" : "end it in .mp4 or .mov")
      }
      try checkOutputName(path, overwrite: settings.overwrite)
      try checkFolder(of: path)
      outputs.append(
        Output(
          path: path,
          form: try StoredForm(path, source, settings, isUpright: !isEditable),
          isEditable: isEditable))
    }
    guard !outputs.isEmpty else {
      throw CinematicError(
        .invalidParameter, "a recording without a movie", remedy: "name a movie to record")
    }
    if let editable = settings.editableMovie, let baked = settings.bakedMovie,
      KeptInputs.isOnePlace(editable, baked)
    {
      throw CinematicError(
        .invalidParameter, "\(editable) is to be both the editable movie and the baked one",
        remedy: "give each its own name")
    }
    report.fNumber = fNumber
  }

  /// - Parameters:
  ///   - baked: the picture with its blur, as it is shown, if a baked movie is written.
  ///   - range: the disparities of the session so far.
  func append(_ frame: AnalyzedFrame, baked: PixelBuffer?, range: ClosedRange<Float>?) {
    guard !isOver else { return }
    if log == nil { open(frame, range) }
    let entry = RecordingEntry(frame, start: start, isFirst: log?.frameCount == 0)
    log?.add(entry)
    keep(entry)
    report.estimatedRange = frame.range
    if outputs.contains(where: { $0.isEditable && $0.error == nil }),
      let codes = report.disparityRange, let range = frame.mapInfo.range,
      case let slack = Self.leastClamped * (codes.upperBound - codes.lowerBound),
      range.lowerBound < codes.lowerBound - slack || range.upperBound > codes.upperBound + slack
    {
      report.clampedMapCount += 1
    }
    let (time, duration) = (frame.picture.time, frame.picture.duration)
    for index in outputs.indices {
      let isWritten = write(to: index) { output, writer throws(CinematicError) in
        if output.isEditable {
          try writer.append(
            video: try output.form.stored(frame.picture.pixelBuffer), time: time,
            duration: duration)
          try writer.append(disparity: frame.map, time: time, duration: duration)
          try writer.append(
            focusDisparity: frame.metadata.focusDisparity, fNumber: fNumber, time: time,
            duration: duration)
        } else if let baked {
          try writer.append(video: try output.form.stored(baked), time: time, duration: duration)
        }
      }
      guard isWritten else { continue }
      outputs[index].frameCount += 1
      outputs[index].duration = log?.duration ?? .zero
    }
  }

  /// - Returns: whether it was written; a movie that has failed takes nothing.
  @discardableResult private func write(
    to index: Int, _ body: (Output, MovieWriter) throws(CinematicError) -> Void
  ) -> Bool {
    guard outputs[index].error == nil, outputs[index].writer != nil else { return false }
    guard let error = failure(of: index, body) else { return true }
    fail(index, error)
    return false
  }

  /// The writer is held no longer than this: its file is locked until it is gone.
  private func failure(
    of index: Int, _ body: (Output, MovieWriter) throws(CinematicError) -> Void
  ) -> CinematicError? {
    guard let writer = outputs[index].writer else { return nil }
    do throws(CinematicError) {
      try body(outputs[index], writer)
      return nil
    } catch {
      return error
    }
  }

  /// Ends a movie that cannot be written any more: what there is of it can be finished at once.
  private func fail(_ index: Int, _ error: CinematicError) {
    let path = outputs[index].path
    let recording = InterruptedRecording.path(for: path)
    outputs[index].error = error
    outputs[index].writer = nil
    let count = InterruptedRecording.settle(recording)
    outputs[index].frameCount = count ?? 0
    outputs[index].duration = log?.duration(ofFirst: count ?? 0) ?? .zero
    if outputs[index].isEditable {
      if count == nil { journal?.remove() }
      journal = nil
    }
    tell(.movieFailed(path: path, kept: count == nil ? nil : recording, error))
  }

  /// The first frame settles what the movies hold.
  private func open(_ frame: AnalyzedFrame, _ range: ClosedRange<Float>?) {
    log = RecordingLog()
    start = frame.picture.time
    let codes =
      givenRange ?? (frame.isEstimated ? LiveRange.codes : Self.widened(range ?? 0...1))
    if settings.editableMovie != nil { report.disparityRange = codes }
    for index in outputs.indices {
      outputs[index].form.settings.timelineStart = frame.picture.time
      do throws(CinematicError) {
        var form = outputs[index].form.settings
        form.sound = soundFormat.map { .live($0) }
        var movie = MovieWriter.Settings(form)
        if outputs[index].isEditable {
          movie = MovieWriter.Settings(
            video: .encoded(form), disparityDimensions: frame.map.dimensions,
            disparityCoding: try DisparityCoding(codes, hasHoles: true))
          movie.overwrite = settings.overwrite
          movie.temporaryFiles = settings.temporaryFiles
        }
        movie.isRecording = true
        movie.fragmentSeconds = Self.fragmentSeconds
        outputs[index].writer = try MovieWriter(outputs[index].path, settings: movie)
      } catch {
        outputs[index].error = error
        tell(.movieFailed(path: outputs[index].path, kept: nil, error))
      }
    }
    openJournal()
    guard soundFormat != nil else { return }
    soundTask = Task { [sound] in
      while let buffer = await sound.next() { hear(buffer) }
    }
  }

  /// Without it a movie can be recorded, too.
  private func openJournal() {
    guard let movie = outputs.first(where: { $0.isEditable && $0.error == nil }) else { return }
    do throws(CinematicError) {
      let made = try ScriptJournal(for: movie.path, fNumber: fNumber, look: look)
      journal = made
      if let earlier = made.earlier { tell(.journalMoved(from: made.path, to: earlier)) }
    } catch {
      tell(
        .journalFailed(
          path: ScriptJournal.path(of: InterruptedRecording.path(for: movie.path)), error))
    }
  }

  private func keep(_ entry: RecordingEntry) {
    guard let journal else { return }
    do throws(CinematicError) {
      try journal.add(entry)
    } catch {
      tell(.journalFailed(path: journal.path, error))
    }
  }

  private static func widened(_ range: ClosedRange<Float>) -> ClosedRange<Float> {
    let extent = range.upperBound - range.lowerBound
    let wider = extent > 0 ? extent * margin : max(abs(range.lowerBound), 0.5)
    let result = (range.lowerBound - wider)...(range.upperBound + wider)
    // One disparity everywhere says nothing of what comes: the usual ones find a place.
    guard extent == 0 else { return result }
    let usual = LiveRange.codes
    return min(result.lowerBound, usual.lowerBound)...max(result.upperBound, usual.upperBound)
  }

  private func hear(_ buffer: SoundBuffer) {
    for index in outputs.indices {
      write(to: index) { _, writer throws(CinematicError) in try writer.append(sound: buffer) }
    }
  }

  /// When the last picture ends, on the session's clock; `nil` before the first one.
  var end: Time? {
    log.map { start + $0.duration }
  }

  /// Completes the movies.
  ///
  /// - Parameter early: pictures that came and are not part of them.
  func finish(
    dropped: Int, early: EarlyPictures?, endedBy: CinematicError?
  ) async -> CaptureRecordingReport {
    sound.finish()
    await soundTask?.value
    isOver = true
    report.endedBy = endedBy
    report.droppedFrameCount = dropped
    report.droppedSoundCount = sound.droppedCount
    for index in outputs.indices {
      if outputs[index].writer == nil, outputs[index].error == nil {
        outputs[index].error = Self.notBegun(outputs[index].path, early)
      }
      write(to: index) { output, writer throws(CinematicError) in
        let script = try output.isEditable ? self.script() : nil
        try writer.finish(script: script)
        if output.isEditable { self.journal?.remove() }
      }
      report.movies.append(
        .init(
          path: outputs[index].path, frameCount: outputs[index].frameCount,
          error: outputs[index].error))
    }
    report.frameCount = outputs.map(\.frameCount).max() ?? 0
    report.duration = outputs.map(\.duration).max() ?? .zero
    outputs = []
    return report
  }

  /// The error of a movie that no picture belongs to.
  private static func notBegun(_ path: String, _ early: EarlyPictures?) -> CinematicError {
    guard let early else {
      return CinematicError(
        .incomplete, "\(path) was not begun: no picture was ready", remedy: "record for longer")
    }
    let (latest, begin) = (hundredths(early.latest), hundredths(early.begin))
    return CinematicError(
      .incomplete,
      "\(path) was not begun: pictures came (\(early.count)), and their times end at \(latest) s, before its"
        + " beginning at \(begin) s",
      remedy: "record for longer, or give pictures times of the session's clock")
  }

  private static func hundredths(_ time: Time) -> Double { (time.seconds * 100).rounded() / 100 }

  private func script() throws(CinematicError) -> [UInt8]? {
    guard let log else { return nil }
    return [UInt8](try log.recording(fNumber: fNumber, look: look).jsonRepresentation())
  }
}

/// Whether a file can be made at a path.
///
/// - Throws: `unwritable` for a folder that is not there, or not the user's.
func checkFolder(of path: String) throws(CinematicError) {
  let folder = PathName.folder(of: path)
  guard FileManager.default.isWritableFile(atPath: folder) else {
    throw CinematicError(
      .unwritable, "cannot write \(path): its folder is not there, or not yours to write to",
      remedy: "make the folder first, or choose another")
  }
}
