// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Foundation

/// The files that a page may choose from: those that the command line named, and those in the folders that it named.
/// Pages know them by their numbers, which stay.
struct Catalog: Sendable {
  private(set) var movies: [String] = []
  private(set) var clips: [String] = []
  /// Movies of maps, and patterns of numbered ones, such as `maps/%04d.png`.
  private(set) var maps: [String] = []
  private let folders: [String]

  private static let movieEndings: Set<String> = ["mov", "mp4", "m4v", "mkv", "webm", "avi"]
  private static let mapEndings: Set<String> = ["png", "exr", "tif", "tiff", "pfm"]

  init(movies: [String], folders: [String]) {
    self.movies = movies
    self.folders = folders
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
          if let pattern = Self.pattern(in: path), !maps.contains(pattern) { maps.append(pattern) }
          continue
        }
        guard Self.movieEndings.contains(Self.ending(name)) else { continue }
        if Self.ending(name) == "mov", !movies.contains(path) { movies.append(path) }
        if !clips.contains(path) { clips.append(path) }
        if !maps.contains(path) { maps.append(path) }
      }
    }
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
