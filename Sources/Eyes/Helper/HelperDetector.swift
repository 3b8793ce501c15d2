// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalScript

/// Objects that focus can be set on, found by a program of the caller's, which runs beside this one.
///
/// It gets pictures as ``HelperProvider`` sends them: `frame WIDTH HEIGHT` and the pixels. It answers each with a line,
/// `objects COUNT`, and behind it COUNT lines, `KIND X Y WIDTH HEIGHT CONFIDENCE`: the kind by its name in scripts
/// (`humanFace`, `humanHead`, `humanTorso`, `catBody`, `catHead`, `dogBody`, `dogHead`, `sportsBall`), the left edge, the
/// upper edge and the sides of its box in shares of the picture, and how certain it is, 0 to 1.
///
/// [Examples/detect-helper.py](https://github.com/OWNER/focal/blob/main/Examples/detect-helper.py) is such a program.
public final class HelperDetector: ObjectDetector {
  public static let usualSide = HelperLane.usualSide
  public static let usualTimeLimit = HelperLane.usualTimeLimit
  private static let mostLetters = 200
  /// More things in a picture are a mistake.
  private static let mostObjects = 1000

  public let name = "command"
  /// The command line.
  public var command: String { lane.command }
  private let lane: HelperLane

  /// - Parameters:
  ///   - command: a line for the shell. It is started with the first picture.
  ///   - side: the longer side of the pictures that are sent, at least 16.
  ///   - timeLimit: seconds in which a picture has to be answered.
  public init(
    command: String, side: Int = usualSide, timeLimit: Double = usualTimeLimit
  ) {
    lane = HelperLane(command, answer: "objects COUNT", side: side, timeLimit: timeLimit)
  }

  public func detect(
    _ picture: PixelBuffer, turn: QuarterTurn
  ) async throws(CinematicError) -> [FoundObject] {
    let command = command
    let found = try await lane.ask(picture, turn: turn) { helper, _ throws(CinematicError) in
      try Self.objects(of: helper, command)
    }
    return found.stored(turn)
  }

  private static func objects(
    of helper: HelperProcess, _ command: String
  ) throws(CinematicError) -> [FoundObject] {
    let line = try helper.readLine(most: mostLetters)
    let words = line.split(separator: " ")
    guard words.count == 2, words[0] == "objects", let count = Int(words[1]),
      (0...mostObjects).contains(count)
    else {
      throw CinematicError(
        .malformed, "the helper \(command) answered “\(line)”",
        remedy: "it has to answer with “objects COUNT”, 0 to \(mostObjects)")
    }
    var found: [FoundObject] = []
    for _ in 0..<count {
      let line = try helper.readLine(most: mostLetters)
      guard let object = object(line) else {
        throw CinematicError(
          .malformed, "the helper \(command) answered “\(line)”",
          remedy:
            "each object is “KIND X Y WIDTH HEIGHT CONFIDENCE”, such as “humanFace 0.4 0.2 0.1 0.15 0.9”"
        )
      }
      found.append(object)
    }
    return found
  }

  /// `nil` for a line that is none.
  private static func object(_ line: String) -> FoundObject? {
    let words = line.split(separator: " ")
    let numbers = words.dropFirst().compactMap { Double($0) }
    guard words.count == 6, numbers.count == 5, numbers.allSatisfy(\.isFinite),
      let type = DetectionType(name: words[0]), ModelDescription.kinds.values.contains(type),
      numbers[2] > 0, numbers[3] > 0, (0...1).contains(numbers[4])
    else { return nil }
    let rect = NormalizedRect(
      x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
    let whole = NormalizedRect(x: 0, y: 0, width: 1, height: 1)
    guard rect.intersection(whole).area > 0, rect.area < 4 else { return nil }
    return FoundObject(type: type, rect: rect, confidence: Float(numbers[4]))
  }
}
