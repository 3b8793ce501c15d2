// SPDX-License-Identifier: Apache-2.0

import Foundation
import MovieKit
import Testing

@testable import FocalMedia

/// Unfinished files of killed processes go; those that somebody may still write stay, whichever machine it is on.
@Suite struct LeftoverTests {
  private static let own = TemporaryFiles.Origin.own

  /// A number that no process has: above what Linux gives.
  private static let noProcess = 1 << 30

  private static func name(_ origin: TemporaryFiles.Origin, _ process: Int) -> String {
    "\(origin.prefix)\(process)-1.tmp"
  }

  private static func remains(_ name: String, age: Double, isShared: Bool = false) -> Bool {
    let folder = ScratchFolder()
    folder.write("unfinished", to: name)
    try? FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -age)], ofItemAtPath: folder.file(name))
    TemporaryFiles.removeLeftovers(in: folder.path + "/", isShared: isShared)
    return folder.names == [name]
  }

  @Test func thoseOfThisSystem() {
    #expect(!Self.remains(Self.name(Self.own, Self.noProcess), age: 0))
    #expect(Self.remains(Self.name(Self.own, Int(getpid())), age: 0))
    #expect(Self.remains(Self.name(Self.own, Int(getppid())), age: 1e7))
  }

  /// Another machine of the same name, or this one before it was started again.
  @Test func thoseOfAnotherSystemOfTheName() {
    let other = TemporaryFiles.Origin(machine: Self.own.machine, system: "00000000")
    #expect(Self.own.system != other.system)
    #expect(Self.remains(Self.name(other, Self.noProcess), age: 0))
    #expect(Self.remains(Self.name(other, Self.noProcess), age: 86_400))
    #expect(!Self.remains(Self.name(other, Self.noProcess), age: 8 * 86_400))
  }

  /// A copy of this machine, at work in the same folder: name, system and process numbers tell nothing.
  @Test func thoseOfACopyOfThisMachine() {
    let name = Self.name(Self.own, Self.noProcess)
    #expect(Self.remains(name, age: 86_400, isShared: true))
    #expect(!Self.remains(name, age: 8 * 86_400, isShared: true))
  }

  /// As long as its writer lives, whatever marks and age say; no longer.
  @Test(arguments: [false, true]) func thoseThatAreHeld(_ isShared: Bool) throws {
    let folder = ScratchFolder()
    let path = folder.path + "/"
    let own = try TemporaryFiles().create(for: folder.file("film.mp4"))
    #expect(folder.names.count == 1, "a registry that went holds nothing, and removes nothing")
    let registry = TemporaryFiles()
    let held = try registry.create(for: folder.file("film.mp4"))
    // As another machine would see it.
    let name = folder.file(Self.name(Self.own, Self.noProcess))
    let old = folder.file(
      Self.name(.init(machine: Self.own.machine, system: "00000000"), Self.noProcess))
    try FileManager.default.moveItem(atPath: own, toPath: old)
    try FileManager.default.moveItem(atPath: held, toPath: name)
    for path in [name, old] {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -1e6)], ofItemAtPath: path)
    }
    TemporaryFiles.removeLeftovers(in: path, isShared: isShared)
    #expect(folder.names == [Self.name(Self.own, Self.noProcess)])
    // Its name is another one by now, so that this gives back the lock alone.
    registry.discard(held)
    TemporaryFiles.removeLeftovers(in: path, isShared: isShared)
    #expect(folder.names.isEmpty)
  }

  /// A lock that was given back is gone at once, although a program that is just being started has all descriptors.
  @Test func thoseThatWereHeldUntilNow() throws {
    let folder = ScratchFolder()
    let registry = TemporaryFiles()
    let held = try registry.create(for: folder.file("film.mp4"))
    let copy = try #require(OpenedFile.copy(of: held))
    defer { close(copy) }
    let name = folder.file(Self.name(Self.own, Self.noProcess))
    try FileManager.default.moveItem(atPath: held, toPath: name)
    registry.discard(held)
    TemporaryFiles.removeLeftovers(in: folder.path + "/", isShared: false)
    #expect(folder.names.isEmpty)
  }

  @Test func thoseOfAnotherMachine() {
    let other = TemporaryFiles.Origin(machine: "00000000", system: Self.own.system)
    #expect(Self.remains(Self.name(other, Self.noProcess), age: 1e8))
  }

  @Test(arguments: [".focal-1.tmp", ".focal-a-b-c-1.tmp", "a.tmp", ".focal-x-y-1-1.png"])
  func othersStay(_ name: String) { #expect(Self.remains(name, age: 1e8)) }
}
