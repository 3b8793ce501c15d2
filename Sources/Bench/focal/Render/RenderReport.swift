// SPDX-License-Identifier: Apache-2.0

import FocalCommands

/// The report of a rendering, for people and for programs.
struct RenderReport: Encodable {
  var outcome: RenderOutcome
  var focus: Focus

  struct Focus: Encodable {
    /// The first frame's.
    var focusDisparity: Float
    /// Where the focus comes from when it was not given.
    var focusOrigin: String?
    /// The focus script's path where one decided.
    var script: String?
    /// The first frame's.
    var fNumber: Float
    var blurScale: Float
  }

  func encode(to encoder: any Encoder) throws {
    try outcome.encode(to: encoder)
    try focus.encode(to: encoder)
  }

  var summary: String {
    // A script may change both.
    let begins =
      focus.script.map { "by \($0)\(outcome.frames > 1 ? ", at first" : ":") focus " } ?? "focus "
    return outcome.summary("\(begins)\(focus.focusDisparity), f/\(focus.fNumber), ")
  }
}
