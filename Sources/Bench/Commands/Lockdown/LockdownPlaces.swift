// SPDX-License-Identifier: Apache-2.0

import CLockdown
import FocalCore
import FocalRendering
import Foundation

/// The files that a command may open: those that its arguments name, with their folders; the system's; caches.
///
/// They are judged before the command reads anything. In doubt a folder belongs to them: to be refused what one asked
/// for is worse than to be able to read its neighbours.
struct LockdownPlaces {
  private static let read = UInt32(FOCAL_MAY_READ)
  private static let write = UInt32(FOCAL_MAY_READ | FOCAL_MAY_WRITE)
  private static let start = UInt32(FOCAL_MAY_READ | FOCAL_MAY_START)
  /// Links in folders of numbered pictures that are followed.
  private static let mostLinks = 4096

  /// The rights that are granted, by path.
  private(set) var rights: [String: UInt32] = [:]
  private let environment: [String: String]

  init(
    _ arguments: [String], usesPrograms: Bool,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) {
    self.environment = environment
    addSystem()
    addHome()
    if usesPrograms { addDrivers() }
    addNamed(by: arguments)
  }

  /// - Returns: 0, or the number of an error.
  func confine() -> Int32 {
    let names = rights.map { (strdup($0.key), $0.value) }
    defer { for (name, _) in names { free(name) } }
    let places = names.map { focal_place(path: $0.0, rights: $0.1) }
    return focal_confine_files(places, Int32(places.count))
  }

  private mutating func add(_ path: String, _ right: UInt32) {
    rights[path, default: 0] |= right
  }

  private mutating func addSystem() {
    for path in [
      "/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin", "/opt", "/nix", "/gnu/store", "/snap",
      "/app",
    ] { add(path, Self.start) }
    for path in ["/etc", "/proc", "/sys", "/run", "/var/cache/fontconfig", "/var/lib/fontconfig"] {
      add(path, Self.read)
    }
    for name in ["null", "zero", "full", "random", "urandom", "tty", "shm", "pts"] {
      add("/dev/\(name)", Self.write)
    }
    // Where a process measures its peak of memory.
    add("/proc/self/clear_refs", Self.write)
    if let own = Self.resolved("/proc/self/exe") {
      add(own, Self.start)
      add(PathName.folder(of: own), Self.read)
    }
  }

  private var caches: String? {
    if let folder = environment["XDG_CACHE_HOME"], folder.hasPrefix("/") { return folder }
    return environment["HOME"].flatMap { $0.hasPrefix("/") ? "\($0)/.cache" : nil }
  }

  /// The user's own fonts, models, libraries and caches.
  private mutating func addHome() {
    if let home = environment["HOME"], home.hasPrefix("/") {
      for name in [
        ".fonts", ".fonts.conf", ".config/fontconfig", ".config/vulkan", ".config/pulse",
        ".asoundrc", ".local/lib", ".local/share/focal", ".local/share/fonts",
        ".local/share/vulkan",
      ] { add("\(home)/\(name)", Self.read) }
      add("\(home)/.nv", Self.write)
    }
    if let caches {
      for name in [
        "pocl", "fontconfig", "mesa_shader_cache", "mesa_shader_cache_db", "nvidia",
        "neo_compiler_cache",
      ] { add("\(caches)/\(name)", Self.write) }
    }
    for name in ["FOCAL_CACHE_DIR", "POCL_CACHE_DIR", "MESA_SHADER_CACHE_DIR", "CUDA_CACHE_PATH"] {
      for path in paths(of: name) { add(path, Self.write) }
    }
    if let own = CacheFolder.path { add(own, Self.write) }
    for name in [
      "FOCAL_ONNXRUNTIME", "FOCAL_MODELS", "LD_LIBRARY_PATH", "VIRTUAL_ENV", "XDG_DATA_HOME",
      "XDG_DATA_DIRS", "FONTCONFIG_PATH", "FONTCONFIG_FILE",
    ] {
      for path in paths(of: name) {
        add(Self.isFolder(path) ? path : PathName.folder(of: path), Self.read)
      }
    }
  }

  /// Device files, drivers outside the system's folders, and their caches, which must be there to be written into.
  private mutating func addDrivers() {
    for name in ["dri", "kfd", "dxg", "mali0"] { add("/dev/\(name)", Self.write) }
    for name in Self.names(in: "/dev") where name.hasPrefix("nvidia") {
      add("/dev/\(name)", Self.write)
    }
    add("/dev", UInt32(FOCAL_MAY_LIST))
    // Compilers of kernels write there.
    for path in ["/tmp"] + paths(of: "TMPDIR") { add(path, Self.write) }
    var manifests: [String] = []
    for name in [
      "VK_DRIVER_FILES", "VK_ICD_FILENAMES", "VK_ADD_DRIVER_FILES", "VK_LAYER_PATH",
      "VK_ADD_LAYER_PATH", "OCL_ICD_VENDORS", "OCL_ICD_FILENAMES", "OPENCL_VENDOR_PATH",
    ] { manifests += paths(of: name) }
    manifests += ["/etc/vulkan/icd.d", "/usr/share/vulkan/icd.d", "/etc/OpenCL/vendors"]
    if let home = environment["HOME"] { manifests.append("\(home)/.local/share/vulkan/icd.d") }
    for path in manifests {
      add(Self.isFolder(path) ? path : PathName.folder(of: path), Self.read)
      for library in Self.libraries(namedIn: path) { add(PathName.folder(of: library), Self.read) }
    }
    if let own = CacheFolder.path { _ = CacheFile.makeFolder(own) }
    if let caches {
      let isPocl = Self.names(in: "/etc/OpenCL/vendors").contains { $0.hasPrefix("pocl") }
      if isPocl { _ = CacheFile.makeFolder("\(caches)/pocl") }
      if Self.isFolder("/usr/share/vulkan/icd.d") {
        _ = CacheFile.makeFolder("\(caches)/mesa_shader_cache")
      }
    }
  }

