// SPDX-License-Identifier: Apache-2.0

import FileLocks
import FocalCore
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

func fileExists(_ path: String) -> Bool {
  var status = stat()
  return lstat(path, &status) == 0
}

/// The unfinished files of this process: what a program removes when it is interrupted.
///
/// Every writer registers its temporary files here until they bear their final names. A handler for
/// SIGINT calls ``removeAll()`` from an ordinary thread (a dispatch source, say; it takes a lock, so
/// not from the signal handler itself) and then exits.
public final class TemporaryFiles: Sendable {
  /// The registry that writers use unless they are given another.
  public static let shared = TemporaryFiles()

  private struct State {
    /// The unfinished files, and what holds their locks; ``unlocked`` for those that are written.
    var locks: [String: Int32] = [:]
    /// Files in which recordings grow: they stay whatever happens.
    var recordings: Set<String> = []
    var counter = 0
    var isClosed = false
    /// Folders in which what killed processes left was removed.
    var sweptFolders: Set<String> = []
  }

  private let state = Mutex(State())
  /// In place of a descriptor.
  private static let unlocked: Int32 = -1

  public init() {}

  deinit {
    state.withLock { for descriptor in $0.locks.values { Self.release(descriptor) } }
  }

  private static func release(_ descriptor: Int32) {
    guard descriptor != unlocked else { return }
    focal_unlock_file(descriptor)
    close(descriptor)
  }

  /// How many unfinished files there are.
  public var count: Int { state.withLock { $0.locks.count } }

  /// Removes every unfinished file. From then on no file can be begun or finished with this registry;
  /// writers get the error `cancelled`.
  public func removeAll() {
    state.withLock { state in
      for (path, descriptor) in state.locks {
        unlink(path)
        Self.release(descriptor)
      }
      state.locks = [:]
      state.isClosed = true
    }
  }

  /// Creates an empty hidden file in the folder of `path`, so that it can later be renamed to it.
  func create(for path: String) throws(CinematicError) -> String {
    try state.withLock { state throws(CinematicError) -> String in
      guard !state.isClosed else { throw Self.cancelled(path) }
      let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
      if state.sweptFolders.insert(folder).inserted { Self.removeLeftovers(in: folder) }
      while true {
        state.counter += 1
        let name = "\(folder)\(Origin.own.prefix)\(getpid())-\(state.counter).tmp"
        let descriptor = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        if descriptor >= 0 {
          guard Self.hold(descriptor) else {
            unlink(name)
            close(descriptor)
            continue
          }
          state.locks[name] = descriptor
          return name
        }
        let number = errno
        // Left by an earlier process of the same number, or by another registry.
        if number == EEXIST { continue }
        throw OutputFile.failure(path, number)
      }
    }
  }

  /// Locks a file that was just made. Another program that removes leftovers may have come between: it holds the file,
  /// or has removed it.
  private static func hold(_ descriptor: Int32) -> Bool {
    var status = stat()
    return focal_lock_file(descriptor, true) != FOCAL_LOCK_TAKEN
      && fstat(descriptor, &status) == 0 && status.st_nlink > 0
  }

  /// Creates the file in which a recording grows, under a name that everybody sees: a movie that plays up to its
  /// last fragment. Nothing but its recorder removes it, neither ``removeAll()`` nor another program.
  ///
  /// - Throws: `unwritable` where another recording of the name is under way, or was interrupted.
  func createRecording(for path: String) throws(CinematicError) -> String {
    try state.withLock { state throws(CinematicError) -> String in
      guard !state.isClosed else { throw Self.cancelled(path) }
      let name = InterruptedRecording.path(for: path)
      let descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
      guard descriptor >= 0 else {
        guard errno == EEXIST else { throw OutputFile.failure(path, errno) }
        throw CinematicError(
          .unwritable, "\(name) is there: a recording that goes on, or was interrupted",
          remedy: "finish it with \(parameter: .recovery) \(name), or choose another name")
      }
      close(descriptor)
      state.recordings.insert(name)
      return name
    }
  }

  /// Forgets a recording, whose file stays.
  func leave(_ recording: String) {
    state.withLock { _ = $0.recordings.remove(recording) }
  }

  /// Lets go of the lock of a file that is written and waits for others: a process has a few hundred descriptors. Its
  /// process is known by the file's name.
  fileprivate func unlock(_ temporary: String) {
    state.withLock { state in
      guard let descriptor = state.locks[temporary] else { return }
      Self.release(descriptor)
      state.locks[temporary] = Self.unlocked
    }
  }

