// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FocalCore
import FocalRendering
import Foundation
import Synchronization
import Testing

@testable import FocalOpenCL

/// A folder for one test, gone after it.
final class TemporaryFolder: Sendable {
  let path: String

  init() {
    path = NSTemporaryDirectory() + "focal-opencl-\(UInt64.random(in: .min ... .max))"
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var files: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: path))?.sorted() ?? []
  }
}

@Suite struct ProgramCacheTests {
  private let folder = TemporaryFolder()
  private let key = Self.key("source", ["kernel", "driver 1"])

  private static func key(_ source: String, _ circumstances: [String]) -> ProgramCache.Key {
    ProgramCache.Key(interface: "opencl", source: source.utf8, circumstances: circumstances)
  }

  private let program = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 7) }

  @Test func whatIsKeptComesBack() {
    let cache = ProgramCache(folder: folder.path + "/a/b")
    #expect(cache.load(key) == nil)
    cache.store(program, for: key)
    #expect(cache.load(key) == program)
    cache.store([1, 2, 3], for: key)
    #expect(cache.load(key) == [1, 2, 3])
    cache.remove(key)
    #expect(cache.load(key) == nil)
  }

  @Test func anyOtherSourceOrDriverIsAnotherProgram() {
    let keys = [
      key, Self.key("source ", ["kernel", "driver 1"]),
      Self.key("source", ["kernel", "driver 2"]), Self.key("source", ["kernel"]),
      Self.key("1source", ["kernel", "driver "]),
    ]
    #expect(Set(keys.map(\.fileName)).count == keys.count)
    #expect(keys.allSatisfy { $0.fileName.count == "opencl-".count + 32 })
  }

  @Test func aDamagedFileIsNotTrusted() throws {
    let cache = ProgramCache(folder: folder.path)
    cache.store(program, for: key)
    let path = "\(folder.path)/\(key.fileName)"
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    for index in stride(from: 0, to: whole.count, by: 13) {
      var damaged = whole
      damaged[index] ^= 0x10
      try damaged.write(to: URL(fileURLWithPath: path))
      #expect(cache.load(key) == nil, "byte \(index)")
      try whole.prefix(index).write(to: URL(fileURLWithPath: path))
      #expect(cache.load(key) == nil, "cut to \(index) bytes")
    }
    try (whole + [0]).write(to: URL(fileURLWithPath: path))
    #expect(cache.load(key) == nil)
    cache.store(program, for: key)
    #expect(cache.load(key) == program)
  }

  @Test func aForeignFileUnderTheNameIsNotTrusted() throws {
    let cache = ProgramCache(folder: folder.path)
    let other = Self.key("other", ["kernel", "driver 1"])
    cache.store(program, for: other)
    try FileManager.default.moveItem(
      atPath: "\(folder.path)/\(other.fileName)", toPath: "\(folder.path)/\(key.fileName)")
    #expect(cache.load(key) == nil)
  }

  /// Others could put in a program of their own; a pipe would make the program wait.
  @Test func filesOfOthersAreNotTrusted() throws {
    let cache = ProgramCache(folder: folder.path)
    let path = "\(folder.path)/\(key.fileName)"
    cache.store(program, for: key)
    for mode in [0o620, 0o602] as [mode_t] {
      #expect(chmod(path, mode) == 0)
      #expect(cache.load(key) == nil)
    }
    #expect(chmod(path, 0o600) == 0)
    #expect(cache.load(key) == program)
    #expect(rename(path, "\(path).moved") == 0)
    #expect(symlink("\(path).moved", path) == 0)
    #expect(cache.load(key) == nil)
    #expect(unlink(path) == 0)
    #expect(mkfifo(path, 0o600) == 0)
    #expect(cache.load(key) == nil)
    cache.store(program, for: key)
    #expect(cache.load(key) == program)
  }

  /// Of programs that exceed the limit those go that were not used for longest.
  @Test func oldProgramsGo() throws {
    let cache = ProgramCache(folder: folder.path, largestByteCount: 10_000)
    try FileManager.default.createDirectory(
      atPath: folder.path, withIntermediateDirectories: true)
    let other = "\(folder.path)/verdicts"
    try Data(count: 20_000).write(to: URL(fileURLWithPath: other))
    let keys = (0..<8).map { Self.key("source \($0)", ["kernel"]) }
    for (number, key) in keys.enumerated() {
      cache.store(program, for: key)
      let moment = timespec(tv_sec: 1000 + number, tv_nsec: 0)
      let age = [moment, moment]
      #expect(utimensat(AT_FDCWD, "\(folder.path)/\(key.fileName)", age, 0) == 0)
    }
    #expect(cache.load(keys[0]) == program)
    cache.store(program, for: Self.key("one", []))
    cache.store(program, for: Self.key("two", []))
    let kept = keys.map { cache.load($0) != nil }
    #expect(kept[0] && !kept[1] && !kept[2] && kept[7], "\(kept)")
    #expect(FileManager.default.fileExists(atPath: other))
  }

  @Test func aFolderThatCannotBeWrittenIsNoError() throws {
    // A file stands where the folder should: that holds for root too.
    try Data().write(to: URL(fileURLWithPath: folder.path))
    for path in [folder.path, folder.path + "/inside", "/proc/no/such", ""] {
      let cache = ProgramCache(folder: path)
      cache.store(program, for: key)
      #expect(cache.load(key) == nil)
    }
    let none = ProgramCache(folder: nil)
    none.store(program, for: key)
    #expect(none.load(key) == nil)
  }

  @Test func manyWritersAtOnceLeaveOneWholeFile() {
    let cache = ProgramCache(folder: folder.path)
    let large = [UInt8](repeating: 5, count: 300_000)
    DispatchQueue.concurrentPerform(iterations: 16) { [key] _ in
      cache.store(large, for: key)
      #expect(cache.load(key) == large)
    }
    #expect(folder.files == [key.fileName])
  }
}

