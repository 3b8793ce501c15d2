// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalSample
import Foundation

/// The truth about a sample clip: where its subjects are, and which of them is in focus.
struct SampleDescription: Encodable {
  struct Subject: Encodable {
    var id: Int
    var group: Int
    var kind: String
    var rect: [Double]
    var disparity: Double
  }

  struct DescribedFrame: Encodable {
    var time: Double
    var focusDisparity: Double
    var subjects: [Subject]
  }

  var scene: String
  var seed: UInt64
  var width: Int
  var height: Int
  var blurScale: Double
  var fNumber: Double
  var frames: [DescribedFrame]
  /// How many frames of ground truth lie beside the clip: its own, or an earlier sample's.
  var groundTruthFrames = 0

  init(scene: SampleScene, size: Dimensions, times: [Time], fNumber: Double, focus: Double?) {
    self.scene = scene.kind.rawValue
    seed = scene.seed
    width = size.width
    height = size.height
    blurScale = SampleScene.suggestedBlurScale
    self.fNumber = fNumber
    frames = times.map { time in
      let subjects = scene.subjects(at: time, aspect: Double(size.width) / Double(size.height))
      let cue = scene.focusScript.last { $0.time <= time }
      let subject = subjects.first { $0.groupID == cue?.groupID } ?? subjects.first
      return DescribedFrame(
        time: time.seconds, focusDisparity: focus ?? subject?.focusDisparity ?? 0.5,
        subjects: subjects.map {
          Subject(
            id: $0.id, group: $0.groupID, kind: $0.kind.rawValue,
            rect: [$0.rect.x, $0.rect.y, $0.rect.width, $0.rect.height],
            disparity: $0.focusDisparity)
        })
    }
  }

  func jsonRepresentation() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    return try encoder.encode(self)
  }
}
