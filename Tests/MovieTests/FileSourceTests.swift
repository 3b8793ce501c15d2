// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import FocalMedia
import MovieKit
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

@Suite struct FileSourceTests {
  @Test func aFileIsReadWhereItIsAsked() async throws {
    let folder = TemporaryFolder.make()
    let path = folder + "/a.mov"
    defer {
      unlink(path)
      rmdir(folder)
    }
    let bytes = PhoneMovie.layout().bytes()
    let file = try #require(fopen(path, "wb"))
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
    let source = FileByteSource(path: path)
    #expect(try await source.byteCount() == Int64(bytes.count))
    #expect(try await source.read(5..<50) == Array(bytes[5..<50]))
    #expect(
      try await source.read(Int64(bytes.count - 3)..<Int64(bytes.count + 9)) == bytes.suffix(3))
    #expect(try await source.read(Int64(bytes.count)..<Int64(bytes.count + 9)).isEmpty)
    #expect(try await Asset(path: path).load(.tracks).count == 4)
    let error = await failure { () async throws(CinematicError) in
      _ = try await FileByteSource(path: folder).byteCount()
    }
    #expect(error?.message.contains("folder") == true)
  }

  /// Bytes of two versions make no movie; a recording that goes on only grows.
  @Test func aFileThatIsOverwrittenIsNoticed() async throws {
    let folder = TemporaryFolder.make()
    let path = folder + "/a.bin"
    defer {
      unlink(path)
      rmdir(folder)
    }
    func write(_ bytes: [UInt8], _ mode: String) throws {
      let file = try #require(fopen(path, mode))
      fwrite(bytes, 1, bytes.count, file)
      fclose(file)
      // The system's clock of files has coarse steps: another second is surely another time.
      var status = stat()
      stat(path, &status)
      let moment = timespec(tv_sec: time(nil) + Int(status.st_size), tv_nsec: 0)
      utimensat(AT_FDCWD, path, [moment, moment], 0)
    }
    func problem(_ source: FileByteSource) async -> CinematicError? {
      await failure { () async throws(CinematicError) in _ = try await source.read(0..<10) }
    }
    try write([UInt8](repeating: 1, count: 100), "wb")
    let source = FileByteSource(path: path)
    #expect(await problem(source) == nil)
    try write([UInt8](repeating: 1, count: 50), "ab")
    #expect(await problem(source) == nil)
    let second = FileByteSource(path: path)
    #expect(await problem(second) == nil)
    let other = timespec(tv_sec: 5, tv_nsec: 0)
    utimensat(AT_FDCWD, path, [other, other], 0)
    let found = await problem(second)
    #expect(found?.message.contains("was changed") == true)
    truncate(path, 20)
    #expect(await problem(source)?.code == .unreadable)
  }
}
