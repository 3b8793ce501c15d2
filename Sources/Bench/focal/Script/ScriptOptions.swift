// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCinematic
import FocalCore
import FocalMedia

/// A script, or a movie that carries one, to look at.
struct ScriptInput: ParsableArguments {
  @Argument(help: "The script.")
  var script: String
  @Option(help: ArgumentHelp("Changes to apply.", valueName: "changes"))
  var changes: String?

  func open() throws(CinematicError) -> OpenedScript {
    try ScriptFile.open(script, changes: changes)
  }
}

/// `X,Y,W,H`: a box as shares of the picture, from its top left corner.
struct RectArgument: Sendable {
  var rect: NormalizedRect

  /// - Throws: what is wrong with the text, for the person who wrote it.
  init(parsing text: String) throws {
    let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
    guard numbers.count == 4, let x = numbers[0], let y = numbers[1], let width = numbers[2],
      let height = numbers[3], x.isFinite, y.isFinite, width.isFinite, height.isFinite,
      width > 0, height > 0, x < 1, y < 1, x + width > 0, y + height > 0
    else {
      throw ValidationError(
        "write left, top, width and height as shares of the picture, such as 0.4,0.3,0.1,0.2")
    }
    rect = NormalizedRect(x: x, y: y, width: width, height: height)
  }
}

/// An object to follow, and how it is decided for.
struct ObjectOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("A point on the object: \(PointArgument.corners).", valueName: "x,y"),
    transform: PointArgument.init(parsing:))
  var point: PointArgument?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The object's box instead: left, top, width, height in the same shares.",
      valueName: "x,y,w,h"), transform: RectArgument.init(parsing:))
  var rect: RectArgument?
  @Option(
    help: ArgumentHelp(
      "A table to write: frame, time, box, confidence; empty where the object is lost.",
      valueName: "csv"))
  var boxes: String?
  @Option(
    help: ArgumentHelp(
      "True boxes to compare with (frame,x,y,width,height; NaN where hidden): prints the overlap.",
      valueName: "csv"))
  var truth: String?
  @Option(
    help: ArgumentHelp(
      "A model of tracks (.onnx) that follows the object, or 'model' for the first one that is found; by default"
        + " correlation, without a model.", valueName: "file"))
  var tracker: String?
  @Flag(help: "Hold the object until the next user decision, not only until the next decision.")
  var strong = false

  func validate() throws {
    guard (point == nil) != (rect == nil) else {
      throw ValidationError("give the object's --point, or its box by --rect")
    }
  }

  /// Refuses outputs that are read, and a table in the place of the other output.
  ///
  /// - Parameters:
  ///   - inputs: what the command reads but for these options.
  ///   - changes: read, too, and replaced by the output where that has the same name.
  func check(
    output: String, inputs: [String?], changes: String? = nil
  ) throws(CinematicError) {
    let read = inputs + [truth, tracker == "model" ? nil : tracker]
    try KeptInputs.check(output, inputs: read)
    guard let boxes else { return }
    try KeptInputs.check(boxes, inputs: read + [changes])
    try KeptInputs.checkApart(output, from: boxes, of: "--boxes")
  }
}

/// A script that decides instead of the lens options.
struct ScriptOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A focus script that decides focus and f-number frame by frame.", valueName: "script"))
  var script: String?
  @Option(help: ArgumentHelp("Changes to the script.", valueName: "changes"))
  var changes: String?
  @Flag(help: "Draw the script's detections into the output, the one in focus yellow.")
  var overlay = false

  /// The files that are read.
  var inputs: [String?] { [script, changes] }

  func validate() throws {
    guard script != nil || (changes == nil && !overlay) else {
      throw ValidationError("--changes and --overlay need a --script")
    }
  }

  /// The script, read.
  ///
  /// - Parameter fNumber: instead of the script's own.
  func focus(fNumber: Float?) throws(CinematicError) -> ScriptedFocus? {
    guard let script else { return nil }
    return try ScriptedFocus(path: script, changes: changes, fNumber: fNumber, overlay: overlay)
  }
}