  /// The absolute paths in a variable of the environment.
  private func paths(of variable: String) -> [String] {
    (environment[variable] ?? "").split(separator: ":").map(String.init).filter {
      $0.hasPrefix("/")
    }
  }

  /// Libraries by their whole paths in a driver's manifest, or in those of a folder.
  private static func libraries(namedIn path: String) -> [String] {
    if isFolder(path) {
      return names(in: path).flatMap { name in
        name.hasPrefix(".") ? [] : libraries(namedIn: "\(path)/\(name)")
      }
    }
    guard ["json", "icd"].contains(path.split(separator: ".").last.map(String.init)),
      let file = FileHandle(forReadingAtPath: path),
      let text = try? file.read(upToCount: 1 << 16).map({ String(decoding: $0, as: UTF8.self) })
    else { return [] }
    return text.split { $0.isWhitespace || "\",:{}".contains($0) }.compactMap { word in
      guard word.contains("/"), word.contains(".so") else { return nil }
      return word.hasPrefix("/") ? String(word) : "\(PathName.folder(of: path))/\(word)"
    }
  }

  /// Files and folders that arguments name, or may name.
  private mutating func addNamed(by arguments: [String]) {
    let replaces =
      arguments.contains("--force") || arguments.contains("--resume")
      || arguments.first == "capture"
    if arguments.first == "capture" { add("/dev", Self.write) }
    var before = ""
    for argument in arguments {
      let isOutput = replaces || ["-o", "--output", "--keep", "--plot", "--boxes"].contains(before)
      before = argument
      var text = argument[...]
      if argument.hasPrefix("--"), let sign = argument.firstIndex(of: "=") {
        text = argument[argument.index(after: sign)...]
      } else if argument.hasPrefix("-o"), argument.count > 2 {
        text = argument.dropFirst(2).drop { $0 == "=" }
      }
      guard !text.isEmpty, text != "-", !text.contains("://") else { continue }
      addNamed(by: String(text), isOutput: isOutput)
      // v4l2:/dev/video0
      if let colon = text.firstIndex(of: ":"), text[colon...].contains("/") {
        addNamed(by: String(text[text.index(after: colon)...]), isOutput: isOutput)
      }
    }
  }

  private mutating func addNamed(by text: String, isOutput: Bool) {
    let right = isOutput ? Self.write : Self.read
    var status = stat()
    guard !text.contains("%"), stat(text, &status) == 0 else {
      // Words and numbers; a file that is to be made has an ending or stands in a folder.
      let isName =
        isOutput || text.contains("/") || text.contains("%")
        || text.contains(".") && text.contains(where: \.isLetter)
      if isName { addUnmade(text, isOutput: isOutput) }
      return
    }
    switch status.st_mode & S_IFMT {
    case S_IFDIR:
      add(text, Self.write)
      addLinks(in: text)
    case S_IFREG:
      for path in [text, Self.resolved(text) ?? text] {
        if isOutput || !holdsAll(PathName.folder(of: path)) {
          add(PathName.folder(of: path), right)
        } else {
          addBeside(path)
        }
      }
    default: add(text, Self.write)
    }
  }

  /// Whether all that a user has lies in a folder.
  private func holdsAll(_ folder: String) -> Bool {
    guard let real = Self.resolved(folder) else { return false }
    return real == "/" || real == environment["HOME"].flatMap(Self.resolved)
  }

  /// A file, and those beside it that belong to it by their names.
  private mutating func addBeside(_ path: String) {
    add(path, Self.read)
    let folder = PathName.folder(of: path)
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let stem = name.split(separator: ".").first.map { "\($0)." } ?? name
    for other in Self.names(in: folder) where other.hasPrefix(stem) {
      add("\(folder)/\(other)", Self.read)
    }
  }

  /// A name that nothing bears, or of numbered files: the nearest folder that there is.
  private mutating func addUnmade(_ text: String, isOutput: Bool) {
    var path = text.contains("%") ? String(text[..<text.firstIndex(of: "%")!]) : text
    repeat {
      path = PathName.folder(of: path)
    } while !Self.isFolder(path) && path != "/" && path != "."
    // Everything, for a folder that is to be made at the top.
    guard path != "/" || isOutput else { return }
    add(path, Self.write)
    if text.contains("%") { addLinks(in: path) }
  }

  /// Numbered pictures may be links to where they lie.
  private mutating func addLinks(in folder: String) {
    guard let directory = opendir(folder) else { return }
    defer { closedir(directory) }
    var count = 0
    while count < Self.mostLinks, let entry = readdir(directory) {
      guard [Int(DT_LNK), Int(DT_UNKNOWN)].contains(Int(entry.pointee.d_type)) else { continue }
      count += 1
      guard let real = Self.resolved("\(folder)/\(Self.name(entry))") else { continue }
      let place = Self.isFolder(real) ? real : PathName.folder(of: real)
      if place != "/" { add(place, Self.read) }
    }
  }

  private static func names(in folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) { names.append(name(entry)) }
    return names
  }

  private static func name(_ entry: UnsafeMutablePointer<dirent>) -> String {
    withUnsafePointer(to: &entry.pointee.d_name) {
      $0.withMemoryRebound(to: CChar.self, capacity: 1) { String(cString: $0) }
    }
  }

  private static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  private static func resolved(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }
}