  /// Gives temporary files their final names, none where one is taken. ``removeAll()`` comes before or after. If a name cannot
  /// be given all the same, files that have replaced others keep theirs, and the rest lose them.
  fileprivate func publish(_ files: [OutputFile]) throws(CinematicError) {
    try state.withLock { state throws(CinematicError) in
      for file in files {
        guard
          state.recordings.contains(file.temporaryPath)
            || !state.isClosed && state.locks[file.temporaryPath] != nil
        else {
          throw Self.cancelled(file.path)
        }
        guard file.overwrite || !fileExists(file.path) else {
          throw OutputFile.failure(file.path, EEXIST)
        }
      }
      var added: [String] = []
      for file in files {
        var number = Self.renameNew(file.temporaryPath, file.path)
        if number == 0 {
          added.append(file.path)
        } else if number == EEXIST, file.overwrite {
          number = Self.replace(file.temporaryPath, file.path)
        }
        guard number == 0 else {
          for path in added { unlink(path) }
          throw OutputFile.failure(file.path, number)
        }
        if let descriptor = state.locks.removeValue(forKey: file.temporaryPath) {
          Self.release(descriptor)
        }
        state.recordings.remove(file.temporaryPath)
      }
    }
  }

  /// Removes a temporary file that will not be finished.
  func discard(_ temporary: String) {
    state.withLock { state in
      if let descriptor = state.locks.removeValue(forKey: temporary) {
        unlink(temporary)
        Self.release(descriptor)
      } else if state.recordings.remove(temporary) != nil {
        unlink(temporary)
      }
    }
  }

  private static func replace(_ temporary: String, _ path: String) -> Int32 {
    rename(temporary, path) == 0 ? 0 : errno
  }

  /// Renames only where nothing bears the name yet, even if it appeared a moment ago: a hard link
  /// fails where the name is taken. File systems without hard links get a look and a rename.
  ///
  /// - Returns: the number of the error, or 0.
  package static func renameNew(_ temporary: String, _ path: String) -> Int32 {
    if link(temporary, path) == 0 {
      unlink(temporary)
      return 0
    }
    let number = errno
    guard [EPERM, ENOTSUP, ENOSYS, EOPNOTSUPP, EMLINK].contains(number) else { return number }
    return fileExists(path) ? EEXIST : replace(temporary, path)
  }

  /// The error of an output that was given up.
  static func cancelled(_ path: String) -> CinematicError {
    CinematicError(.cancelled, "writing \(path) was cancelled")
  }
}

/// A file that appears under its name only when it is whole. Removes itself otherwise.
final class OutputFile: Sendable {
  let path: String
  /// Where to write until ``publish()``.
  let temporaryPath: String
  fileprivate let overwrite: Bool
  private let registry: TemporaryFiles
  private let isRecording: Bool
  private let isFinished = Atomic(false)

  /// - Parameter isRecording: whether what is there of it stays if it cannot be finished.
  /// - Throws: `unwritable` where the name is taken or the folder cannot be written, at once and not
  ///   after an hour of rendering.
  init(
    path: String, overwrite: Bool, registry: TemporaryFiles, isRecording: Bool = false
  ) throws(CinematicError) {
    try Self.check(path, overwrite: overwrite)
    self.path = path
    self.overwrite = overwrite
    self.registry = registry
    self.isRecording = isRecording
    temporaryPath =
      isRecording ? try registry.createRecording(for: path) : try registry.create(for: path)
  }

  deinit {
    guard isRecording, !isFinished.load(ordering: .acquiring) else { return discard() }
    registry.leave(temporaryPath)
  }

  /// Ends the writing of a file that gets its name together with others.
  ///
  /// - Throws: `unwritable` for a disk that failed.
  func settle() throws(CinematicError) {
    try waitForDisk(temporaryPath)
    registry.unlock(temporaryPath)
  }

  /// Gives the file its name. The bytes are on the disk before, and the name after: what was said to be written
  /// survives a power cut.
  ///
  /// - Throws: `unwritable` for a name that was taken or a disk that failed, `cancelled`.
  func publish() throws(CinematicError) { try Self.publish([self]) }

  /// Gives files of one registry their names, one right after the other, none where one of them was taken.
  ///
  /// - Throws: as ``publish()``.
  static func publish(_ files: [OutputFile]) throws(CinematicError) {
    for file in files {
      precondition(!file.isFinished.load(ordering: .acquiring), "a file is published once")
      try file.waitForDisk(file.temporaryPath)
    }
    guard let first = files.first else { return }
    precondition(
      files.allSatisfy { $0.registry === first.registry },
      "files that get their names together are of one registry")
    try first.registry.publish(files)
    for file in files { file.isFinished.store(true, ordering: .releasing) }
    var folders: Set<String> = []
    for file in files where folders.insert(file.folder).inserted {
      try file.waitForDisk(file.folder)
    }
  }

