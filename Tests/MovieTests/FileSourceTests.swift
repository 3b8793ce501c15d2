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
}
