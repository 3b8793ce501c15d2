// SPDX-License-Identifier: Apache-2.0

import FocalCommands
import FocalCore
import FocalSubjects
import Foundation

/// The subjects that were found, and what was written, for people and for programs.
struct LiftReport: Encodable {
  struct Subject: Encodable {
    var instance: Int
    /// Shares of the picture.
    var x: Double
    var y: Double
    var width: Double
    var height: Double
    var area: Double
    var confidence: Float
  }

  /// Where a part of a picture lies in it, in pixels of the picture as shown.
  struct Part: Encodable {
    var x: Int
    var y: Int
    var sourceWidth: Int
    var sourceHeight: Int

    init(_ part: PixelRect, of source: Dimensions) {
      (x, y) = (part.x, part.y)
      (sourceWidth, sourceHeight) = (source.width, source.height)
    }
  }

  var event = "done"
  var input: String
  var output: String?
  var width = 0
  var height = 0
  /// Of the picture that was written, where only what the subjects reach over is.
  var part: Part?
  /// Of the first frame.
  var subjects: [Subject] = []
  /// Those that were written.
  var taken: [Int] = []
  var frames = 0
  var seconds = 0.0
  var cpuSeconds = 0.0

  init(input: String, output: String?) {
    (self.input, self.output) = (input, output)
  }

  static func subjects(_ observation: InstanceMaskObservation) -> [Subject] {
    observation.allInstances.compactMap { number in
      guard let bounds = observation.bounds(of: number), let area = observation.area(of: number),
        let confidence = observation.confidence(of: number)
      else { return nil }
      return Subject(
        instance: number, x: bounds.x, y: bounds.y, width: bounds.width, height: bounds.height,
        area: area, confidence: confidence)
    }
  }

  /// Which subjects were written, in words.
  private var takenSubjects: String {
    guard let last = taken.last else { return "" }
    guard taken.count > 1 else { return "subject \(last) taken, " }
    let others = taken.dropLast().map { "\($0)" }.joined(separator: ", ")
    return "subjects \(others) and \(last) taken, "
  }

  /// Where the part lies, in words.
  private var place: String {
    guard let part else { return "" }
    return " at \(part.x),\(part.y) of \(part.sourceWidth)x\(part.sourceHeight)"
  }

  var lines: [String] {
    var lines = subjects.map { subject in
      String(
        format: "subject %d: at %.3f,%.3f, size %.3f,%.3f, area %.4f, confidence %.2f",
        subject.instance, subject.x, subject.y, subject.width, subject.height, subject.area,
        subject.confidence)
    }
    if subjects.isEmpty {
      lines.append("\(input): no subject was found\(frames > 1 ? " in its first frame" : "")")
    }
    if let output {
      lines.append(
        "\(output): \(counted(frames, "frame")) of \(width)x\(height)\(place), \(takenSubjects)"
          + String(format: "%.2f s (%.2f CPU s)", seconds, cpuSeconds))
    }
    return lines
  }
}
