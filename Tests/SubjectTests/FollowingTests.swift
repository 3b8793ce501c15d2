// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalSubjects
import Testing

/// Subjects of clips.
@Suite struct FollowingTests {
  @Test(arguments: [true, false]) func followsASubject(hasMaps: Bool) async throws {
    var request = GenerateForegroundInstanceMaskRequest()
    request.points = [NormalizedPoint(x: 0.5, y: 0.42)]
    let follower = SubjectFollower(request, choice: .all)
    for frame in 0..<6 {
      let scene = try SubjectScene(shift: 0.012 * Double(frame), noise: UInt64(frame + 1))
      let found = try await follower.observation(
        of: scene.picture, disparity: hasMaps ? scene.map : nil)
      #expect(found.instances.contains(1))
      let overlap = scene.overlap(try found.mask(of: scene.picture))
      #expect(overlap >= (hasMaps ? 0.92 : 0.75), "frame \(frame): \(overlap)")
    }
  }

  /// Noise alone moves no outline: masks that are made of single frames differ by 2 to 3 times as much. At the picture's
  /// size, each pixel's own noise is part of its alpha.
  @Test func isSteadyWhereNothingMoves() async throws {
    let follower = SubjectFollower()
    var last: [Float]?
    var sum: Float = 0
    var count = 0
    for frame in 0..<5 {
      let scene = try SubjectScene(noise: UInt64(frame + 1))
      let found = try await follower.observation(of: scene.picture, disparity: scene.map)
      let observation = try #require(found.observation)
      let mask = try observation.generateMask(for: found.instances).floats
      if let last, frame > 1 {
        for place in mask.indices where mask[place] > 0.02 && mask[place] < 0.98 {
          sum += abs(mask[place] - last[place])
          count += 1
        }
      }
      last = mask
    }
    let mean = 255 * sum / Float(max(1, count))
    #expect(count > 500)
    #expect(mean < 1.5, "\(mean) codes at soft edges")
  }

  @Test func takesALostSubjectUpAgain() async throws {
    let follower = SubjectFollower()
    let scene = try SubjectScene()
    let empty = try SubjectScene(isThere: false)
    _ = try await follower.observation(of: scene.picture, disparity: scene.map)
    let lost = try await follower.observation(of: empty.picture, disparity: empty.map)
    let alpha = try lost.mask(of: empty.picture).floats
    let isNothing = alpha.allSatisfy { $0 < 0.5 }
    #expect(isNothing)
    let back = try await follower.observation(of: scene.picture, disparity: scene.map)
    #expect(scene.overlap(try back.mask(of: scene.picture)) >= 0.9)
  }
}
