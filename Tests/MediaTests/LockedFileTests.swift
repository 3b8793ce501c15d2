// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Foundation
import MovieKit
import Testing

@testable import FocalMedia

/// Files that one program at a time holds.
@Suite struct LockedFileTests {
  @Test func oneHolderAtATime() throws {
    let folder = ScratchFolder()
    let path = folder.file("record")
    var held: LockedFile? = try LockedFile(path)
    try held?.replaceContents(with: Array("longer than what follows".utf8))
    try held?.replaceContents(with: Array("first".utf8))
    let second = try LockedFile(path)
    #expect(second == nil)
    #expect(folder.read("record") == Array("first".utf8))
    // With its holder the lock goes, and the file stays.
    withExtendedLifetime(held) {}
    held = nil
    let next = try #require(try LockedFile(path))
    #expect(next.contents == Array("first".utf8))
  }

  /// The lock goes with its holder, although a program that is just being started has all descriptors of this one.
  @Test func lockEndsBesideOtherDescriptors() throws {
    let folder = ScratchFolder()
    let path = folder.file("record")
    var held: LockedFile? = try LockedFile(path)
    let copy = try #require(OpenedFile.copy(of: path))
    defer { close(copy) }
    let second = try LockedFile(path)
    #expect(second == nil)
    withExtendedLifetime(held) {}
    held = nil
    let next = try LockedFile(path)
    #expect(next != nil)
  }

  /// A name that its holder gave up is free, while the holder is still there.
  @Test func removedFileIsAnotherOne() throws {
    let folder = ScratchFolder()
    let held = try #require(try LockedFile(folder.file("record")))
    try held.replaceContents(with: [1, 2, 3])
    held.remove()
    #expect(folder.names.isEmpty)
    let next = try #require(try LockedFile(folder.file("record")))
    #expect(next.contents.isEmpty)
    #expect(held.contents == [1, 2, 3])
  }

  @Test func folderThatIsMissing() {
    let folder = ScratchFolder()
    let error = failure { () throws(CinematicError) in
      _ = try LockedFile(folder.file("none/record"))
    }
    #expect(error?.code == .unwritable)
  }
}