@Suite(.enabled(if: Machine.isEquipped, Machine.reason)) struct CompilationTests {
  private let folder = TemporaryFolder()
  private let dispatch = KernelDispatch(
    TestKernels.step, [.none, .none], TestKernels.StepParameters(count: 0, addend: 0), items: 1,
    grid: Grid(1))

  private func compile(_ watch: CallWatch) throws {
    try Self.compile(dispatch, folder.path, watch)
  }

  private static func compile(
    _ dispatch: KernelDispatch, _ folder: String, _ watch: CallWatch
  ) throws {
    let machine = try Machine(cacheFolder: folder, interceptor: watch.interceptor)
    let error = try machine.backend.makeQueue().run([dispatch]).error
    #expect(error == nil)
  }

  @Test func theSecondProcessDoesNotCompile() throws {
    let (first, second) = (CallWatch(), CallWatch())
    try compile(first)
    #expect(first.count("clCreateProgramWithSource") == 1)
    #expect(folder.files.count == 1)
    try compile(second)
    #expect(second.count("clCreateProgramWithSource") == 0)
    #expect(second.count("clCreateProgramWithBinary") == 1)
  }

  @Test func aProgramThatTheDriverRefusesIsCompiledAnew() throws {
    try compile(CallWatch())
    let file = "\(folder.path)/\(try #require(folder.files.first))"
    func number() throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: file)[.systemFileNumber] as? Int
    }
    // As long as the first file is open, no other can have its number.
    let first = try #require(FileHandle(forReadingAtPath: file))
    defer { try? first.close() }
    let before = try #require(try number())
    let watch = CallWatch()
    let machine = try Machine(
      cacheFolder: folder.path,
      interceptor: { [inner = watch.interceptor] function, call in
        // As a driver does whose version stayed while its compiler changed.
        "\(function)" == "clCreateProgramWithBinary" ? -42 : inner(function, call)
      })
    let error = try machine.backend.makeQueue().run([dispatch]).error
    #expect(error == nil)
    #expect(watch.count("clCreateProgramWithSource") == 1)
    // Another file is in its place, which the next process uses. A driver's programs are not of one size every time.
    #expect(try number() != before)
    #expect(folder.files.count == 1)
    let next = CallWatch()
    try compile(next)
    #expect(next.count("clCreateProgramWithSource") == 0)
  }

  @Test func aDamagedProgramIsCompiledAnew() throws {
    try compile(CallWatch())
    let file = URL(fileURLWithPath: "\(folder.path)/\(try #require(folder.files.first))")
    var bytes = try Data(contentsOf: file)
    bytes[bytes.count - 100] ^= 1
    try bytes.write(to: file)
    let watch = CallWatch()
    try compile(watch)
    #expect(watch.count("clCreateProgramWithSource") == 1)
    #expect(try Data(contentsOf: file) != bytes)
  }

  @Test func backendsThatStartAtOnceShareTheCache() throws {
    let failures = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: 6) { [dispatch, path = folder.path] _ in
      do {
        try Self.compile(dispatch, path, CallWatch())
      } catch {
        failures.withLock { $0 += 1 }
      }
    }
    #expect(failures.withLock { $0 } == 0)
    #expect(folder.files.count == 1)
    let watch = CallWatch()
    try compile(watch)
    #expect(watch.count("clCreateProgramWithSource") == 0)
  }

  @Test func processesThatStartAtOnceShareTheCache() async throws {
    let path = folder.path
    async let first: Void = Self.compileInAnotherProcess(path)
    async let second: Void = Self.compileInAnotherProcess(path)
    async let third: Void = Self.compileInAnotherProcess(path)
    _ = await (first, second, third)
    #expect(folder.files.count == 1)
    let watch = CallWatch()
    try compile(watch)
    #expect(watch.count("clCreateProgramWithSource") == 0)
  }

  private static func compileInAnotherProcess(_ path: String) async {
    await #expect(processExitsWith: .success) { [path = path as String] in
      let dispatch = KernelDispatch(
        TestKernels.step, [.none, .none], TestKernels.StepParameters(count: 0, addend: 0), items: 1,
        grid: Grid(1))
      let queue = try Machine(cacheFolder: path).backend.makeQueue()
      if let error = queue.run([dispatch]).error { throw error }
    }
  }

  @Test func severalKernelsOfASubmissionCompileTogether() throws {
    let watch = CallWatch()
    let queue = try Machine(interceptor: watch.interceptor).backend.makeQueue()
    let circle = KernelDispatch(
      .circleOfConfusion, [.none, .none], (Int32(0), Int32(0), Float(0), Float(0), Float(0)),
      items: 1, grid: Grid(1))
    #expect(queue.run([dispatch, circle, dispatch]).error == nil)
    #expect(queue.run([circle, dispatch]).error == nil)
    #expect(watch.count("clBuildProgram") == 2)
  }
}
