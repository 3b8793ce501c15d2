// SPDX-License-Identifier: Apache-2.0

import FileLocks

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

  /// Seconds after which an untouched file has no writer any more, where its lock and its process do not tell.
  private static let longestPause = 7 * 86_400

  /// Removes what processes left unfinished in a folder because they were killed or the power failed: files of this
  /// machine's name whose lock nobody holds. On a file system that only this kernel writes, those of processes of this
  /// system are removed at once. Elsewhere, two machines may have all marks in common (copies of one virtual machine),
  /// and locks may not reach the other one: files stay until nobody has touched them for a week.
  ///
  /// - Parameters:
  ///   - folder: with its final slash; empty for the current one.
  ///   - isShared: whether other machines may write there; `nil` to ask the file system.
  static func removeLeftovers(
    in folder: String, origin: Origin = .own, isShared: Bool? = nil
  ) {
    guard let directory = opendir(folder.isEmpty ? "." : folder) else { return }
    defer { closedir(directory) }
    let isShared = isShared ?? !focal_is_own_file_system(dirfd(directory))
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 1) { String(cString: $0) }
      }
      // .focal-MACHINE-SYSTEM-PROCESS-NUMBER.tmp
      guard name.hasPrefix(".focal-\(origin.machine)-"), name.hasSuffix(".tmp") else { continue }
      let parts = name.dropLast(4).split(separator: "-", omittingEmptySubsequences: false)
      guard parts.count == 5, let process = pid_t(parts[3]), process > 0 else { continue }
      let isHere = parts[2] == origin.system
      if isHere, process == getpid() || kill(process, 0) == 0 || errno != ESRCH { continue }
      removeUnlocked(folder + name, olderThan: isHere && !isShared ? nil : longestPause)
    }
  }

  /// Removes a file that nobody writes: its lock is held meanwhile, so that it cannot become somebody's.
  private static func removeUnlocked(_ path: String, olderThan seconds: Int?) {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
    guard focal_lock_file(descriptor, false) != FOCAL_LOCK_TAKEN else { return }
    if let seconds, time(nil) - status.st_mtim.tv_sec <= seconds { return }
    unlink(path)
  }
}