  private var folder: String { PathName.folder(of: path) }

  /// Waits until a file's bytes, or a folder's names, are on the disk. Some file systems report a full disk only here;
  /// some cannot be waited for.
  private func waitForDisk(_ name: String) throws(CinematicError) {
    let descriptor = open(name, O_RDONLY | O_CLOEXEC)
    // Of a file that was removed the registry knows why, and a folder may be written that cannot be read.
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    guard fsync(descriptor) != 0 else { return }
    let number = errno
    guard ![EINVAL, ENOTSUP, EROFS, EBADF, EACCES].contains(number) else { return }
    throw Self.failure(path, number)
  }

  func discard() {
    guard !isFinished.exchange(true, ordering: .acquiringAndReleasing) else { return }
    registry.discard(temporaryPath)
  }

  /// Whether the name is free to be written.
  static func check(_ path: String, overwrite: Bool) throws(CinematicError) {
    var status = stat()
    guard !path.isEmpty, path.last != "/" else {
      throw CinematicError(.unwritable, "“\(path)” is not a file name", remedy: "name a file")
    }
    try checkNameLength(path)
    guard lstat(path, &status) == 0 else { return }
    if stat(path, &status) == 0, let special = special(status.st_mode & S_IFMT) {
      throw CinematicError(
        .unwritable, "cannot write \(path): it is \(special.name)", remedy: special.remedy)
    }
    guard overwrite else { throw failure(path, EEXIST) }
  }

  /// The kind of a file that is not regular, and a remedy. A new file would take its place.
  private static func special(_ kind: mode_t) -> (name: String, remedy: String)? {
    let file = "name a file, or an output that can be streamed"
    return switch kind {
    case S_IFREG: nil
    case S_IFDIR: ("a folder", "name a file in it")
    case S_IFIFO: ("a named pipe, and this is written as a whole", file)
    case S_IFSOCK: ("a socket", "name a file")
    case S_IFCHR: ("a device, and this is written as a whole", file)
    default: ("a device", "name a file")
    }
  }

  /// The error of an output that the system does not find. Folders of the system's, such as `/proc`, take no files.
  private static func missing(_ path: String) -> CinematicError {
    let folder = PathName.folder(of: path)
    var status = stat()
    guard stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      return CinematicError(
        .unwritable, "cannot write \(path): its folder does not exist",
        remedy: "make the folder first")
    }
    return CinematicError(
      .unwritable, "cannot write \(path): \(folder) takes no new files",
      remedy: "choose another folder")
  }

  /// The error of a failed system call on an output.
  static func failure(_ path: String, _ number: Int32) -> CinematicError {
    switch number {
    case EEXIST:
      CinematicError(
        .unwritable, "\(path) exists already",
        remedy: "choose another name, or overwrite with \(parameter: .overwrite)")
    case ENOSPC, EDQUOT:
      CinematicError(
        .unwritable, "cannot write \(path): \(systemErrorText(number))",
        remedy: "free some space, or choose another disk")
    case EFBIG:
      CinematicError(
        .unwritable, "cannot write \(path): \(systemErrorText(number))",
        remedy: "choose a disk and a limit that allow larger files")
    case ENAMETOOLONG:
      CinematicError(
        .unwritable, "cannot write \(path): \(systemErrorText(number))",
        remedy: "choose a shorter name")
    case ENOENT, ENOTDIR: missing(path)
    case ELOOP:
      CinematicError(
        .unwritable, "cannot write \(path): \(systemErrorText(number))",
        remedy: "choose another folder")
    case EACCES, EPERM, EROFS:
      CinematicError(
        .unwritable, "cannot write \(path): \(systemErrorText(number))",
        remedy: "choose a folder that you may write to")
    default:
      CinematicError(.unwritable, "cannot write \(path): \(systemErrorText(number))")
    }
  }
}

/// Whether a name is free to be written, for commands that work long before they write.
///
/// - Throws: `unwritable` for a name that is taken, or a folder.
package func checkOutputName(_ path: String, overwrite: Bool) throws(CinematicError) {
  try OutputFile.check(path, overwrite: overwrite)
}

/// Whether a name, or a pattern of numbered ones, is as short as names have to be.
///
/// - Throws: `unwritable`.
package func checkNameLength(_ path: String) throws(CinematicError) {
  var status = stat()
  guard lstat(path, &status) != 0, errno == ENAMETOOLONG else { return }
  throw OutputFile.failure(path, ENAMETOOLONG)
}

func removeFile(_ path: String) { unlink(path) }
