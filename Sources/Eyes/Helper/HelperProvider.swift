// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Disparity by a program of the caller's, which runs beside this one: pictures go into its standard input, maps come
/// out of its standard output.
///
/// For each picture the program gets a line, `frame WIDTH HEIGHT`, and behind it WIDTH × HEIGHT × 3 bytes: red, green
/// and blue as an sRGB screen has them, rows from the top. It answers with a line, `map WIDTH HEIGHT KIND`, and behind it
/// WIDTH × HEIGHT floats of 32 bits, least byte first, rows from the top. The map has the picture's shape and may be of
/// another size. KIND is `disparity` (larger is nearer), `depth` (larger is farther) or `metric-depth` (metres), the same
/// for every picture of a clip; values that are not finite are holes. Lines may end in carriage return and line feed. The end
/// of its input is the end of the work: a program that goes on for a second is ended. Its standard error is this program's. A program that does not answer in time, or answers otherwise, is
/// ended at once, and so is one that a cancelled task waits for; the next picture starts another. What the program has
/// started ends with it then; what it leaves behind when it ends by itself goes on.
///
/// [Examples/estimate-helper.py](https://github.com/OWNER/focal/blob/main/Examples/estimate-helper.py) is such a program.
public final class HelperProvider: DisparityProvider {
  /// Pixels of the longer side of the pictures that are sent.
  public static let usualSide = HelperLane.usualSide
  /// Seconds in which a picture has to be answered.
  public static let usualTimeLimit = HelperLane.usualTimeLimit
  /// Lines of answers are short.
  private static let mostLetters = 80

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
    lane = HelperLane(
      command, answer: "map WIDTH HEIGHT disparity", side: side, timeLimit: timeLimit)
  }

  public func estimate(_ input: EstimationInput) async throws(CinematicError) -> DisparityEstimate {
    let command = command
    return try await lane.ask(input.picture, turn: input.turn) {
      helper, size throws(CinematicError) in
      try Self.map(of: helper, command, for: size)
    }
  }

  private static func map(
    of helper: HelperProcess, _ command: String, for size: Dimensions
  ) throws(CinematicError) -> DisparityEstimate {
    let line = try helper.readLine(most: mostLetters)
    let words = line.split(separator: " ")
    guard words.count == 4, words[0] == "map", let width = Int(words[1]),
      let height = Int(words[2]),
      let kind = ModelDescription.Output(rawValue: String(words[3])),
      ModelDescription.depth.contains(kind)
    else {
      throw CinematicError(
        .malformed, "the helper \(command) answered “\(line)”",
        remedy: "it has to answer with “map WIDTH HEIGHT disparity”, depth or metric-depth")
    }
    guard (1...8192).contains(width), (1...8192).contains(height),
      abs(Double(width) * Double(size.height) / Double(size.width) - Double(height)) <= 1.5
        || abs(Double(height) * Double(size.width) / Double(size.height) - Double(width)) <= 1.5
    else {
      throw CinematicError(
        .malformed,
        "the helper \(command) answered a picture of \(size) with a map of \(width)x\(height)",
        remedy: "its maps need the shape of the pictures")
    }
    var values = try helper.readFloats(width * height)
    kind.makeDisparities(&values)
    return DisparityEstimate(
      map: try .map(values, Dimensions(width: width, height: height)),
      kind: kind == .metricDepth ? .metric : .relative)
  }
}
