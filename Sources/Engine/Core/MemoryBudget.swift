// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// How much host memory the program works with. Work that would take more is refused, or done in pieces, before
/// memory runs out.
public enum MemoryBudget {
  private static let chosen = Mutex<Int?>(nil)

  /// Bytes: half of what the machine, the process's control group and its own limits leave it, unless a program
  /// sets another number before it reads.
  public static var byteCount: Int {
    get { chosen.withLock { $0 } ?? usual }
    set { chosen.withLock { $0 = max(newValue, 1) } }
  }

  private static let usual = max(available() / 2, 64 << 20)

  /// Refuses what takes more than the budget.
  ///
  /// - Parameters:
  ///   - byteCount: what it takes at once, about.
  ///   - share: the part of the budget that it may take: 3 for a third; 1 at least.
  ///   - thing: for the message, such as a file's name and the size of its picture.
  /// - Throws: `outOfMemory`.
  public static func check(
    _ byteCount: Int, share: Int = 1, for thing: String
  ) throws(CinematicError) {
    let limit = Self.byteCount
    let share = max(share, 1)
    guard byteCount > limit / share else { return }
    let part = share == 1 ? "" : "\(text(limit / share)), a part of "
    throw CinematicError(
      .outOfMemory,
      "\(thing) takes \(text(byteCount)) of memory, and the limit is \(part)\(text(limit))",
      remedy: "make it smaller, or raise the limit (\(parameter: .memoryLimit))")
  }

  /// Whether the process may take so much more of its address space, which `ulimit -v` limits. Nothing is taken.
  package static func isLeft(_ byteCount: Int) -> Bool {
    let place = mmap(nil, byteCount, PROT_NONE, MAP_PRIVATE | MAP_ANON, -1, 0)
    guard let place, place != MAP_FAILED else { return false }
    munmap(place, byteCount)
    return true
  }

  /// A number of bytes in words.
  public static func text(_ byteCount: Int) -> String {
    for (size, unit) in [(1_000_000_000, "GB"), (1_000_000, "MB")] where byteCount >= size {
      let tenths = byteCount / (size / 10)
      return tenths % 10 == 0 ? "\(tenths / 10) \(unit)" : "\(tenths / 10).\(tenths % 10) \(unit)"
    }
    return "\(byteCount) bytes"
  }

  // MARK: - Limits

  private static func available() -> Int {
    var least = Int(clamping: sysconf(Int32(_SC_PHYS_PAGES)))
      .multipliedReportingOverflow(by: Int(clamping: sysconf(Int32(_SC_PAGESIZE)))).partialValue
    if least <= 0 { least = 4 << 30 }
    var limit = rlimit()
    #if os(Linux)
      let kind = RLIMIT_AS.rawValue
    #else
      let kind = RLIMIT_AS
    #endif
    if getrlimit(.init(kind), &limit) == 0, limit.rlim_cur < UInt64(Int.max) {
      least = min(least, Int(limit.rlim_cur))
    }
    return controlGroupLimits().reduce(least) { min($0, $1) }
  }

  /// The limits of the process's control group and of those around it, of either version.
  private static func controlGroupLimits() -> [Int] {
    guard let groups = contents("/proc/self/cgroup") else { return [] }
    var limits: [Int] = []
    for line in groups.split(separator: "\n") {
      let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard fields.count == 3 else { continue }
      let isSecond = fields[1].isEmpty
      guard isSecond || fields[1].split(separator: ",").contains("memory") else { continue }
      let root = isSecond ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory"
      let file = isSecond ? "memory.max" : "memory.limit_in_bytes"
      var path = fields[2][...]
      while true {
        let folder = path == "/" ? root : root + path
        if let text = contents("\(folder)/\(file)"),
          let limit = Int(text.prefix { $0 != "\n" }), limit > 0
        {
          limits.append(limit)
        }
        guard path.count > 1, let end = path.lastIndex(of: "/") else { break }
        path = end == path.startIndex ? "/" : path[..<end]
      }
    }
    return limits
  }

  /// A small file of the kernel's.
  private static func contents(_ path: String) -> String? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(file, &bytes, bytes.count)
    return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
  }
}
