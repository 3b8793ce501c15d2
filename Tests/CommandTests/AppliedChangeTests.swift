// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Foundation
import Testing

/// `edit` and `export --changes` against `apply` and `export`: the same pictures, whatever the changes.
@Suite struct AppliedChangeTests {
  private struct Draw: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ state >> 29
    }
    mutating func number(_ range: ClosedRange<Double>) -> String {
      String(format: "%.3f", Double.random(in: range, using: &self))
    }
    mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &self) }

    /// An edit of a movie of so many frames, as it is typed.
    mutating func edit(frames: Int) -> [String] {
      let time = pick(2) == 0 ? "\(pick(frames))f" : number(0...(Double(frames - 1) / 30))
      var strength = pick(2) == 0 ? ["--strong"] : []
      if pick(3) == 0 { strength += ["--rack", number(0...0.15)] }
      switch pick(5) {
      case 0: return ["set", "--f-number", number(1...11)]
      case 1: return ["decide", "--at", time, "--disparity", number(0...1)] + strength
      case 2:
        return [
          "decide", "--at", time, "--point", "\(number(0...1)),\(number(0...1))", "--fixed",
        ] + strength
      default:
        return ["decide", "--at", time, "--point", "\(number(0...1)),\(number(0...1))"] + strength
      }
    }
  }

  /// More scripts in FOCAL_SCRIPTS.
  @Test func sameFilms() async throws {
    let folder = Folder()
    let frames = 6
    try await ScriptMaterial.sample(in: folder, frames: frames)
    try await works(
      [
        "import", "s/clip.mp4", "--disparity", "s/disparity/%04d.png", "--script", "s/script.json",
        "-o", "movie.mov",
      ], in: folder)
    let export = ["--quality", "thumbnail", "--rate-factor", "0", "--force", "--progress", "none"]
    try await works(["export", "movie.mov", "-o", "plain.mov"] + export, in: folder)
    let count = ProcessInfo.processInfo.environment["FOCAL_SCRIPTS"].flatMap { Int($0) } ?? 3
    var changed = 0
    for seed in 0..<count {
      var draw = Draw(state: UInt64(seed) &* 7919 &+ 17)
      var changes: String?
      for step in 0...draw.pick(4) {
        let name = "\(seed)-\(step).focus"
        let arguments =
          ["edit", "movie.mov"] + draw.edit(frames: frames)
          + (changes.map { ["--changes", $0] } ?? []) + ["-o", name]
        let outcome = try await Program.focal(arguments, in: folder)
        // A point on which nothing can be followed is refused; the next edit goes on.
        if outcome.code == 0 { changes = name } else { #expect(outcome.code == 1, "\(arguments)") }
      }
      guard let changes else { continue }
      try await works(
        ["export", "movie.mov", "--changes", changes, "-o", "a.mov"] + export, in: folder)
      try await works(
        ["apply", "movie.mov", "--changes", changes, "-o", "new.mov", "--force"], in: folder)
      try await works(["export", "new.mov", "-o", "b.mov"] + export, in: folder)
      let isSame = folder.read("a.mov") == folder.read("b.mov")
      #expect(isSame && !folder.read("a.mov").isEmpty, "seed \(seed), \(changes)")
      if folder.read("a.mov") != folder.read("plain.mov") { changed += 1 }
    }
    #expect(changed > count / 2, "\(changed)")
  }
}
