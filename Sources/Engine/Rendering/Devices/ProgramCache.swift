// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Compiled programs, kept from one process to the next: a file each in a folder.
///
/// A file carries all that it was made from and a checksum, so that a foreign or damaged one is seen
/// and made anew. Only files are read that the user owns and nobody else may write. Files appear whole, by
/// renaming, so that processes that start at once do not disturb each other. A folder that cannot be written,
/// or none, is no error: there is no cache then. The files that were not used for longest go when all together
/// exceed a limit.
package struct ProgramCache: Sendable {
  /// The source that a program was made from.
  package struct Key: Sendable {
    let text: String
    let digest: UInt128
    /// The name of its file in the cache's folder.
    package let fileName: String

    /// - Parameters:
    ///   - interface: the programming interface that the program is for; the first word of its file's name.
    ///   - source: of the program.
    ///   - circumstances: whatever else decides what the compiler makes of it.
    package init(interface: String, source: some Sequence<UInt8>, circumstances: [String]) {
      text = (["focal program 1"] + circumstances).joined(separator: "\n")
      digest = ProgramCache.digest(text.utf8, source)
      let digits = String(digest, radix: 16)
      fileName =
        "\(interface)-" + String(repeating: "0", count: 32 - digits.count) + digits
    }
  }

  /// The interfaces whose programs are kept.
  package static let interfaces = ["opencl", "vulkan"]

  let folder: String?
  let largestByteCount: Int

  /// - Parameters:
  ///   - folder: made when something is kept; `nil` for no cache.
  ///   - largestByteCount: of all programs; a machine's devices need a few megabytes each.
  package init(folder: String?, largestByteCount: Int = 128 << 20) {
    self.folder = folder
    self.largestByteCount = largestByteCount
  }

  /// The program of a key, or `nil` where there is none that can be trusted.
  package func load(_ key: Key) -> [UInt8]? {
    guard let folder, let bytes = CacheFile.contents("\(folder)/\(key.fileName)")
    else { return nil }
    let header = Self.header(key, payload: [])
    guard bytes.count > header.count else { return nil }
    let payload = Array(bytes[header.count...])
    return bytes.starts(with: Self.header(key, payload: payload)) ? payload : nil
  }

  /// Keeps a program; does nothing where that is not possible.
  package func store(_ program: [UInt8], for key: Key) {
    guard let folder, !program.isEmpty else { return }
    let bytes = Self.header(key, payload: program) + program
    guard CacheFile.store(bytes, as: key.fileName, in: folder) else { return }
    prune(folder)
  }

  /// Removes programs, those that were not read or written for longest first, until three quarters of the limit
  /// are left.
  private func prune(_ folder: String) {
    var files: [(path: String, byteCount: Int, used: Double)] = []
    guard let listing = opendir(folder) else { return }
    defer { closedir(listing) }
    while let entry = readdir(listing) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard Self.interfaces.contains(where: { name.hasPrefix("\($0)-") }) else { continue }
      var status = stat()
      let path = "\(folder)/\(name)"
      guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
      files.append((path, Int(status.st_size), status.lastUse))
    }
    var byteCount = files.reduce(0) { $0 + $1.byteCount }
    guard byteCount > largestByteCount else { return }
    for file in files.sorted(by: { $0.used < $1.used })
    where byteCount > largestByteCount / 4 * 3 {
      unlink(file.path)
      byteCount -= file.byteCount
    }
  }

  package func remove(_ key: Key) {
    if let folder { unlink("\(folder)/\(key.fileName)") }
  }

  /// The head before a payload: everything that has to be equal, in a fixed length for a key.
  private static func header(_ key: Key, payload: [UInt8]) -> [UInt8] {
    var bytes = Array(key.text.utf8)
    bytes.append(0)
    withUnsafeBytes(of: key.digest.littleEndian) { bytes += $0 }
    withUnsafeBytes(of: UInt64(payload.count).littleEndian) { bytes += $0 }
    withUnsafeBytes(of: digest(payload, []).littleEndian) { bytes += $0 }
    return bytes
  }

  /// FNV-1a in 128 bits: tells apart what differs by accident.
  private static func digest(_ parts: some Sequence<UInt8>, _ more: some Sequence<UInt8>) -> UInt128
  {
    var hash: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d
    let prime: UInt128 = 0x0000_0000_0100_0000_0000_0000_0000_013b
    for byte in parts { hash = (hash ^ UInt128(byte)) &* prime }
    // A border, so that bytes do not wander from one part to the other.
    hash = (hash ^ 0x100) &* prime
    for byte in more { hash = (hash ^ UInt128(byte)) &* prime }
    return hash
  }
}

extension stat {
  /// The time of the last change of the file, which reading one of a cache sets, too; in seconds.
  fileprivate var lastUse: Double {
    #if canImport(Darwin)
      Double(st_mtimespec.tv_sec) + Double(st_mtimespec.tv_nsec) * 1e-9
    #else
      Double(st_mtim.tv_sec) + Double(st_mtim.tv_nsec) * 1e-9
    #endif
  }
}
