// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCore
import FocalMedia
import FocalRendering
import Foundation

/// The state behind the page: the movies that are open, the clients that look at them, and the jobs that run.
public actor Editor {
  public struct Settings: Sendable {
    /// The movies that the command line names.
    public var movies: [String] = []
    /// Folders whose movies and clips a page may open. Results lie beside their movie or clip; where that folder takes no new
    /// files, they go to the first of these that does.
    public var folders: [String] = []
    /// The changes file of the first movie; by default the latest of those beside it, or its name with the ending
    /// `focus`.
    public var changes: String?
    /// Best first.
    public var devices: [Device]
    /// The path of `focal`, for exports.
    public var program: String
    /// What the program is given before the name of a command, such as `--no-lockdown`.
    public var programArguments: [String] = []
    /// Options of commands that render, which say where: `--device` and `--threads`.
    public var deviceArguments: [String] = []
    /// What the codes of movies in a camera's curve become on the screen; by default the curve's own light.
    public var screenTable: ColorCube?
    /// Tells the terminal where a movie's changes are, when it is opened and when they are saved elsewhere.
    public var announce: @Sendable (String) -> Void = { _ in }
    /// What texts that a page shows call a parameter; by default its name in the API. Remedies that no control of the page and
    /// none of these settings can follow are left out.
    public var parameterName: @Sendable (CinematicError.Parameter) -> String = { $0.rawValue }

    public init(devices: [Device], program: String) {
      self.devices = devices
      self.program = program
    }
  }

  /// A page that is open in a browser.
  private struct Client: Sendable {
    let id: Int
    let mailbox: Mailbox
  }

  private let settings: Settings
  private var catalog: Catalog
  private let audience = Audience()
  private var clients: [Int: Client] = [:]
  private var documents: [Int: Task<Result<MovieDocument, CinematicError>, Never>] = [:]
  /// Movies whose file was replaced, of which all pages are told when the new one is open: that may fail at first.
  private var replaced: Set<Int> = []
  /// The movie that was looked at last at the end.
  private var used: [Int] = []
  private var jobs: Jobs?
  /// Movies hold memory: of those at which nobody looks, none but the last ones stay open.
  private static let openLimit = 2

  public init(_ settings: Settings) {
    self.settings = settings
    catalog = Catalog(movies: settings.movies, folders: settings.folders)
  }

  /// Opens the first movie before the first page asks for it, so that what is wrong with it is known at once.
  ///
  /// - Throws: what opening it throws.
  public func prepare() async throws(CinematicError) {
    guard !catalog.movies.isEmpty else {
      guard settings.folders.isEmpty else { return }
      throw CinematicError(.invalidParameter, "there is no movie", remedy: "name one")
    }
    guard !settings.movies.isEmpty else { return }
    let document = try await document(0)
    Task { await document.prepare() }
  }

  nonisolated var words: PageWords { PageWords(name: settings.parameterName) }

  var isBusy: Bool {
    get async {
      if await jobs?.isBusy == true { return true }
      for task in documents.values {
        if let document = try? await task.value.get(), await document.isBusy { return true }
      }
      return false
    }
  }

  func close() async {
    audience.close()
    clients = [:]
    await jobs?.close()
    for task in documents.values {
      if let document = try? await task.value.get() { await document.close() }
    }
    documents = [:]
  }

  // MARK: - Clients

  func join(_ mailbox: Mailbox) async -> Int {
    let id = audience.join(mailbox)
    clients[id] = Client(id: id, mailbox: mailbox)
    catalog.refresh()
    mailbox.post(lists())
    if let jobs { await jobs.describe(to: mailbox) }
    return id
  }

  func leave(_ client: Int) async {
    audience.leave(client)
    clients[client] = nil
    await closeUnused()
  }

  private func lists() -> Data {
    Message.data(
      Message.Lists(
        movies: catalog.movies.map(Catalog.item), clips: catalog.clips.map(Catalog.item),
        maps: catalog.maps.map(Catalog.item),
        presets: ExportSession.Preset.allCases.map {
          Message.Lists.Preset(
            name: $0.name, summary: $0.summary,
            endings: $0.coding.codec.containers.contains(.mp4) ? Self.endings : ["mov"])
        }))
  }

  /// A message of a client. Faults in it are told to the client, and to nobody else.
  func take(_ message: Data, from id: Int) async {
    guard let client = clients[id] else { return }
    do throws(CinematicError) {
      let command: Command
      do { command = try JSONDecoder().decode(Command.self, from: message) } catch {
        throw CinematicError(
          .malformed, "the page sent something that is not understood", remedy: "load it again")
      }
      try await perform(command, client)
    } catch {
      client.mailbox.post(Message.data(Message.Failure(error, words)))
    }
  }

  private func perform(_ command: Command, _ client: Client) async throws(CinematicError) {
    switch command.name {
    case .open:
      guard let movie = command.movie else { throw Self.noMovie }
      await closeReplaced(movie)
      let (document, isAnew) = try await opened(movie)
      // Pages of the movie were told just now.
      if !isAnew || audience.movie(of: client.id) != movie {
        await document.welcome(client.mailbox) { [audience] in audience.show(movie, to: client.id) }
      }
      await closeUnused()
    case .curve:
      // A page that asks about another movie than is open does not want to know any more.
      guard isMeant(command, audience.movie(of: client.id)) else { return }
      let document = try await document(of: client, for: command)
      client.mailbox.post(
        await document.curve(command.start ?? 0, command.end ?? .max), key: "curve")
    case .cancelJob: await jobs?.cancel(command.task ?? 0)
    case .export, .apply, .still: try await write(command, client)
    case .importClip: try await importClip(command, client)
    default: try await document(of: client, for: command).perform(command)
    }
  }

  // MARK: - Movies

  private static let noMovie = CinematicError(
    .invalidParameter, "no movie is open", remedy: "choose one from the list")

  /// The movie that is open in a page. While it opens, the page shows another one, and what is done there is not meant for
  /// this one.
  ///
  /// - Throws: `invalidState` for a command that names another movie.
  private func document(
    of client: Client, for command: Command
  ) async throws(CinematicError) -> MovieDocument {
    guard let movie = audience.movie(of: client.id) else { throw Self.noMovie }
    guard isMeant(command, movie) else {
      throw CinematicError(
        .invalidState, "this was meant for another movie than the one that is open now",
        remedy: "open that one again, and repeat it")
    }
    return try await document(movie)
  }

  /// Whether a command is for a movie: one that names none is for any.
  private func isMeant(_ command: Command, _ movie: Int?) -> Bool {
    command.movie == nil || command.movie == movie
  }

  private func document(_ movie: Int) async throws(CinematicError) -> MovieDocument {
    try await opened(movie).document
  }

  /// A movie, which is opened where it is not. Whatever opens one whose file was replaced, a picture too, tells its pages.
  ///
  /// - Returns: `isAnew`: whether its pages were told just now.
  private func opened(
    _ movie: Int
  ) async throws(CinematicError) -> (document: MovieDocument, isAnew: Bool) {
    let document = try await task(of: movie).value.get()
    let isAnew = replaced.remove(movie) != nil
    if isAnew { await document.tellOfOpening() }
    return (document, isAnew)
  }

  private func task(
    of movie: Int
  ) async throws(CinematicError) -> Task<Result<MovieDocument, CinematicError>, Never> {
    guard catalog.movies.indices.contains(movie) else {
      throw CinematicError(
        .invalidParameter, "there is no movie \(movie) in the list", remedy: "choose one of it")
    }
    used.removeAll { $0 == movie }
    used.append(movie)
    if let task = documents[movie] { return task }
    let path = catalog.movies[movie]
    let changes = movie == 0 ? settings.changes : nil
    let task = Task { [settings, audience] () -> Result<MovieDocument, CinematicError> in
      do throws(CinematicError) {
        return .success(
          try await MovieDocument(
            number: movie, path: path, changes: changes, devices: settings.devices,
            screenTable: settings.screenTable, announce: settings.announce,
            words: PageWords(name: settings.parameterName)
          ) { [audience] message, key in audience.tell(movie, message, key) })
      } catch {
        return .failure(error)
      }
    }
    documents[movie] = task
    if case .failure = await task.value, documents[movie] == task { documents[movie] = nil }
    return task
  }

  /// Closes a movie whose file was replaced: it is opened anew.
  private func closeReplaced(_ movie: Int) async {
    guard let task = documents[movie], let document = try? await task.value.get(),
      document.file.isReplaced
    else { return }
    // Its journal is free before the new movie looks for it.
    await document.close()
    if documents[movie] == task { documents[movie] = nil }
    replaced.insert(movie)
  }

  /// Closes movies at which nobody looks, but for those that were used last.
  private func closeUnused() async {
    let watched = audience.movies
    let candidates = used.filter { !watched.contains($0) && documents[$0] != nil }
    for movie in candidates.dropLast(Self.openLimit - 1) {
      guard let task = documents[movie], let document = try? await task.value.get(),
        await !document.isBusy
      else { continue }
      documents[movie] = nil
      used.removeAll { $0 == movie }
      await document.close()
    }
  }

  // MARK: - Requests

  /// The answer to a request; `nil` where there is nothing at the address.
  func reply(
    _ path: String, _ query: [String: String]
  ) async throws(CinematicError) -> Reply? {
    guard ["/frame", "/thumbnail", "/sound", "/outline"].contains(path) else { return nil }
    func number(_ name: String, _ range: ClosedRange<Int>) throws(CinematicError) -> Int {
      guard let text = query[name], let value = Int(text), range.contains(value) else {
        throw CinematicError(.invalidParameter, "\(name) is not in the address, or out of range")
      }
      return value
    }
    let document = try await document(try number("movie", 0...1_000_000))
    let line = query["line"].map { String($0.prefix(32)) } ?? ""
    switch path {
    case "/sound": return try await document.sound(piece: try number("piece", 0...1_000_000))
    case "/outline": return try await document.outline()
    case "/thumbnail":
      let range = 0...10_000_000
      let distance = query["distance"] == nil ? range.upperBound : try number("distance", range)
      return try await document.thumbnail(
        try number("frame", range), distance: distance,
        isGraded: query["graded"] == "1", line: line)
    default:
      var wish = MovieDocument.Wish(
        frame: try number("frame", 0...10_000_000),
        size: Dimensions(
          width: try number("width", 16...8192), height: try number("height", 16...8192)),
        quality: .thumbnail, purpose: query["purpose"] == "playback" ? .playback : .scrub,
        line: line)
      wish.isDraft = query["quality"] == MovieDocument.Wish.draft
      wish.quality =
        RenderingQuality.allCases.first { $0.description == query["quality"] } ?? .thumbnail
      wish.isGraded = query["graded"] == "1"
      wish.view = query["view"].flatMap { RenderingSession.DebugView(rawValue: $0) }
      return try await document.picture(wish)
    }
  }

  // MARK: - Jobs

  private func runner() -> Jobs {
    if let jobs { return jobs }
    let made = Jobs(program: settings.program, words: words) { [audience] message, key in
      audience.tell(nil, message, key)
    }
    jobs = made
    return made
  }

  private func write(_ command: Command, _ client: Client) async throws(CinematicError) {
    let document = try await document(of: client, for: command)
    let folder = try ResultFolder.of(document.path, folders: settings.folders)
    let scratch = try Self.scratch()
    let output: String
    var arguments: [String]
    let state = try await document.snapshot(in: scratch)
    do throws(CinematicError) {
      switch command.name {
      case .export:
        guard let preset = ExportSession.Preset(named: command.preset ?? "") else {
          throw CinematicError(.invalidParameter, "there is no such preset", remedy: "choose one")
        }
        let name = command.file?.lowercased() ?? ""
        let ending = Self.endings.first { name.hasSuffix("." + $0) } ?? "mov"
        output = "\(folder)/\(try FileName.checked(command.file ?? "", ending: ending))"
        arguments = ["export", document.path, "-o", output, "--preset", preset.name] + state.range
      case .apply:
        output = "\(folder)/\(try FileName.checked(command.file ?? "", ending: "mov"))"
        arguments = ["apply", document.path, "-o", output]
      default:
        output = "\(folder)/\(try FileName.checked(command.file ?? "", ending: "png"))"
        arguments = [
          "thumbnail", document.path, "-o", output,
          "--at", try await document.exactTime(ofFrame: command.frame),
        ]
      }
      if command.replace == true {
        arguments.append("--force")
      } else {
        try Self.checkIsFree(output, remedy: "give another name, or say that it is to be replaced")
      }
    } catch {
      unlink(state.changes)
      throw error
    }
    arguments += ["--changes", state.changes]
    // Of what becomes of the sound, say, people are told as well.
    if command.name != .apply { arguments += ["--json"] + settings.deviceArguments }
    if command.name == .export { arguments += ["--progress", "json"] }
    try await start(output, arguments, scratch: [state.changes])
    let name = URL(fileURLWithPath: output).lastPathComponent
    var notes: [String] = []
    if command.name == .apply, !state.range.isEmpty {
      notes.append("\(name) gets all frames: in and out are of exports alone")
    }
    if let note = Self.note(of: folder, for: document.path, name) { notes.append(note) }
    tell(notes, client)
  }

  /// Says where a result is that does not lie beside its movie or clip.
  private static func note(of folder: String, for path: String, _ name: String) -> String? {
    guard folder != PathName.folder(of: path) else { return nil }
    return "\(name) is written in \(folder): nothing can be written beside"
      + " \(URL(fileURLWithPath: path).lastPathComponent)"
  }

  private func tell(_ notes: [String], _ client: Client) {
    guard !notes.isEmpty else { return }
    client.mailbox.post(Message.data(Message.Notice(message: notes.joined(separator: ". "))))
  }

  /// Starts a command of the program.
  ///
  /// - Parameters:
  ///   - output: the file that it writes.
  ///   - scratch: files that go when it has ended.
  private func start(
    _ output: String, _ arguments: [String], scratch: [String] = []
  ) async throws(CinematicError) {
    try await runner().start(output, settings.programArguments + arguments, scratch: scratch) {
      [weak self] isDone in await self?.refresh(isDone)
    }
  }

  private static let endings = ["mp4", "mov"]

  /// - Throws: `unwritable` where a file has the name of a result.
  private static func checkIsFree(_ output: String, remedy: String) throws(CinematicError) {
    guard FileManager.default.fileExists(atPath: output) else { return }
    throw CinematicError(
      .unwritable, "\(URL(fileURLWithPath: output).lastPathComponent) is there already",
      remedy: remedy)
  }

  private func importClip(_ command: Command, _ client: Client) async throws(CinematicError) {
    guard let clip = command.clip, catalog.clips.indices.contains(clip) else {
      throw CinematicError(
        .invalidParameter, "there is no such clip in the list", remedy: "choose one of it")
    }
    let path = catalog.clips[clip]
    let folder = try ResultFolder.of(path, folders: settings.folders)
    let name = try FileName.checked(command.file ?? "", ending: "mov")
    let output = "\(folder)/\(name)"
    try Self.checkIsFree(output, remedy: "give another name")
    var arguments = ["import", path, "-o", output, "--json", "--progress", "json"]
    if let map = command.map {
      guard catalog.maps.indices.contains(map) else {
        throw CinematicError(
          .invalidParameter, "there is no such map in the list", remedy: "choose one of it")
      }
      arguments += ["--disparity", catalog.maps[map]]
    }
    try await start(output, arguments)
    if let note = Self.note(of: folder, for: path, name) { tell([note], client) }
  }

  private func refresh(_ isDone: Bool) {
    guard isDone else { return }
    catalog.refresh()
    audience.tell(nil, lists(), "lists")
  }

  /// A folder of this process for changes on their way to a command.
  private static func scratch() throws(CinematicError) -> String {
    NSTemporaryDirectory().hasSuffix("/")
      ? String(NSTemporaryDirectory().dropLast()) : NSTemporaryDirectory()
  }
}
