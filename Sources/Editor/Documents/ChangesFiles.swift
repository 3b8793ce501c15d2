// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalEditing
import FocalScript
import Foundation

/// The changes files beside a movie that belong to it: its own name with the ending `focus`, and those under other names.
struct ChangesFiles {
  /// The one that was written last, or whose journal was.
  let latest: String
  /// The names of the others, in order.
  let others: [String]
  /// Whether the latest one has another name than the movie.
  let isNamed: Bool

  /// Files larger than this are none that an editor wrote.
  private static let sizeLimit = 1 << 28

  /// - Parameter recording: of the movie.
  init(beside movie: String, of recording: Recording) {
    let own = Self.path(of: movie)
    let folder = URL(fileURLWithPath: own).deletingLastPathComponent().path
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    var found: [(path: String, date: Date)] = []
    for name in names.sorted() where name.lowercased().hasSuffix(".focus") {
      let path = folder + "/" + name
      if path != own, Self.identity(of: path) != recording.identity { continue }
      found.append((path, Self.date(of: path)))
    }
    // A journal may be there before its file is.
    if !found.contains(where: { $0.path == own }),
      FileManager.default.fileExists(atPath: EditJournal.path(besideChanges: own))
    {
      found.append((own, Self.date(of: own)))
    }
    // Of two of one moment the movie's own name counts.
    let newest = found.max {
      $0.date != $1.date ? $0.date < $1.date : $0.path != own && $1.path == own
    }
    latest = newest?.path ?? own
    isNamed = latest != own
    others = found.map(\.path).filter { [latest] in $0 != latest }
      .map { URL(fileURLWithPath: $0).lastPathComponent }
  }

  /// `film.focus` for `film.mov`.
  static func path(of movie: String) -> String {
    URL(fileURLWithPath: movie).deletingPathExtension().path + ".focus"
  }

  /// - Throws: `unwritable` where no folder is there to save changes in.
  static func checkFolder(of changes: String) throws(CinematicError) {
    let folder = URL(fileURLWithPath: changes).deletingLastPathComponent().path
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue
    else {
      throw CinematicError(
        .unwritable, "there is no folder \(folder) to save changes in",
        remedy: "make it, or name other changes with \(parameter: .changes)")
    }
  }

  /// What people should know of the choice; `nil` where there is none.
  var note: CinematicError.Wording? {
    let name = URL(fileURLWithPath: latest).lastPathComponent
    guard isNamed || !others.isEmpty else { return nil }
    let start: CinematicError.Wording = "the changes in \(name) are open, which were written last"
    guard !others.isEmpty else { return start }
    let list = others.joined(separator: ", ")
    return "\(start); \(list) can be opened with \(parameter: .changes)"
  }

  /// The bytes of a changes file; `nil` where there is none.
  ///
  /// - Throws: `unsupported` for what is no file: reading a pipe may never end; `unreadable` for one that is there and cannot
  ///   be read: saving would replace what nobody has seen.
  static func contents(of path: String) throws(CinematicError) -> Data? {
    var status = stat()
    guard stat(path, &status) == 0 else { return try absence(of: path, errno) }
    try check(status, of: path)
    // A pipe that has taken its place meanwhile keeps nobody waiting.
    let file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { return try absence(of: path, errno) }
    defer { close(file) }
    guard fstat(file, &status) == 0 else { throw unreadable(path, errno) }
    try check(status, of: path)
    return try rest(of: file, path)
  }

  /// - Throws: `unsupported` for what is no regular file.
  private static func check(_ status: stat, of path: String) throws(CinematicError) {
    guard status.st_mode & S_IFMT != S_IFREG else { return }
    throw CinematicError(
      .unsupported, "\(path) is not a regular file",
      remedy: "move it away, or name other changes with \(parameter: .changes)")
  }

  private static func rest(of file: Int32, _ path: String) throws(CinematicError) -> Data {
    var result = Data()
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(file, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw unreadable(path, errno) }
      guard count > 0 else { return result }
      result.append(contentsOf: chunk[..<count])
    }
  }

  /// - Returns: `nil` for a file that is not there, or no longer.
  /// - Throws: `unreadable` where that is not known.
  private static func absence(of path: String, _ number: Int32) throws(CinematicError) -> Data? {
    if number == ENOENT || number == ENOTDIR { return nil }
    throw unreadable(path, number)
  }

  private static func unreadable(_ path: String, _ number: Int32) -> CinematicError {
    CinematicError(
      .unreadable, "cannot read \(path): \(String(cString: strerror(number)))",
      remedy: "make it readable, or name other changes with \(parameter: .changes)")
  }

  private static func identity(of path: String) -> Identity? {
    guard let size = attributes(of: path)?[.size] as? Int, size <= sizeLimit,
      let data = try? contents(of: path)
    else { return nil }
    return try? Script.Changes(dataRepresentation: data).identity
  }

  /// When a changes file or its journal was written last.
  private static func date(of path: String) -> Date {
    [path, EditJournal.path(besideChanges: path)]
      .compactMap { attributes(of: $0)?[.modificationDate] as? Date }.max() ?? .distantPast
  }

  private static func attributes(of path: String) -> [FileAttributeKey: Any]? {
    let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    return try? FileManager.default.attributesOfItem(atPath: target)
  }
}
