// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

@Suite struct OutputTests {
  func settings(
    _ folder: ScratchFolder, _ format: PixelFormat = .rgba8, overwrite: Bool = false
  ) -> WriterSettings {
    var settings = WriterSettings(
      dimensions: Dimensions(width: 32, height: 32), pixelFormat: format, tags: .sRGB)
    settings.overwrite = overwrite
    settings.temporaryFiles = folder.temporaryFiles
    settings.encoderPreset = "ultrafast"
    return settings
  }

  func append(_ writer: FrameWriter, _ index: Int, seed: UInt64 = 1) throws {
    try writer.append(
      Scene.noise(32, 32, .rgba8, seed: seed), time: Time(value: Int64(index), timescale: 30),
      duration: Time(value: 1, timescale: 30))
  }

  /// A named pipe and a device are no files that could be replaced: what is written as a whole is refused, what
  /// goes out byte by byte is written into them.
  @Test func namesOfNoFiles() throws {
    let folder = ScratchFolder()
    let pipe = folder.file("pipe.mp4")
    #expect(mkfifo(pipe, 0o600) == 0)
    for path in [pipe, "/dev/null"] {
      let error = #expect(throws: CinematicError.self) {
        _ = try MovieWriter(path, settings: settings(folder, .yuv420Video8, overwrite: true))
      }
      #expect(error?.code == .unwritable || error?.code == .invalidParameter)
      #expect(error?.remedy?.contains("overwrite") == false)
      #expect(error?.message.contains(path) == true)
    }
    var status = stat()
    #expect(lstat(pipe, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
    #expect(folder.names == ["pipe.mp4"])
    let data = try DataWriter(
      path: "/dev/null", overwrite: false, temporaryFiles: folder.temporaryFiles)
    try data.write([1, 2, 3])
    try data.finish()
    #expect(stat("/dev/null", &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
  }

  /// Before any work, and not with the first picture.
  @Test(arguments: [WriterSettings.Codec.h264, .vp9]) func largestPicturesOfEncoders(
    _ codec: WriterSettings.Codec
  ) throws {
    let folder = ScratchFolder()
    var settings = settings(folder, .yuv420Video8)
    settings.dimensions = Dimensions(width: 16386, height: 64)
    settings.codec = codec
    let error = #expect(throws: CinematicError.self) {
      _ = try MovieWriter(folder.file("a.mp4"), settings: settings)
    }
    #expect(error?.code == .unsupported)
    #expect(error?.message.contains("at most") == true, "\(error as Any)")
    #expect(folder.names.isEmpty)
  }

  /// Before any work, and not when it is done.
  @Test(arguments: ["", "%04d"]) func namesThatAreTooLong(_ number: String) {
    let folder = ScratchFolder()
    let path = folder.file(String(repeating: "a", count: 300) + number + ".png")
    let error = #expect(throws: CinematicError.self) { try checkNameLength(path) }
    #expect(error?.code == .unwritable && error?.remedy?.contains("shorter") == true)
    #expect(throws: CinematicError.self) { try checkOutputName(path, overwrite: false) }
    #expect(throws: Never.self) { try checkNameLength(folder.file("a\(number).png")) }
  }

  @Test func dataIsWholeOrNotThere() throws {
    let folder = ScratchFolder()
    let path = folder.file("a.json")
    func writer(overwrite: Bool = false) throws -> DataWriter {
      try DataWriter(path: path, overwrite: overwrite, temporaryFiles: folder.temporaryFiles)
    }
    let first = try writer()
    try first.write([UInt8](repeating: 7, count: 100_000))
    #expect(!folder.names.contains("a.json"))
    try first.write([1, 2, 3])
    try first.finish()
    #expect(folder.names == ["a.json"])
    #expect(throws: CinematicError.self) { try first.finish() }
    #expect(throws: CinematicError.self) { try first.write([4]) }
    #expect(throws: CinematicError.self) { try writer() }
    let second = try writer(overwrite: true)
    try second.write([])
    second.cancel()
    #expect(folder.names == ["a.json"])
    let third = try writer(overwrite: true)
    try third.write([9])
    try third.finish()
    let fourth = try writer(overwrite: true)
    try fourth.append([5])
    try fourth.write([9])
    try fourth.append([8])
    try fourth.append([7])
    try fourth.finish()
    #expect(throws: CinematicError.self) { try fourth.append([6]) }
    let file = try #require(fopen(path, "r"))
    for byte in [9, 8, 7] as [Int32] { #expect(fgetc(file) == byte) }
    #expect(fgetc(file) == EOF)
    fclose(file)
    #expect(throws: CinematicError.self) {
      try DataWriter(path: folder.file("no/a.json"), temporaryFiles: folder.temporaryFiles)
    }
  }

  @Test(arguments: ["a.png", "a.mp4"])
  func nothingIsLeftWithoutFinish(_ name: String) throws {
    let folder = ScratchFolder()
    do {
      let writer = try FrameWriter.create(folder.file(name), settings: settings(folder))
      try append(writer, 0)
      #expect(folder.names.allSatisfy { $0.hasPrefix(".focal-") })
    }
    #expect(folder.names == [])
    let writer = try FrameWriter.create(folder.file(name), settings: settings(folder))
    try append(writer, 0)
    writer.cancel()
    #expect(folder.names == [])
    #expect(folder.temporaryFiles.count == 0)
    #expect(throws: CinematicError.self) { try writer.finish() }
  }

  @Test(arguments: ["a.png", "a.mov"])
  func existingFilesAreSafe(_ existing: String) throws {
    let folder = ScratchFolder()
    folder.write("precious", to: existing)
    let error = failure { () throws(CinematicError) in
      _ = try FrameWriter.create(folder.file(existing), settings: settings(folder))
    }
    #expect(error?.code == .unwritable)
    #expect(error?.message.contains("\(existing) exists already") == true)
    #expect(folder.read(existing) == Array("precious".utf8))
    let writer = try FrameWriter.create(
      folder.file(existing), settings: settings(folder, overwrite: true))
    try append(writer, 0)
    #expect(folder.read(existing) == Array("precious".utf8))
    try writer.finish()
    #expect(folder.read(existing) != Array("precious".utf8))
    #expect(folder.names == [existing])
  }

  /// A file that appears while the output is made is not overwritten either.
  @Test(arguments: ["a.png", "a.mov"])
  func lateComersAreSafe(_ existing: String) throws {
    let folder = ScratchFolder()
    let writer = try FrameWriter.create(folder.file(existing), settings: settings(folder))
    try append(writer, 0)
    folder.write("precious", to: existing)
    let error = failure { () throws(CinematicError) in try writer.finish() }
    #expect(error?.code == .unwritable)
    #expect(folder.read(existing) == Array("precious".utf8))
    #expect(folder.names == [existing])
  }

  /// Numbered pictures that are whole stay, whatever happens to a later one.
  @Test func numberedPicturesStay() throws {
    let folder = ScratchFolder()
    folder.write("precious", to: "02.png")
    let writer = try FrameWriter.create(folder.file("%02d.png"), settings: settings(folder))
    for number in 0..<2 { try append(writer, number) }
    let third = try Scene.noise(32, 32, .rgba8)
    let error = failure { () throws(CinematicError) in
      try writer.append(third, time: .zero, duration: .zero)
    }
    #expect(error?.code == .unwritable)
    #expect(error?.message.contains("02.png exists already") == true)
    #expect(folder.read("02.png") == Array("precious".utf8))
    writer.cancel()
    #expect(throws: CinematicError.self) { try writer.finish() }
    #expect(folder.names == ["00.png", "01.png", "02.png"])
    #expect(folder.temporaryFiles.count == 0)
  }

  /// Those that get their names together have none before the end; an interruption, or one name that is taken, leaves none.
  @Test func numberedPicturesTogether() throws {
    let folder = ScratchFolder()
    func writer() throws -> FrameWriter {
      var settings = self.settings(folder)
      settings.publishesTogether = true
      return try FrameWriter.create(folder.file("%02d.png"), settings: settings)
    }
    let cancelled = try writer()
    for number in 0..<3 { try append(cancelled, number) }
    #expect(folder.temporaryFiles.count == 3)
    #expect(!folder.names.contains("00.png"))
    cancelled.cancel()
    #expect(folder.names.isEmpty && folder.temporaryFiles.count == 0)

    let late = try writer()
    for number in 0..<3 { try append(late, number) }
    folder.write("precious", to: "02.png")
    #expect(failure { () throws(CinematicError) in try late.finish() }?.code == .unwritable)
    #expect(folder.names == ["02.png"] && folder.temporaryFiles.count == 0)
    #expect(folder.read("02.png") == Array("precious".utf8))

    var settings = self.settings(folder, overwrite: true)
    settings.publishesTogether = true
    let replacing = try FrameWriter.create(folder.file("%02d.png"), settings: settings)
    for number in 0..<3 { try append(replacing, number) }
    #expect(folder.read("02.png") == Array("precious".utf8))
    try replacing.finish()
    #expect(folder.names == ["00.png", "01.png", "02.png"])
    #expect(folder.read("02.png") != Array("precious".utf8))
    #expect(folder.temporaryFiles.count == 0)

    let interrupted = try writer()
    let other = try Scene.noise(32, 32, .rgba8)
    try interrupted.append(other, time: .zero, duration: .zero, fileNumber: 7)
    folder.temporaryFiles.removeAll()
    #expect(failure { () throws(CinematicError) in try interrupted.finish() }?.code == .cancelled)
    #expect(folder.names == ["00.png", "01.png", "02.png"])
  }

  /// Those that wait get their names when the caller says so, and the others as soon as they are whole.
  @Test func numberedPicturesThatWaitedGetTheirNames() throws {
    let folder = ScratchFolder()
    folder.write("old", to: "00.png")
    var settings = self.settings(folder, overwrite: true)
    settings.publishesTogether = true
    let writer = try FrameWriter.create(folder.file("%02d.png"), settings: settings)
    for number in 0..<2 { try append(writer, number) }
    #expect(folder.read("00.png") == Array("old".utf8))
    try writer.publishWaiting()
    #expect(folder.names == ["00.png", "01.png"])
    #expect(folder.read("00.png") != Array("old".utf8))
    try append(writer, 2)
    try writer.publishWaiting()
    #expect(folder.names == ["00.png", "01.png", "02.png"])
    writer.cancel()
    #expect(folder.names == ["00.png", "01.png", "02.png"] && folder.temporaryFiles.count == 0)
  }

  /// A movie and pictures in another folder get their names in one step, or none of them does.
  @Test func severalOutputsTogether() throws {
    let folder = ScratchFolder()
    #expect(mkdir(folder.file("maps"), 0o700) == 0)
    func writers() throws -> [FrameWriter] {
      try ["a.mp4", "b.png", "maps/%02d.png"].map { name in
        var settings = self.settings(folder)
        settings.publishesTogether = true
        return try FrameWriter.create(folder.file(name), settings: settings)
      }
    }
    let late = try writers()
    for writer in late { try append(writer, 0) }
    folder.write("precious", to: "maps/00.png")
    #expect(
      failure { () throws(CinematicError) in try FrameWriter.finish(late) }?.code == .unwritable)
    #expect(folder.names == ["maps"] && folder.temporaryFiles.count == 0)
    #expect(folder.read("maps/00.png") == Array("precious".utf8))
    unlink(folder.file("maps/00.png"))

    // A folder's name is seen only when it is to be replaced: those that have got theirs before lose them.
    let blocked = try ["a.png", "b.png"].map { name in
      try FrameWriter.create(folder.file(name), settings: self.settings(folder, overwrite: true))
    }
    for writer in blocked { try append(writer, 0) }
    #expect(mkdir(folder.file("b.png"), 0o700) == 0)
    #expect(
      failure { () throws(CinematicError) in try FrameWriter.finish(blocked) }?.code == .unwritable)
    #expect(folder.names == ["b.png", "maps"] && folder.temporaryFiles.count == 0)
    rmdir(folder.file("b.png"))

    // The last one has no picture.
    let short = try writers()
    for writer in short.dropLast() { try append(writer, 0) }
    #expect(
      failure { () throws(CinematicError) in try FrameWriter.finish(short) }?.code == .incomplete)
    #expect(folder.names == ["maps"] && folder.temporaryFiles.count == 0)

    let whole = try writers()
    for writer in whole { try append(writer, 0) }
    #expect(folder.temporaryFiles.count == 3)
    try FrameWriter.finish(whole)
    #expect(folder.names == ["a.mp4", "b.png", "maps"] && folder.temporaryFiles.count == 0)
    #expect(!folder.read("maps/00.png").isEmpty && !folder.read("a.mp4").isEmpty)
    for writer in whole { writer.cancel() }
    #expect(folder.names == ["a.mp4", "b.png", "maps"])
  }

  /// So does a file of other bytes beside them.
  @Test func outputsTogetherWithAText() throws {
    let folder = ScratchFolder()
    func writers() throws -> (FrameWriter, DataWriter) {
      let picture = try FrameWriter.create(folder.file("a.png"), settings: settings(folder))
      let text = try DataWriter(
        path: folder.file("a.json"), temporaryFiles: folder.temporaryFiles)
      try append(picture, 0)
      try text.write(Array("{}".utf8))
      return (picture, text)
    }
    let late = try writers()
    folder.write("precious", to: "a.json")
    let error = failure { () throws(CinematicError) in
      try FrameWriter.finish([late.0], with: [late.1])
    }
    #expect(error?.code == .unwritable)
    #expect(folder.names == ["a.json"] && folder.temporaryFiles.count == 0)
    #expect(folder.read("a.json") == Array("precious".utf8))
    unlink(folder.file("a.json"))
    let whole = try writers()
    try FrameWriter.finish([whole.0], with: [whole.1])
    #expect(folder.names == ["a.json", "a.png"] && folder.temporaryFiles.count == 0)
    #expect(folder.read("a.json") == Array("{}".utf8))
  }

  /// Those that wait keep no file open: a process has a few hundred.
  @Test func manyNumberedPicturesTogether() throws {
    let folder = ScratchFolder()
    var settings = self.settings(folder)
    settings.publishesTogether = true
    let writer = try FrameWriter.create(folder.file("%04d.png"), settings: settings)
    func openFiles() -> Int { (0..<4096).count { fcntl($0, F_GETFD) != -1 } }
    let before = openFiles()
    for number in 0..<200 { try append(writer, number) }
    // Other tests open and close files meanwhile.
    #expect(openFiles() < before + 100)
    try writer.finish()
    #expect(folder.names.count == 200)
  }

  @Test func interruption() throws {
    let folder = ScratchFolder()
    let movie = try FrameWriter.create(folder.file("a.mp4"), settings: settings(folder))
    let still = try FrameWriter.create(folder.file("a.png"), settings: settings(folder))
    try append(movie, 0)
    try append(still, 0)
    #expect(folder.temporaryFiles.count == 2)
    folder.temporaryFiles.removeAll()
    #expect(folder.names == [])
    for writer in [movie, still] {
      let error = failure { () throws(CinematicError) in try writer.finish() }
      #expect(error?.code == .cancelled || error?.code == .unwritable)
    }
    #expect(folder.names == [])
  }

  @Test(arguments: ["a.png", "a.mp4", "%02d.exr"])
  func foldersThatAreNotThere(_ name: String) throws {
    let folder = ScratchFolder()
    for path in [folder.file("none/\(name)"), "/proc/\(name)"] {
      let error = failure { () throws(CinematicError) in
        _ = try FrameWriter.create(path, settings: settings(folder))
      }
      #expect(error?.code == .unwritable)
      #expect(error?.message.contains(path.hasPrefix("/proc") ? "/proc/" : "none/") == true)
    }
    #expect(folder.names == [])
  }

  @Test func numberedPictures() async throws {
    let folder = ScratchFolder()
    let writer = try FrameWriter.create(folder.file("f%02d.png"), settings: settings(folder))
    let names = ["f08.png", "f09.png", "f10.png", "f11.png"]
    for index in 0..<4 {
      try writer.append(
        Scene.noise(32, 32, .rgba8, seed: UInt64(index)), time: .zero, duration: .zero,
        fileNumber: index == 0 ? 8 : nil)
      // Each is there when it is whole.
      #expect(folder.names == Array(names[...index]))
    }
    try writer.finish()
    #expect(folder.names == names)
    // Other names do not belong to the pattern.
    folder.write("x", to: "f8.png")
    folder.write("x", to: "fab.png")
    let options = ReadOptions(stillDuration: Time(value: 1001, timescale: 24000))
    let reader = try await FrameReader.open(folder.file("f%02d.png"), options: options)
    #expect(reader.properties.kind == .numbered)
    #expect(reader.properties.frameCount == 4)
    #expect(reader.properties.timescale == 24000)
    for index in 0..<4 {
      let frame = try #require(try await reader.next())
      #expect(frame.time == Time(value: 1001 * Int64(index), timescale: 24000))
      #expect(
        try frame.pixelBuffer.packedBytes()
          == Scene.noise(32, 32, .rgba8, seed: UInt64(index)).packedBytes())
    }
    #expect(try await reader.next() == nil)
    let some = try await frames(folder.file("f%02d.png"), ReadOptions(frames: 10...99))
    #expect(some.map(\.index) == [2, 3])
    #expect(
      await BadInputTests.reading(folder.file("f%02d.png"), ReadOptions(frames: 4...7))?.code
        == .invalidParameter)
    // Missing files are named, unless it is to be held or skipped.
    try writeNumber(14, folder)
    let error = await BadInputTests.reading(folder.file("f%02d.png"))
    #expect(error?.code == .incomplete)
    #expect(error?.message.contains("f12.png to") == true)
    for missing in [MissingFiles.hold, .skip] {
      var options = ReadOptions()
      options.missing = missing
      let all = try await frames(folder.file("f%02d.png"), options)
      #expect(all.count == (missing == .hold ? 7 : 5))
      #expect(all.last?.time == Time(value: 6, timescale: 30))
      #expect(all.map(\.duration).reduce(.zero, +) == Time(value: 7, timescale: 30))
      #expect(
        all[all.count - 2].pixelBuffer.packedBytes() == all[3].pixelBuffer.packedBytes())
    }
    folder.write("x", to: "f99999999.png")
    #expect(await BadInputTests.reading(folder.file("f%02d.png"))?.code == .unsupported)
  }

  private func writeNumber(_ number: Int, _ folder: ScratchFolder) throws {
    try PictureWriter.write(
      Scene.noise(32, 32, .rgba8), to: folder.file("f\(number).png"),
      temporaryFiles: folder.temporaryFiles)
  }

  /// A small file system of its own; making one needs rights that not every machine gives.
  static let canMount: Bool = {
    let folder = ScratchFolder()
    guard mount("tmpfs", folder.path, "tmpfs", 0, "size=64k") == 0 else { return false }
    umount(folder.path)
    return true
  }()

  @Test(
    .enabled(if: canMount, "a full disk needs the right to mount a small file system"),
    arguments: ["a.png", "a.mp4", "a.mov", "%02d.exr"])
  func fullDisk(_ name: String) throws {
    let folder = ScratchFolder()
    try #require(mount("tmpfs", folder.path, "tmpfs", 0, "size=64k") == 0)
    defer { umount(folder.path) }
    let isFloat = name.hasSuffix("exr")
    var settings = settings(folder, isFloat ? .rgbaFloat : .rgba8)
    settings.dimensions = Dimensions(width: 256, height: 256)
    settings.constantRateFactor = 0
    let writer = try FrameWriter.create(folder.file(name), settings: settings)
    let picture = try Scene.noise(
      256, 256, isFloat ? .rgbaFloat : .rgba8, tags: isFloat ? .linearBT709 : .sRGB)
    let error = failure { () throws(CinematicError) in
      for index in 0..<(name == "a.png" ? 1 : 8) {
        try writer.append(
          picture, time: Time(value: Int64(index), timescale: 30),
          duration: Time(value: 1, timescale: 30))
      }
      try writer.finish()
    }
    #expect(error?.code == .unwritable)
    #expect(error?.message.contains("No space left on device") == true, "\(error as Any)")
    writer.cancel()
    #expect(folder.names == [])
  }
}
