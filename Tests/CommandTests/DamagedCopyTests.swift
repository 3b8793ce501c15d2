// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import FocalSample
import Foundation
import Testing

@testable import focal

/// A short form of `make attack`.
@Suite struct DamagedCopyTests {
  @Test func damagedPicturesEndInErrors() async throws {
    let folder = Folder()
    let size = Dimensions(width: 40, height: 30)
    for ending in ["png", "jpg", "tif"] {
      try PictureWriter.write(Material.picture(size), to: folder.file("a.\(ending)"))
    }
    let outcome = try await works(
      ["bench-damage", "a.png", "a.jpg", "a.tif", "--mutations", "80", "--json"],
      in: folder)
    let report = try #require(outcome.objects().first)
    #expect(report["copies"] as? Int == 80)
    #expect((report["inside"] as? Int ?? 0) > 40)
    #expect((report["decoded"] as? Int ?? 0) >= (report["inside"] as? Int ?? 0))
    #expect((report["peakBytes"] as? Int ?? 0) > 1_000_000)
    #expect((report["findings"] as? [Any])?.isEmpty == true, "\(report)")
    let outcomes = try #require(report["outcomes"] as? [String: Int])
    #expect((outcomes["malformed"] ?? 0) > 20, "\(outcomes)")
  }

  /// The process that reads is told, too: more copies are read to their end.
  @Test func damageThatIsOnlyTold() async throws {
    let folder = Folder()
    try PictureWriter.write(
      Material.picture(Dimensions(width: 40, height: 30)), to: folder.file("a.png"))
    func whole(_ options: [String]) async throws -> Int {
      let outcome = try await works(
        ["bench-damage", "a.png", "--mutations", "60", "--json"] + options, in: folder)
      let report = try #require(outcome.objects().first)
      #expect(report["copies"] as? Int == 60)
      return try #require(report["outcomes"] as? [String: Int])["whole"] ?? 0
    }
    let stopped = try await whole([])
    #expect(try await whole(["--on-damage", "warn"]) > stopped)
  }

  @Test func aRunGoesOn() async throws {
    let folder = Folder()
    try PictureWriter.write(
      Material.picture(Dimensions(width: 40, height: 30)), to: folder.file("a.png"))
    let outcome = try await works(
      ["bench-damage", "a.png", "--mutations", "30", "--first", "20", "--json"], in: folder)
    #expect(try #require(outcome.objects().first)["copies"] as? Int == 10)
  }

  /// The same copies in every run; of PNG, sums that fit what was changed.
  @Test func copiesAreRepeated() throws {
    let folder = Folder()
    let size = Dimensions(width: 40, height: 30)
    try PictureWriter.write(Material.picture(size), to: folder.file("a.png"))
    let copies = try DamagedCopies(of: [folder.file("a.png")], seed: 3)
    let whole = folder.read("a.png")
    var inside = 0
    for number in 0..<50 {
      let copy = copies.copy(number)
      #expect(copy.bytes == copies.copy(number).bytes)
      guard copy.isInside else { continue }
      inside += 1
      #expect(copy.bytes.count == whole.count && copy.bytes.prefix(33) == whole.prefix(33))
    }
    #expect(inside > 25)
  }
}
