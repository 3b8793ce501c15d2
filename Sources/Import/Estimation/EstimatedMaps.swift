// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCore
import FocalEyes
import FocalMedia
import Foundation
import Synchronization

/// The maps that work on a clip estimates for its own use. They lie in a folder beside its output until that is done, so
/// that the same work goes on where it was ended. One command or call at a time has the folder.
package struct EstimatedMaps: Sendable {
  /// Numbered maps, as `--disparity` takes them.
  package let path: String
  private let folder: String
  /// Whether the folder goes even if the command fails: of one picture, nothing would be won.
  private let isPassing: Bool
  /// What the maps are of. Its lock is the folder's.
  private let held: LockedFile
  private let note: Notes

  private struct AtWork {
    /// Those of all work in this process, by their folders.
    var maps: [String: EstimatedMaps] = [:]
    /// Whether the process has been interrupted: then none are begun.
    var isInterrupted = false
    /// Whether any were ended and stay.
    var mapsStay = false
  }

  private static let atWork = Mutex(AtWork())

  private static let record = "estimate.json"
  private static let anchor = "anchor"
  private static let detections = "detections.json"

  /// Where detections are kept beside estimated maps.
  ///
  /// - Parameter path: the maps'.
  static func detections(beside path: String) -> String {
    PathName.folder(of: path) + "/" + detections
  }

  /// - Parameters:
  ///   - options: how the input is read.
  ///   - overwrite: whether the output may be there already.
  ///   - surroundings: the maps that are made beside those of the chosen frames.
  /// - Throws: `unwritable` for an output that is there, or a folder of another's; `invalidState` for maps that another
  ///   command is making.
  static func make(
    of input: String, _ choice: EstimationChoice, for output: String, options: ReadOptions,
    overwrite: Bool, surroundings: EstimationSurroundings, _ events: ImportEvents
  ) async throws(CinematicError) -> EstimatedMaps {
    let note = events.note
    var options = options
    // Both eyes are looked at.
    let half = options.half
    options.half = nil
    let source = try await EstimationSource(
      input, eyes: choice.eyes, exchanged: choice.exchanged, options: options)
    let properties = source.reader.properties
    if !PipePath.isPipe(output), case .still = try OutputFormat(path: output) {
      try checkOutputName(output, overwrite: overwrite)
    } else if !PipePath.isPipe(output), case .movie = try OutputFormat(path: output) {
      try checkOutputName(output, overwrite: overwrite)
    }
    let isPassing = properties.kind == .still || PipePath.isPipe(output)
    let folder = Self.folder(for: output)
    // At once: an interruption between the folder and its entry here would leave the folder behind.
    let maps = try Self.atWork.withLock { atWork throws(CinematicError) in
      guard !atWork.isInterrupted else { throw CinematicError(.cancelled, "interrupted") }
      // Where a file system has no locks, everybody gets the record.
      guard atWork.maps[folder] == nil else { throw Self.isBusy(folder) }
      let maps = EstimatedMaps(
        path: folder + "/%06d.exr", folder: folder, isPassing: isPassing,
        held: try Self.hold(folder), note: note)
      atWork.maps[folder] = maps
      return maps
    }
    let key =
      Self.key(of: input, choice, options) + ["\(options.frames.map { "\($0)" } ?? "all")"]
    try maps.begin(key)
    note(
      "\(PipePath.inputName(input)) has no map: disparity is estimated by \(choice.provider.name)")
    if let half { noteShape(of: half, in: properties.shownDimensions, to: note) }
    let job = EstimationJob(
      input: input, source: source, provider: choice.provider, output: maps.path,
      resumes: true,
      anchor: isPassing ? nil : KeptAnchor("\(folder)/\(Self.anchor)", key: key),
      storesHalves: true, surroundings: surroundings, interval: choice.interval,
      events: events)
    do throws(CinematicError) {
      _ = try await job.run()
    } catch {
      maps.end(isDone: false)
      throw error
    }
    return maps
  }

  /// Says what may be missing of the shape of a picture that is half of another: nothing in a file tells whether halves
  /// are squeezed.
  private static func noteShape(
    of half: PictureHalf, in whole: Dimensions, to note: Notes
  ) {
    let isBeside = half == .left || half == .right
    let (width, height) =
      isBeside ? (whole.width / 2, whole.height) : (whole.width, whole.height / 2)
    // Those of 16:9 are 8:9 and 32:9 when they are squeezed.
    guard isBeside ? width < height : width > 3 * height else { return }
    note(
      "each eye's half is \(width)x\(height), and the result has that shape; if halves are squeezed, scale it to"
        + " twice its \(isBeside ? "width" : "height")")
  }

  /// Removes the maps, or says that they stay: those of work that did not succeed, where there are some.
  ///
  /// - Parameters:
  ///   - isDone: whether the output is whole.
  ///   - error: why it is not.
  func end(isDone: Bool, after error: CinematicError? = nil) {
    // The same command would fail again.
    let code = error?.code
    let isRefused = code == .invalidParameter || code == .unsupported
    // The work and its interruption may both end them: the second waits until the folder is gone, or the note is said.
    Self.atWork.withLock { atWork in
      guard atWork.maps.removeValue(forKey: folder) != nil else { return }
      guard isDone || isPassing || !names.contains(where: Self.isMap) else {
        atWork.mapsStay = true
        note(
          "the estimated maps stay in \(folder): the \(isRefused ? "corrected" : "same") work goes on with them"
        )
        return
      }
      removeMaps()
      let others = names.filter { $0 != Self.record }.sorted()
      guard let other = others.first else {
        held.remove()
        rmdir(folder)
        return
      }
      // By the record, the next command knows the folder.
      try? held.replaceContents(with: [])
      let more = others.count > 1 ? " and \(others.count - 1) more" : ""
      note("\(folder) stays: it holds \(other)\(more), which is not of this program")
    }
  }

  /// Does at an interruption of the process what work does at an error, unless it has done so itself.
  ///
  /// - Returns: whether maps stay.
  package static func interrupt() -> Bool {
    let maps = atWork.withLock { atWork in
      atWork.isInterrupted = true
      return Array(atWork.maps.values)
    }
    for maps in maps { maps.end(isDone: false) }
    return atWork.withLock { $0.mapsStay }
  }

  private static func folder(for output: String) -> String {
    if PipePath.isPipe(output) { return NSTemporaryDirectory() + "/focal-maps-\(getpid())" }
    return output + NumberedPattern.mapsEnding
  }

  /// All that decides about the maps of an input's frames, whichever are chosen.
  static func key(
    of input: String, _ choice: EstimationChoice, _ options: ReadOptions
  ) -> [String] {
    [input, stamp(input)]
      + (choice.signature + options.signature).map { $0 + " " + stamp($0) }
  }

  /// Size and time of a file, which say whether it is the same one; of numbered files, a checksum of all of them: pictures
  /// from all over the clip settle the maps' range.
  static func stamp(_ path: String) -> String {
    if let pattern = try? NumberedPattern(path), let numbers = try? pattern.existingNumbers() {
      let stamps = numbers.map { "\($0) \(fileStamp(pattern.path($0)))\n" }.joined()
      return SHA256.digits(of: Data(stamps.utf8))
    }
    return fileStamp(path)
  }

  private static func fileStamp(_ path: String) -> String {
    var status = stat()
    guard stat(path, &status) == 0 else { return "" }
    return "\(status.st_size) \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
  }

  /// The files that a helper's command names, as a program and its model: with them, its answers change. Those that a
  /// shell writes change while it works.
  static func files(of command: String) -> [String] {
    let words = command.split(whereSeparator: \.isWhitespace).map {
      $0.trimmingCharacters(in: CharacterSet(charactersIn: "\"'"))
    }
    return words.indices.compactMap { index in
      var status = stat()
      guard index == 0 || !words[index - 1].hasSuffix(">"), stat(words[index], &status) == 0,
        status.st_mode & S_IFMT == S_IFREG
      else { return nil }
      return words[index]
    }
  }

  /// Makes the folder, or takes one that a command left, and locks it.
  private static func hold(_ folder: String) throws(CinematicError) -> LockedFile {
    let names = try? FileManager.default.contentsOfDirectory(atPath: folder)
    var status = stat()
    // One without a record is being made, or its command was ended there.
    let isOwn = names.map { $0.contains(record) || $0.allSatisfy(isUnfinished) } ?? false
    guard lstat(folder, &status) != 0 || isOwn else {
      throw CinematicError(
        .unwritable, "\(folder) is there, and not as this program makes it for estimated maps",
        remedy: "move it away, or choose another output")
    }
    try MadeFolders.shared.make(folder)
    guard let file = try LockedFile("\(folder)/\(record)") else {
      throw isBusy(folder)
    }
    return file
  }

  private static func isBusy(_ folder: String) -> CinematicError {
    CinematicError(
      .invalidState, "other work is making maps in \(folder)",
      remedy: "wait for its end, or choose another output")
  }

  /// Takes what the same command left in the folder, or removes what another one did.
  private func begin(_ key: [String]) throws(CinematicError) {
    guard let encoded = try? JSONEncoder().encode([programVersion] + key) else {
      end(isDone: false)
      throw CinematicError(.unknown, "the maps in \(folder) cannot be written down")
    }
    let data = [UInt8](encoded)
    let found = held.contents
    if found == data {
      note("going on with the maps in \(folder)")
      return
    }
    if !found.isEmpty {
      note("the maps in \(folder) are of another input or other options: they are made anew")
    }
    removeMaps()
    do throws(CinematicError) {
      try held.replaceContents(with: data)
    } catch {
      end(isDone: false)
      throw error
    }
  }

  private var names: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
  }

  private static func isMap(_ name: String) -> Bool {
    name.hasSuffix(".exr") && name.dropLast(4).allSatisfy(\.isNumber)
  }

  /// Whether a file was being written when its command was killed: who holds the folder writes none but its own.
  private static func isUnfinished(_ name: String) -> Bool {
    name.hasPrefix(".focal-") && name.hasSuffix(".tmp")
  }

  private func removeMaps() {
    for name in names {
      let isBeside = name == Self.detections || name == Self.anchor
      guard Self.isMap(name) || Self.isUnfinished(name) || isBeside else { continue }
      unlink("\(folder)/\(name)")
    }
  }
}

extension ReadOptions {
  /// All that decides how pictures look, but for which they are: words, and a table's path.
  fileprivate var signature: [String] {
    var words = ["\(interlacing)", "\(missing)", "\(keepsChromaticities)", "layer \(layer ?? "-")"]
    words.append("transfer \(transfer.map { "\($0)" } ?? "-")")
    switch workingSpace {
    case nil: break
    case .log(let curve): words.append("log \(curve)")
    case .table(let table): words.append(table.name)
    }
    return words
  }
}
