// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Foundation
import ModelRuntime
import Synchronization

/// ONNX Runtime, looked for and opened when the program runs.
///
/// It is no part of the program: without it, models cannot run, and everything else can. Looked at are the file or
/// folder in `FOCAL_ONNXRUNTIME`; the folders of `LD_LIBRARY_PATH`; the user's data folder, and the Python environment of
/// ``installation`` there; the packages of Python, of the active environment (`VIRTUAL_ENV`, `CONDA_PREFIX`), of the
/// user, of pyenv's versions and of the system; and the system's folders of libraries. Names carry versions
/// (`libonnxruntime.so.1.31.1`), so they are found by pattern, and the highest version of a folder is taken.
// @unchecked Sendable: the handle is of a library that stays open and whose calls may come from any thread.
public final class RuntimeLibrary: @unchecked Sendable {
  /// Where the library lies.
  public let path: String
  /// Its version, such as `1.31.1`.
  public let version: String
  let handle: OpaquePointer

  /// One environment is enough for a program.
  private static let opened = Mutex<[String: RuntimeLibrary]>([:])

  /// The command that installs it, for messages. The environment is the package's own: many systems refuse `pip install`
  /// outside of one.
  public static let installation =
    "python3 -m venv ~/.local/share/focal/runtime && ~/.local/share/focal/runtime/bin/pip install onnxruntime"

  private init(path: String, handle: OpaquePointer) {
    (self.path, self.handle) = (path, handle)
    version = String(cString: focal_runtime_version(handle))
  }

  /// Opens a library by its path.
  ///
  /// - Throws: `unsupported` for a file that is no ONNX Runtime of version 1.14 or later.
  public static func open(_ path: String) throws(CinematicError) -> RuntimeLibrary {
    try opened.withLock { opened throws(CinematicError) in
      if let known = opened[path] { return known }
      var handle: OpaquePointer?
      if let problem = focal_runtime_open(path, &handle).taken {
        throw CinematicError(
          .unsupported, "\(path) cannot be opened as ONNX Runtime: \(problem)",
          remedy: "install it: \(installation); or name another with FOCAL_ONNXRUNTIME")
      }
      guard let handle else { throw CinematicError(.unknown, "\(path) gave no runtime") }
      let library = RuntimeLibrary(path: path, handle: handle)
      opened[path] = library
      return library
    }
  }

  /// The first library that is found.
  ///
  /// - Throws: `incomplete` if there is none, naming every place that was searched; as ``open(_:)``.
  public static func find(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(CinematicError) -> RuntimeLibrary {
    let places = searchedPlaces(environment)
    for place in places {
      if let path = library(at: place) { return try open(path) }
    }
    throw CinematicError(
      .incomplete,
      "ONNX Runtime, which models need, was not found in "
        + joinedPairs(places).joined(separator: ", "),
      remedy: "install it: \(installation); or name it with FOCAL_ONNXRUNTIME")
  }

  /// Files and folders in the order in which they are searched; patterns of Python's versions stand for what is there.
  public static func searchedPlaces(_ environment: [String: String]) -> [String] {
    // A library that is named is the one that is wanted.
    if let named = environment["FOCAL_ONNXRUNTIME"], !named.isEmpty { return [named] }
    func folders(_ name: String) -> [String] {
      (environment[name] ?? "").split(separator: ":").map(String.init)
    }
    let home = environment["HOME"] ?? ""
    let data = environment["XDG_DATA_HOME"] ?? "\(home)/.local/share"
    func folder(_ name: String) -> String? {
      environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }
    var places = folders("LD_LIBRARY_PATH") + ["\(data)/focal"]
    let own = ["\(data)/focal/runtime/lib", "\(home)/.local/share/focal/runtime/lib"]
    let pythons =
      (data == "\(home)/.local/share" ? [own[0]] : own)
      + [
        folder("VIRTUAL_ENV").map { "\($0)/lib" }, folder("CONDA_PREFIX").map { "\($0)/lib" },
        "\(home)/.local/lib",
        (folder("PYENV_ROOT") ?? "\(home)/.pyenv") + "/versions/*/lib", "/usr/local/lib",
        "/usr/lib",
      ].compactMap(\.self)
    for python in pythons {
      for packages in ["site-packages", "dist-packages"] {
        places.append("\(python)/python3*/\(packages)/onnxruntime/capi")
      }
    }
    #if arch(x86_64)
      places.append("/usr/lib/x86_64-linux-gnu")
    #elseif arch(arm64)
      places.append("/usr/lib/aarch64-linux-gnu")
    #endif
    // Of conda, also as a library without Python.
    return places + [folder("CONDA_PREFIX").map { "\($0)/lib" }].compactMap(\.self)
      + ["/usr/local/lib", "/usr/lib64", "/usr/lib"]
  }

  /// The places with those of one Python as one name, as a shell writes both.
  static func joinedPairs(_ places: [String]) -> [String] {
    let (site, dist) = ("/site-packages/", "/dist-packages/")
    return places.compactMap { place in
      if place.contains(dist), places.contains(place.replacing(dist, with: site)) { return nil }
      let isPair = place.contains(site) && places.contains(place.replacing(site, with: dist))
      return isPair ? place.replacing(site, with: "/{site,dist}-packages/") : place
    }
  }

  /// The library in a place: the file itself, or the highest version in a folder.
  private static func library(at place: String) -> String? {
    var found = glob_t()
    defer { globfree(&found) }
    var status = stat()
    guard glob(place, 0, nil, &found) == 0 else { return nil }
    for index in 0..<Int(found.gl_pathc) {
      guard let folder = found.gl_pathv[index].map({ String(cString: $0) }),
        stat(folder, &status) == 0
      else { continue }
      guard status.st_mode & S_IFMT == S_IFDIR else { return folder }
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      let libraries = names.filter { name in
        name == "libonnxruntime.so" || name.hasPrefix("libonnxruntime.so.")
      }
      let best = libraries.max { a, b in
        a.compare(b, options: .numeric) == .orderedAscending
      }
      if let best { return "\(folder)/\(best)" }
    }
    return nil
  }
}

extension UnsafeMutablePointer<CChar>? {
  /// The text that a call of the runtime returned, which goes; `nil` of success.
  var taken: String? {
    guard let self else { return nil }
    defer { free(self) }
    // One line: the runtime's own messages may have several.
    return String(cString: self).split(whereSeparator: \.isNewline).joined(separator: " ")
  }
}
