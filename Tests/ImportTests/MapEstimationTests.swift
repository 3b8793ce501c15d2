// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalImport
import FocalMedia
import Foundation
import Testing

/// Numbered maps that are made in several runs.
@Suite struct MapEstimationTests {
  private static func wanted(
    _ folder: ImportFolder, _ clip: String = "clip", to maps: String, ending: String = "exr",
    resumes: Bool = false
  ) -> MapEstimation {
    var wanted = MapEstimation(
      of: folder.file("\(clip)/%d.png"), to: folder.file("\(maps)/%d.\(ending)"),
      by: clip == "moving" ? folder.changingEstimation : folder.estimation)
    wanted.resumes = resumes
    return wanted
  }

  /// Killed at an anchor, before it was kept, and between anchors, an estimation makes the maps of one run, to the bit.
  @Test(arguments: ["exr", "png"]) func resumedMapsAreThoseOfOneRun(ending: String) async throws {
    let folder = try ImportFolder()
    try folder.makeMovingClip("moving")
    try folder.make("maps")
    let counts = [1, 2, 4, 5, 6, 8, 11]
    // As a kill would leave the folder.
    let whole = try await Self.wanted(folder, "moving", to: "maps", ending: ending).run { event in
      guard case .progress(let progress) = event, counts.contains(progress.completedFrames) else {
        return
      }
      let left = folder.file("left\(progress.completedFrames)")
      try? FileManager.default.copyItem(atPath: folder.file("maps"), toPath: left)
    }
    #expect(whole.interval == 3)
    #expect(whole.keptCount == 0)
    let names = folder.names(in: "maps")
    #expect(names.count == ImportFolder.frameCount, "\(names)")
    for count in counts {
      let left = "left\(count)"
      let made = try await Self.wanted(
        folder, "moving", to: left, ending: ending, resumes: true
      ).run()
      #expect(made.frameCount == ImportFolder.frameCount)
      #expect(made.keptCount == count)
      #expect(folder.names(in: left) == names)
      for name in names {
        let isSame = folder.bytes("\(left)/\(name)") == folder.bytes("maps/\(name)")
        #expect(isSame, "\(name) after \(count) maps")
      }
    }
  }

  /// Maps of some frames are not whole: another clip does not go on with them, and the same one does.
  @Test func mapsOfAPartAreOfOneEstimation() async throws {
    let folder = try ImportFolder()
    try folder.makeMovingClip("moving")
    for name in ["maps", "whole"] { try folder.make(name) }
    var part = Self.wanted(folder, "moving", to: "maps")
    part.reading.frames = 0...4
    try await part.run()
    let names = folder.names(in: "maps")
    let beside = ["%d.exr.anchor", "%d.exr.estimate"]
    #expect(names == beside + (0...4).map { "\($0).exr" })

    let other = Self.wanted(folder, to: "maps", resumes: true)
    let refusal = await failure { () async throws(CinematicError) in try await other.run() }
    #expect(refusal?.code == .incompatible, "\(refusal?.description ?? "no error")")
    #expect(folder.names(in: "maps") == names)

    let made = try await Self.wanted(folder, "moving", to: "maps", resumes: true).run()
    #expect(made.frameCount == ImportFolder.frameCount)
    #expect(made.keptCount == 5)
    try await Self.wanted(folder, "moving", to: "whole").run()
    let all = folder.names(in: "whole")
    #expect(folder.names(in: "maps") == all)
    for name in all {
      let isSame = folder.bytes("maps/\(name)") == folder.bytes("whole/\(name)")
      #expect(isSame, "\(name)")
    }

    try await refusesToGoOnWithAMixture(folder)

    // Of whole maps, nothing says what they are of.
    for clip in ["clip", "moving"] {
      let again = Self.wanted(folder, clip, to: "maps", resumes: true)
      let error = await failure { () async throws(CinematicError) in try await again.run() }
      #expect(error?.code == .incompatible, "\(error?.description ?? "no error")")
      #expect(error?.message.contains("no record") == true, "\(error?.description ?? "no error")")
      let remedy = "make all maps anew with overwrite: true, or choose another output"
      #expect(error?.remedy == remedy)
    }
  }

  /// Maps of another clip that are replaced in part are no beginning of this one's.
  private func refusesToGoOnWithAMixture(_ folder: ImportFolder) async throws {
    try folder.make("mixed")
    try await Self.wanted(folder, "moving", to: "mixed").run()
    var part = Self.wanted(folder, to: "mixed")
    part.overwrites = true
    part.reading.frames = 0...4
    try await part.run()
    let again = Self.wanted(folder, to: "mixed", resumes: true)
    let refusal = await failure { () async throws(CinematicError) in try await again.run() }
    #expect(refusal?.code == .incompatible, "\(refusal?.description ?? "no error")")
    part.reading.frames = nil
    let made = try await part.run()
    #expect(made.frameCount == ImportFolder.frameCount)
    #expect(folder.names(in: "mixed").count == ImportFolder.frameCount)
  }
}
