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
    for name in names.sorted() where name.hasSuffix(".focus") {
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

  /// What people should know of the choice; `nil` where there is none.
  var note: String? {
    let name = URL(fileURLWithPath: latest).lastPathComponent
    guard isNamed || !others.isEmpty else { return nil }
    let start = "the changes in \(name) are open, which were written last"
    guard !others.isEmpty else { return start }
    return start + "; \(others.joined(separator: ", ")) can be opened with --changes"
  }

  /// The bytes of a changes file; `nil` where there is none.
  ///
  /// - Throws: `unsupported` for what is no file: reading a pipe may never end.
  static func contents(of path: String) throws(CinematicError) -> Data? {
    guard let known = attributes(of: path) else { return nil }
    guard known[.type] as? FileAttributeType == .typeRegular else {
      throw CinematicError(
        .unsupported, "\(path) is not a regular file",
        remedy: "move it away, or name other changes with --changes")
    }
    return FileManager.default.contents(atPath: path)
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
