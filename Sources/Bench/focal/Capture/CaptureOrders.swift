// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCapture
import FocalCinematic
import FocalCommands
import FocalCore
import FocalMedia
import FocalScript
import Foundation

/// A line of `--commands`: what to do while a session runs, and when.
struct CaptureOrderLine: Sendable {
  enum Action: Sendable {
    case tap(NormalizedPoint)
    case press(NormalizedPoint)
    case track(NormalizedPoint, CinematicVideoFocusMode)
    case follow(DetectionID, CinematicVideoFocusMode)
    case fix(NormalizedPoint, CinematicVideoFocusMode)
    case automatic
    case aperture(Float)
    case photo(String)
    case stop
  }

  static let help = helpText("auto; aperture N; photo FILE")
  /// Where movies are recorded.
  static let recordingHelp =
    helpText("auto; photo FILE") + """
       A movie has one aperture, that of --f-number: with --frames alone there is aperture N, too.
      """

  private static func helpText(_ others: String) -> String {
    """
    Lines of commands: tap X,Y; press X,Y; track X,Y weak|strong; fix X,Y weak|strong; follow ID weak|strong; \
    \(others); stop. A line may begin with the seconds at which it is meant, as in '2.5 tap 0.4,0.5'; empty lines and \
    those that begin with # are skipped. A command that cannot be done at its time is told, and the rest goes on.
    """
  }

  /// Seconds of the session; `nil` for at once.
  var time: Double?
  var action: Action
  var text: String
  /// The line's number in its file, from 1; `nil` of one that was typed.
  var number: Int?

  /// The command, for messages.
  var name: String { Self.name(text, number) }

  private static func name(_ text: String, _ number: Int?) -> String {
    "the command '\(text)'" + (number.map { " (line \($0))" } ?? "")
  }

  /// - Parameter number: of the line in its file, from 1.
  /// - Returns: `nil` for a line that says nothing.
  /// - Throws: `invalidParameter` for one that is not understood, or of a time that is too late.
  init?(_ line: String, number: Int? = nil) throws(CinematicError) {
    self.number = number
    text = line.trimmingCharacters(in: .whitespaces)
    guard !text.isEmpty, !text.hasPrefix("#") else { return nil }
    var words = text.split(separator: " ").map(String.init)
    if let first = words.first, let seconds = Double(first), seconds.isFinite, seconds >= 0 {
      guard seconds <= CaptureRun.mostSeconds else {
        throw CinematicError(
          .invalidParameter,
          "\(Self.name(text, number)) is meant for a time that no session reaches",
          remedy: "give at most \(Int(CaptureRun.mostSeconds)) seconds")
      }
      time = seconds
      words.removeFirst()
    }
    guard let action = Self.action(words) else {
      throw CinematicError(
        .invalidParameter, "\(Self.name(text, number)) is not understood",
        remedy: "see focal capture record --help")
    }
    self.action = action
  }

  private static func action(_ words: [String]) -> Action? {
    guard let name = words.first else { return nil }
    func point() -> NormalizedPoint? {
      words.count > 1 ? (try? PointArgument(parsing: words[1]))?.point : nil
    }
    func mode() -> CinematicVideoFocusMode? {
      switch words.count > 2 ? words[2] : "weak" {
      case "weak": .weak
      case "strong": .strong
      default: nil
      }
    }
    let most =
      ["track", "fix", "follow"].contains(name) ? 3 : ["auto", "stop"].contains(name) ? 1 : 2
    // A file's name may have spaces.
    if name == "photo" {
      return words.count > 1 ? .photo(words.dropFirst().joined(separator: " ")) : nil
    }
    guard words.count <= most else { return nil }
    switch name {
    case "tap": return point().map { .tap($0) }
    case "press": return point().map { .press($0) }
    case "track":
      guard let point = point(), let mode = mode() else { return nil }
      return .track(point, mode)
    case "fix":
      guard let point = point(), let mode = mode() else { return nil }
      return .fix(point, mode)
    case "follow":
      guard words.count > 1, let id = Int64(words[1]), let mode = mode() else { return nil }
      return .follow(DetectionID(id), mode)
    case "aperture": return words.count > 1 ? Float(words[1]).map { .aperture($0) } : nil
    case "auto": return .automatic
    case "stop": return .stop
    default: return nil
    }
  }

