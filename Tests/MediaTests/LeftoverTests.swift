// SPDX-License-Identifier: Apache-2.0

import Foundation
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

  private static func remains(_ name: String, age: Double) -> Bool {
    let folder = ScratchFolder()
    folder.write("unfinished", to: name)
    try? FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -age)], ofItemAtPath: folder.file(name))
    TemporaryFiles.removeLeftovers(in: folder.path + "/")
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

  @Test func thoseOfAnotherMachine() {
    let other = TemporaryFiles.Origin(machine: "00000000", system: Self.own.system)
    #expect(Self.remains(Self.name(other, Self.noProcess), age: 1e8))
  }

  @Test(arguments: [".focal-1.tmp", ".focal-a-b-c-1.tmp", "a.tmp", ".focal-x-y-1-1.png"])
  func othersStay(_ name: String) { #expect(Self.remains(name, age: 1e8)) }
}
