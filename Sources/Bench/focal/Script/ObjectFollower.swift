// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCinematic
import FocalCommands
import FocalCore
import FocalEyes
import FocalImport
import FocalScript
import Foundation

extension ObjectFollower {
  /// Follows the object that options name.
  ///
  /// - Parameter turn: from how pictures are stored to how they are shown.
  /// - Throws: as ``FoundModel`` and `NeuralTracker`, where a model is to follow the object.
  init(_ object: ObjectOptions, turn: QuarterTurn) throws(CinematicError) {
    let neural = try object.tracker.map { wanted throws(CinematicError) in
      let model = try FoundModel(
        wanted == "model" ? nil : wanted, giving: [.tracks], to: .program)
      let neural = try NeuralTracker(model.path, library: model.library, turn: turn)
      model.tell(neural.description, to: .program)
      return neural
    }
    self.init(
      object.rect.map { .rect($0.rect) }
        ?? .point(object.point?.point ?? NormalizedPoint(x: 0.5, y: 0.5)),
      turn: turn, tracker: neural.map { ObjectTracker(visualTracker: $0) } ?? ObjectTracker(),
      failure: { neural?.failure })
  }
}

extension FollowedObject {
  /// Says what was found.
  func tell(_ id: DetectionID) {
    printLine(
      "track \(id): \(counted(track.allDetections.count, "detection")) from "
        + String(format: "%.3f s on", start.seconds))
    let missed = boxes.filter { $0.rect == nil }.count
    guard missed > 0 else { return }
    var gaps: [String] = []
    var first: Int?
    for (index, box) in boxes.enumerated() {
      if box.rect == nil, first == nil { first = box.frame }
      guard let begin = first, box.rect != nil || index == boxes.count - 1 else { continue }
      gaps.append(box.rect == nil ? "\(begin) on" : "\(begin)-\(box.frame - 1)")
      first = nil
    }
    let shown = gaps.prefix(8).joined(separator: ", ") + (gaps.count > 8 ? ", …" : "")
    note("the object was not found in \(counted(missed, "frame")): \(shown)")
  }

  /// A line a frame, as `--boxes` writes.
  var table: Data {
    var text = "frame,time,x,y,width,height,confidence\n"
    for box in boxes {
      let numbers = box.rect.map { [$0.x, $0.y, $0.width, $0.height] } ?? []
      let place = numbers.map { String(format: "%.5f", $0) }.joined(separator: ",")
      text += String(format: "%d,%.6f,", box.frame, box.time.seconds)
      text += (numbers.isEmpty ? ",,," : place) + String(format: ",%.3f\n", box.confidence)
    }
    return Data(text.utf8)
  }
}

/// The object's true boxes, by frame.
struct TrueBoxes {
  private var rects: [Int: NormalizedRect] = [:]

  /// - Throws: `malformed`, naming the line.
  init(path: String) throws(CinematicError) {
    let text: String
    do { text = try String(contentsOfFile: path, encoding: .utf8) } catch {
      throw .cannotRead(path, ENOENT)
    }
    for (index, line) in text.split(whereSeparator: \.isNewline).enumerated().dropFirst() {
      let numbers = line.split(separator: ",", omittingEmptySubsequences: false).map {
        Double($0.trimmingCharacters(in: .whitespaces))
      }
      guard numbers.count == 5, let frame = numbers[0].flatMap({ Int(exactly: $0) }) else {
        throw CinematicError(
          .malformed, "line \(index + 1) of \(path) is no true box",
          remedy: "write frame,x,y,width,height in shares of the picture")
      }
      let sides = numbers.dropFirst().map { $0 ?? .nan }
      guard sides.allSatisfy(\.isFinite), sides[2] > 0, sides[3] > 0 else { continue }
      rects[frame] = NormalizedRect(
        x: sides[0], y: sides[1], width: sides[2], height: sides[3]
      ).intersection(.wholePicture)
    }
  }

  /// Says how well boxes overlap, but for the first, which was given.
  func compare(_ boxes: [FollowedBox]) { printLine(summary(of: boxes)) }

  /// The mean overlap, in which frames that lack a box count as 0, and how often what is wrong.
  func summary(of boxes: [FollowedBox]) -> String {
    var (sum, visible, lost, wrong, hidden) = (0.0, 0, 0, 0, 0)
    for box in boxes.dropFirst() {
      guard let truth = rects[box.frame] else {
        hidden += box.rect == nil ? 0 : 1
        continue
      }
      visible += 1
      // true boxes end where the picture does
      guard let rect = box.rect?.intersection(.wholePicture) else {
        lost += 1
        continue
      }
      let overlap = rect.overlap(truth)
      sum += overlap
      wrong += overlap > 0 ? 0 : 1
    }
    return String(
      format: "mean overlap %.3f in \(counted(visible, "frame")), %d not found,"
        + " %d without any overlap, %d while it is hidden",
      sum / Double(max(1, visible)), lost, wrong, hidden)
  }
}