  /// Whether it says something of the picture that is seen.
  var needsPicture: Bool {
    switch action {
    case .tap, .press, .track, .follow, .fix, .photo: true
    case .automatic, .aperture, .stop: false
    }
  }

  /// Whether a still that is asked for before it would be another one after it.
  var changesStills: Bool { if case .aperture = action { true } else { false } }

  /// Does it, or says why that cannot be.
  ///
  /// - Returns: whether the session goes on.
  func obey(on session: CaptureSession, _ rules: CaptureOrderRules) async -> Bool {
    do throws(CinematicError) {
      try rules.check(self)
      return try await run(on: session, rules)
    } catch {
      note("\(name) is not done: \(error.told)")
      return true
    }
  }

  /// - Throws: what the session throws.
  private func run(
    on session: CaptureSession, _ rules: CaptureOrderRules
  ) async throws(CinematicError) -> Bool {
    switch action {
    case .tap(let point): try await session.tap(at: point)
    case .press(let point): try await session.press(at: point)
    case .track(let point, let mode):
      let id = try await session.setTrackingFocus(at: point, focusMode: mode)
      note("\(text): following \(id)")
    case .follow(let id, let mode):
      try await session.setTrackingFocus(detectedObjectID: id, focusMode: mode)
    case .fix(let point, let mode): try await session.setFixedFocus(at: point, focusMode: mode)
    case .automatic: await session.setAutomaticFocus()
    case .aperture(let fNumber): try await session.setSimulatedAperture(fNumber)
    case .photo(let path):
      try await session.capturePhoto(to: path, overwrite: rules.overwrite)
      let source = session.sourceProperties
      let pixels = try OutputFormat(path: path).pixelFormat(for: source)
      var settings = WriterSettings(
        dimensions: source.shownDimensions, pixelFormat: pixels.format, tags: pixels.tags)
      settings.pixelAspectRatio = source.shownPixelAspectRatio
      try OutputNotes(
        source: rules.source, output: path, settings: settings,
        isToneMapped: ToneMapping.isNeeded(from: source.tags, to: pixels.tags)
      ).tell()
    case .stop: return false
    }
    return true
  }
}

/// What commands may do in a session.
struct CaptureOrderRules: Sendable {
  /// The camera's name, or the file's, for messages.
  var source = ""
  /// Whether a movie is recorded, whose aperture stays.
  var recordsMovie = false
  /// Whether stills replace existing files.
  var overwrite = false
  /// The files that are read, which no still replaces.
  var inputs: [String] = []

  /// The commands of a file, all of which may be done; none of standard input, where they come later.
  ///
  /// - Throws: `unreadable` for another file, `invalidParameter` for a line that is not understood, what
  ///   ``check(_:)`` throws.
  func orders(in file: String?) throws(CinematicError) -> [CaptureOrderLine] {
    guard let file, file != "-" else { return [] }
    guard let text = try? String(contentsOfFile: file, encoding: .utf8) else {
      throw CinematicError(
        .unreadable, "the commands \(file) cannot be read", remedy: "give a text file in UTF-8")
    }
    var orders: [CaptureOrderLine] = []
    var stills: Set<String> = []
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() {
      guard let order = try CaptureOrderLine(String(line), number: index + 1) else { continue }
      do throws(CinematicError) {
        try check(order)
        if case .photo(let path) = order.action, !overwrite, !stills.insert(path).inserted {
          throw CinematicError(
            .unwritable, "\(path) is taken by a line before", remedy: "give each still its name")
        }
      } catch {
        throw error.replacing(message: "\(order.name) cannot be done: \(error.message)")
      }
      orders.append(order)
    }
    return orders
  }

  /// - Throws: `invalidParameter` or `unwritable` for a command that cannot be done at any time.
  func check(_ order: CaptureOrderLine) throws(CinematicError) {
    switch order.action {
    case .aperture where recordsMovie:
      throw CinematicError(
        .invalidParameter, "a movie that is recorded keeps its aperture",
        remedy: "choose it with --f-number")
    case .photo(let path):
      try CaptureSession.checkPhotoName(path, overwrite: overwrite)
      try KeptInputs.check(path, inputs: inputs)
    default: break
    }
  }
}
