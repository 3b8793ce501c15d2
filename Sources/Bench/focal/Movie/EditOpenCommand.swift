// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCommands
import FocalCore
import FocalEditor
import FocalMedia
import FocalRendering
import Foundation

/// `focal edit open`.
struct EditOpenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "open",
    abstract: "Edit a movie's focus in a browser.",
    usage:
      "focal edit open <movie> ... [--folder <dir>] ... [--no-browser] [--port <n>] [--lut <cube>]",
    discussion: """
      Serves a page on this machine alone, prints its address and opens it. The address holds a secret: who has it can \
      edit. From another machine, forward the port: ssh -L 8080:127.0.0.1:8080 machine, with --port 8080 there.

      Edits go to a changes file beside the movie when they are saved, and until then to a journal beside it, which \
      survives a crash. Of several such files the one that was written last is opened. The movie is not changed. Ctrl-C ends the editor; so does half an hour without a page.
      """)

  @Argument(help: "Cinematic movies.")
  var movies: [String] = []
  @Option(
    help: ArgumentHelp(
      "A folder whose movies and clips can be opened, too; results that cannot lie beside their movie go there. May be given"
        + " several times.",
      valueName: "dir"))
  var folder: [String] = []
  @Option(
    help: ArgumentHelp(
      "The first movie's changes file. (default: the one beside the movie that was written last, or <movie>.focus)",
      valueName: "changes"))
  var changes: String?
  @Flag(help: "Only print the address.")
  var noBrowser = false
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The port; any that is free by default.", valueName: "n"))
  var port: Int = 0
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "After how many minutes without a page the editor ends; 0 for never.", valueName: "minutes"))
  var idle: Int = 30
  @Option(
    help: ArgumentHelp(
      "A 3D table (.cube) through which movies in a camera's curve are shown; exports keep the curve. (default: the"
        + " curve's light as a screen shows it)", valueName: "cube"))
  var lut: String?
  @OptionGroup var device: DeviceOptions

  func validate() throws {
    guard !movies.isEmpty || !folder.isEmpty else {
      throw ValidationError("name a movie, or a --folder of movies")
    }
    guard (0...65535).contains(port) else { throw ValidationError("--port takes 0 to 65535") }
    guard (0...10_000).contains(idle) else {
      throw ValidationError("--idle takes 0 to 10000 minutes")
    }
    guard changes == nil || !movies.isEmpty else {
      throw ValidationError("--changes belongs to a movie: name it")
    }
  }

  func run() throws {
    // The socket and the program that opens the address are there before the first file is looked at.
    let socket = try ListeningSocket(port: port)
    let browser = noBrowser ? nil : Browser()
    for movie in movies where movie.contains("://") {
      throw CinematicError(
        .unsupported, "the editor opens files, and \(movie) is an address",
        remedy: "save the movie as a file first")
    }
    Lockdown.begin(behindSocket: places)
    FreedMemory.goesBack()
    var isFolder: ObjCBool = false
    for folder in folder {
      guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder),
        isFolder.boolValue
      else {
        throw CinematicError(
          .unreadable, "\(folder) is no folder", remedy: "give --folder one that exists")
      }
    }
    let devices = try device.devices()
    var settings = Editor.Settings(devices: devices, program: Self.program)
    settings.programArguments = Lockdown.passedOn
    settings.deviceArguments = device.arguments
    if let lut { settings.screenTable = try ColorCube(path: Self.absolute(lut)) }
    settings.movies = movies.map(Self.absolute)
    settings.folders = folder.map(Self.absolute)
    settings.changes = changes.map(Self.absolute)
    settings.announce = { note($0) }
    settings.parameterName = { optionName(of: $0) }
    let editor = Editor(settings)
    var limits = EditorServer.Limits()
    limits.serverIdle = idle == 0 ? nil : .seconds(60 * idle)
    let server = EditorServer(editor, on: socket, limits: limits)
    // Ctrl-C, a hang-up and a request to end close the editor in order.
    try Signals.answer([SIGINT, SIGTERM, SIGHUP]) { _ in server.stop() }
    Signals.makeErrorsOfOutput()
    try waiting { () async throws(CinematicError) in
      try await editor.prepare()
      let serving = Task { () -> Result<Void, CinematicError> in
        do throws(CinematicError) {
          return .success(try await server.run())
        } catch {
          return .failure(error)
        }
      }
      printLine("the editor is at \(server.address)")
      // Other users can read a program's arguments. A file with the address would not do: browsers in a sandbox, such as
      // those of snap, read neither temporary nor hidden folders.
      browser?.open(server.makeAddressForOnce())
      try await serving.value.get()
    }
    printLine("the editor has ended")
  }

  /// Movies are read; journals, changes and results are written beside them.
  private var places: [String] {
    let files = (movies + [changes].compactMap { $0 }).map(Self.absolute)
    let beside = files.map { URL(fileURLWithPath: $0).deletingLastPathComponent().path }
    return files + beside + [lut].compactMap { $0 }.map(Self.absolute) + folder.map(Self.absolute)
  }

  private static func absolute(_ path: String) -> String {
    URL(fileURLWithPath: path).standardizedFileURL.path
  }

  /// This program.
  private static var program: String {
    let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
    return own == "/proc/self/exe" ? CommandLine.arguments[0] : own
  }
}

/// A program that waits for an address and opens it: it runs before this one gives up the network, and so may use it.
private struct Browser {
  private let program: StartedProgram

  init?() {
    let names = ["xdg-open", "gio", "open", "wslview"]
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    let found = names.lazy.compactMap { name in
      folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }.first
    guard let found, Self.hasScreen else { return nil }
    let open = found.hasSuffix("/gio") ? "gio open" : "\"$0\""
    // A group of its own: Ctrl-C ends the editor, and not the browser, which may have begun with it.
    let script = "read -r address && exec \(open) \"$address\" >/dev/null"
    guard
      case .success(let program) = StartedProgram.start(
        "/bin/sh", ["-c", script, found], takesInput: true, ownGroup: true)
    else { return nil }
    self.program = program
  }

  private static var hasScreen: Bool {
    #if os(macOS)
      true
    #else
      ["DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME"].contains {
        ProcessInfo.processInfo.environment[$0]?.isEmpty == false
      }
    #endif
  }

  func open(_ address: String) {
    guard let input = program.input else { return }
    let line = Array((address + "\n").utf8)
    _ = line.withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
    close(input)
    // It may stay for as long as the browser does.
    Thread.detachNewThread { [program] in
      var status: Int32 = 0
      waitpid(program.number, &status, 0)
      close(program.output)
    }
  }
}
