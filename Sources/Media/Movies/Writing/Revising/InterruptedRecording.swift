// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The file of a recorder that ended before its movie did (``MovieWriter/Settings/isRecording``).
///
/// The file plays as it is, up to its last whole fragment. Finished, it is an ordinary movie with one index.
public enum InterruptedRecording {
  /// Where a movie grows while it is recorded: `clip.recording.mov` for `clip.mov`.
  public static func path(for path: String) -> String {
    let folder = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    guard let dot = path[folder...].lastIndex(of: ".") else { return path + ".recording" }
    return String(path[..<dot]) + ".recording" + String(path[dot...])
  }

  /// The name of the movie that a recording would have become; `nil` for a file of another name.
  public static func finalPath(of recording: String) -> String? {
    let folder: String.Index =
      recording.lastIndex(of: "/").map { recording.index(after: $0) } ?? recording.startIndex
    let name = recording[folder...]
    guard let dot = name.lastIndex(of: ".") else { return nil }
    let stem = name[..<dot]
    guard stem.hasSuffix(".recording"), stem.count > ".recording".count else { return nil }
    return String(recording[..<folder]) + String(stem.dropLast(".recording".count))
      + String(name[dot...])
  }

  /// Whether a program is writing the file.
  public static func isInProgress(_ recording: String) -> Bool {
    let descriptor = open(recording, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { letGo(descriptor) }
    return !lock(descriptor) && errno == EWOULDBLOCK
  }

  /// Locks a recording for this descriptor alone. A program that is just being started holds all descriptors of the one
  /// that starts it, until it is itself: a lock that is let go within half a second is no recording.
  private static func lock(_ descriptor: Int32) -> Bool {
    for attempt in 0..<50 {
      if attempt > 0 { usleep(10_000) }
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
      guard errno == EWOULDBLOCK else { return false }
    }
    return false
  }

  /// Closes a recording. Its lock goes at once, whatever program is just being started.
  fileprivate static func letGo(_ descriptor: Int32) {
    _ = flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  /// Finishes a recording in place, and gives it its name, or one beside it (`clip-recovered.mov`) if that is taken.
  /// A movie that is finished already gets its name alone.
  ///
  /// - Returns: the movie; `nil` for a recording that ended before its first second was written, which is removed.
  /// - Throws: `invalidParameter` for a file of another name, `invalidState` for one that is being written,
  ///   `unreadable`, `malformed` for one that is no such movie, `unwritable`.
  public static func recover(_ recording: String) throws(CinematicError) -> String? {
    guard let whole = try finish(recording) else { return nil }
    return try whole.publish()
  }

  /// Finishes a recording in place, under the name of one: what it still lacks can be added before it is published.
  ///
  /// - Returns: `nil` for a recording that ended before its first second was written, which is removed.
  /// - Throws: as ``recover(_:)``.
  package static func finish(_ recording: String) throws(CinematicError) -> Whole? {
    guard let path = finalPath(of: recording) else {
      throw CinematicError(
        .invalidParameter, "\(recording) is not the name of an interrupted recording",
        remedy: "give a file such as clip.recording.mov")
    }
    let descriptor = open(recording, O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { throw .cannotRead(recording, errno) }
    let whole = Whole(recording, path, descriptor)
    guard lock(descriptor) else {
      throw CinematicError(
        .invalidState, "\(recording) is being recorded", remedy: "end that recording first")
    }
    switch try content(of: recording) {
    case .nothing:
      removeFile(recording)
      return nil
    case .whole: break
    case .fragments(let end):
      guard ftruncate(descriptor, off_t(end)) == 0 else {
        throw OutputFile.failure(recording, errno)
      }
      try writeIndex(recording, descriptor)
    }
    return whole
  }

  /// Lets go of a recording that its writer cannot go on with: what is cut short of it goes, and all of it where it holds
  /// nothing that ``finish(_:)`` would keep.
  ///
  /// - Returns: how many pictures are kept; `nil` for a file that is not there, or was removed.
  package static func settle(_ recording: String) -> Int? {
    guard fileExists(recording) else { return nil }
    do throws(CinematicError) {
      switch try content(of: recording) {
      case .nothing:
        removeFile(recording)
        return nil
      case .whole: break
      case .fragments(let end):
        // Where it cannot be cut, it is cut when it is finished.
        guard truncate(recording, off_t(end)) == 0 else { return 0 }
      }
    } catch {
      // Of one that is there, and is no movie, nothing can be made.
      guard error.code == .malformed else { return 0 }
      removeFile(recording)
      return nil
    }
    return (try? pictureCount(of: recording)) ?? 0
  }

  private static func pictureCount(of recording: String) throws(CinematicError) -> Int {
    let file = try SourceFile(path: recording)
    let boxes = try file.topLevelBoxes()
    let (stored, _) = try file.movieBox(boxes)
    // The pictures stand first.
    return try MovieReviser.defragmented(stored, file, boxes)["trak"]?.sampleCount ?? 0
  }

  /// A recording that is whole and has no name of its own yet. No other program finishes it meanwhile, unless something
  /// was put into it: another file then has its name, which is not locked.
  package final class Whole: Sendable {
    private let recording: String
    private let path: String
    private let descriptor: Int32

    fileprivate init(_ recording: String, _ path: String, _ descriptor: Int32) {
      (self.recording, self.path, self.descriptor) = (recording, path, descriptor)
    }

    deinit { InterruptedRecording.letGo(descriptor) }

    /// Gives the movie its name, or one beside it if that is taken.
    ///
    /// - Parameter leavesName: whether the name stays free for another movie.
    /// - Returns: the movie.
    /// - Throws: `unwritable`.
    package func publish(leavesName: Bool = false) throws(CinematicError) -> String {
      let dot = path.lastIndex(of: ".") ?? path.endIndex
      for number in (leavesName ? 1 : 0)..<1000 {
        let addition = number == 0 ? "" : number == 1 ? "-recovered" : "-recovered-\(number)"
        let name = String(path[..<dot]) + addition + String(path[dot...])
        let failure = TemporaryFiles.renameNew(recording, name)
        if failure == 0 { return name }
        guard failure == EEXIST else { throw OutputFile.failure(name, failure) }
      }
      throw OutputFile.failure(path, EEXIST)
    }
  }

  /// What a file holds that is named as a recording.
  private enum Content {
    /// Fragments behind the front of a growing movie; the last whole one ends there.
    case fragments(end: Int64)
    /// A movie that lacks nothing: its writer ended before it had its name, or it is another program's.
    case whole
    /// The front of a growing movie, or a beginning of it.
    case nothing
  }

  /// The boxes that a growing movie begins with.
  private static let front: [FourCC] = ["ftyp", "free", "moov"]

  /// Only what is certain to hold nothing is called that: it is removed.
  private static func content(of recording: String) throws(CinematicError) -> Content {
    var status = stat()
    guard stat(recording, &status) == 0 else { throw .cannotRead(recording, errno) }
    guard status.st_size > 0 else { return .nothing }
    let file = try SourceFile(path: recording)
    var (first, movies): ([BoxHeader], [BoxHeader]) = ([], [])
    var (end, offset): (Int64?, Int64) = (nil, 0)
    var hasHead = false
    var cut: FourCC?
    while file.byteCount - offset >= 8 {
      let head = file.read(at: offset, count: BoxHeader.maximumSize)
      let header = try? BoxHeader(head[...], offset: offset, limit: file.byteCount)
      guard let header, header.end <= file.byteCount else {
        cut = header?.type
        break
      }
      if header.type == "mdat", hasHead { end = header.end }
      hasHead = header.type == "moof"
      if first.count < front.count { first.append(header) }
      // The one in front, and the index that follows the fragments.
      if header.type == "moov", movies.count < 2 { movies.append(header) }
      offset = header.end
    }
    let noMovie = CinematicError(
      .malformed, "\(recording) is no movie", remedy: "remove it, or give another")
    guard !first.isEmpty, file.isBoxFile else { throw noMovie }
    let types = (first.map(\.type) + (cut.map { [$0] } ?? [])).prefix(front.count)
    var isGrowing = front.starts(with: types) && (first.count < 2 || first[1].size == 16)
    var isFinished = false
    for (number, header) in movies.enumerated() {
      let movie = try file.movieBox([header]).box
      guard movie["mvex"] == nil || movie.all("trak").contains(where: \.hasSamples) else {
        continue
      }
      isFinished = true
      if number == 0 { isGrowing = false }
    }
    if isGrowing, let end { return .fragments(end: end) }
    if isFinished || (end != nil && !movies.isEmpty) { return .whole }
    guard isGrowing else { throw noMovie }
    return .nothing
  }

  /// Writes the index behind the fragments, and makes them one box of data.
  private static func writeIndex(
    _ recording: String, _ descriptor: Int32
  ) throws(CinematicError) {
    let file = try SourceFile(path: recording)
    let boxes = try file.topLevelBoxes()
    guard let cover = boxes.first(where: { $0.type == "free" && $0.size == 16 }) else { return }
    let (stored, _) = try file.movieBox(boxes)
    let movie = try MovieReviser.defragmented(stored, file, boxes)
    var head = ByteWriter()
    head.u32(1)
    head.fourCC("mdat")
    head.i64(file.byteCount - cover.offset)
    for (bytes, place) in [(movie.bytes, file.byteCount), (head.bytes, cover.offset)] {
      let outcome = bytes.withUnsafeBytes {
        DescriptorOutput.writeAll($0, to: descriptor, at: place)
      }
      guard outcome.number == 0 else { throw OutputFile.failure(recording, outcome.number) }
      // The index is on the disk before anything refers to it.
      guard fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP else {
        throw OutputFile.failure(recording, errno)
      }
    }
  }
}

extension Box {
  /// Whether a track's tables list a sample.
  fileprivate var hasSamples: Bool { sampleCount > 0 }

  /// How many samples a track's tables list.
  fileprivate var sampleCount: Int {
    guard let table = at("mdia", "minf", "stbl"), let sizes = table["stsz"] ?? table["stz2"] else {
      return 0
    }
    // Behind version, flags and the size that all have.
    return sizes.data.dropFirst(8).prefix(4).reduce(0) { $0 << 8 | Int($1) }
  }
}
