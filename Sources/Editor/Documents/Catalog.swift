// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Foundation

/// The files that a page may choose from: those that the command line named, and those in the folders that it named.
/// Pages know them by their numbers, which stay.
struct Catalog: Sendable {
  var movies: [String] { movieFiles.paths }
  var clips: [String] { clipFiles.paths }
  /// Movies of maps, and patterns of numbered ones, such as `maps/%04d.png`.
  var maps: [String] { mapFiles.paths }
  private var movieFiles = Listing()
  private var clipFiles = Listing()
  private var mapFiles = Listing()
  private let folders: [String]

  /// Paths in the order in which they were found. A file that is named twice, or reached by a link, is listed once: two
  /// documents of it would not know of each other.
  private struct Listing: Sendable {
    private(set) var paths: [String] = []
    private var known: Set<String> = []

    mutating func add(_ path: String) {
      if known.insert(Catalog.resolved(path)).inserted { paths.append(path) }
    }
  }

  private static let movieEndings: Set<String> = ["mov", "mp4", "m4v", "mkv", "webm", "avi"]
  private static let mapEndings: Set<String> = ["png", "exr", "tif", "tiff", "pfm"]

  init(movies: [String], folders: [String]) {
    self.folders = folders
    for movie in movies { movieFiles.add(movie) }
    refresh()
  }

  /// Looks into the folders once more. A listed entry keeps its number.
  mutating func refresh() {
    for folder in folders {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder))?.sorted() ?? []
      for name in names where !name.hasPrefix(".") {
        let path = folder + "/" + name
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { continue }
        if isFolder.boolValue {
          if let pattern = Self.pattern(in: path) { mapFiles.add(pattern) }
          continue
        }
        guard Self.movieEndings.contains(Self.ending(name)) else { continue }
        if Self.ending(name) == "mov" { movieFiles.add(path) }
        clipFiles.add(path)
        mapFiles.add(path)
      }
    }
  }

  /// A path without links; of a pattern, or a file that is not there, that of its folder.
  private static func resolved(_ path: String) -> String {
    if let target = target(of: path) { return target }
    let url = URL(fileURLWithPath: path)
    let folder = url.deletingLastPathComponent().path
    return (target(of: folder) ?? folder) + "/" + url.lastPathComponent
  }

  /// The path behind all links; `nil` where nothing is there.
  private static func target(of path: String) -> String? {
    guard let found = realpath(path, nil) else { return nil }
    defer { free(found) }
    return String(cString: found)
  }

  /// The pattern of a folder's numbered maps.
  private static func pattern(in folder: String) -> String? {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder))?.sorted() ?? []
    guard let first = names.first(where: { mapEndings.contains(ending($0)) }) else { return nil }
    let stem = first.dropLast(ending(first).count + 1)
    let digits = stem.reversed().prefix(while: \.isNumber).count
    guard digits > 0 else { return nil }
    return "\(folder)/\(stem.dropLast(digits))%0\(digits)d.\(ending(first))"
  }

  private static func ending(_ name: String) -> String {
    name.split(separator: ".").last.map { $0.lowercased() } ?? ""
  }

  static func item(_ path: String) -> Message.Lists.Item {
    let url = URL(fileURLWithPath: path)
    return Message.Lists.Item(
      name: url.lastPathComponent, folder: url.deletingLastPathComponent().lastPathComponent)
  }
}
