// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension TemporaryFiles {
  /// Marks of where a temporary file was made, which its name begins with. Machines may share a folder, and their names,
  /// too; process numbers mean something only within one running system and one container.
  struct Origin: Equatable {
    /// Of the machine's name.
    var machine: String
    /// Of what runs now: another after a restart, on another machine, in another container.
    var system: String

    static let own = Origin(
      machine: mark(name()),
      system: mark(contents("/proc/sys/kernel/random/boot_id") + link("/proc/self/ns/pid")))

    /// The beginning of the names of files that are made here.
    var prefix: String { ".focal-\(machine)-\(system)-" }

    private static func name() -> [CChar] {
      var host = [CChar](repeating: 0, count: 256)
      gethostname(&host, host.count - 1)
      return Array(host.prefix { $0 != 0 })
    }

    private static func link(_ path: String) -> [CChar] {
      var text = [CChar](repeating: 0, count: 256)
      let count = readlink(path, &text, text.count - 1)
      return Array(text.prefix(max(0, count)))
    }

    private static func contents(_ path: String) -> [CChar] {
      let descriptor = open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return [] }
      defer { close(descriptor) }
      var text = [CChar](repeating: 0, count: 64)
      let count = read(descriptor, &text, text.count)
      return Array(text.prefix(max(0, count)))
    }

    /// FNV-1a in eight digits.
    private static func mark(_ bytes: [CChar]) -> String {
      let hash = bytes.reduce(0x811C_9DC5 as UInt32) {
        ($0 ^ UInt32(UInt8(bitPattern: $1))) &* 0x0100_0193
      }
      let digits = String(hash, radix: 16)
      return String(repeating: "0", count: 8 - digits.count) + digits
    }
  }

  /// Seconds after which an untouched file of a system that cannot be asked for its processes has no writer any more.
  private static let longestPause = 7 * 86_400

  /// Removes what processes left unfinished in a folder because they were killed or the power failed: those of this
  /// system that are gone, and those of earlier systems of this machine's name whose files nobody has touched for a
  /// week. Another machine may have the same name, and be at work.
  ///
  /// - Parameter folder: with its final slash; empty for the current one.
  static func removeLeftovers(in folder: String, origin: Origin = .own) {
    guard let directory = opendir(folder.isEmpty ? "." : folder) else { return }
    defer { closedir(directory) }
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 1) { String(cString: $0) }
      }
      // .focal-MACHINE-SYSTEM-PROCESS-NUMBER.tmp
      guard name.hasPrefix(".focal-\(origin.machine)-"), name.hasSuffix(".tmp") else { continue }
      let parts = name.dropLast(4).split(separator: "-", omittingEmptySubsequences: false)
      guard parts.count == 5, let process = pid_t(parts[3]), process > 0 else { continue }
      if isAbandoned(folder + name, process, isHere: parts[2] == origin.system) {
        unlink(folder + name)
      }
    }
  }

  private static func isAbandoned(_ path: String, _ process: pid_t, isHere: Bool) -> Bool {
    if isHere { return process != getpid() && kill(process, 0) != 0 && errno == ESRCH }
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
    return time(nil) - status.st_mtim.tv_sec > longestPause
  }
}
