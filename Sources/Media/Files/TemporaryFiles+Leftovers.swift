// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension TemporaryFiles {
  /// The beginning of this machine's temporary files' names: process numbers mean something only
  /// within one machine and one container, and a folder may be shared by several.
  static let machinePrefix: String = {
    var host = [CChar](repeating: 0, count: 256)
    gethostname(&host, host.count - 1)
    var space = [CChar](repeating: 0, count: 256)
    let length = readlink("/proc/self/ns/pid", &space, space.count - 1)
    let bytes = host.prefix { $0 != 0 } + space.prefix(max(0, length))
    // FNV-1a.
    let hash = bytes.reduce(0x811C_9DC5 as UInt32) {
      ($0 ^ UInt32(UInt8(bitPattern: $1))) &* 0x0100_0193
    }
    let digits = String(hash, radix: 16)
    return ".focal-" + String(repeating: "0", count: 8 - digits.count) + digits + "-"
  }()

  /// Removes what processes of this machine left unfinished in a folder because they were killed or
  /// the power failed. Files of processes that live are left alone.
  ///
  /// - Parameter folder: with its final slash; empty for the current one.
  static func removeLeftovers(in folder: String) {
    guard let directory = opendir(folder.isEmpty ? "." : folder) else { return }
    defer { closedir(directory) }
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 1) { String(cString: $0) }
      }
      guard name.hasPrefix(machinePrefix), name.hasSuffix(".tmp"),
        let process = name.dropFirst(machinePrefix.count).split(separator: "-").first
          .flatMap({ pid_t($0) }), process > 0, process != getpid(),
        kill(process, 0) != 0, errno == ESRCH
      else { continue }
      unlink(folder + name)
    }
  }
}
