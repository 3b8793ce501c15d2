// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Testing

/// Messages and remedies name parameters as the API does, or as a program does.
@Suite struct WordingTests {
  private static let missing = CinematicError.Parameter(rawValue: "ReadOptions.missing")

  private static func option(_ parameter: CinematicError.Parameter) -> String {
    parameter == missing ? "--on-missing" : parameter.rawValue
  }

  @Test func bothWordings() {
    let name = "a.png"
    let error = CinematicError(
      .incomplete, "\(name) is missing",
      remedy: "make \(name), or give \(parameter: Self.missing, to: "skip")")
    #expect(error.remedy == "make a.png, or give ReadOptions.missing = skip")
    #expect(error.remedy(naming: Self.option) == "make a.png, or give --on-missing skip")
    let api = "a.png is missing; make a.png, or give ReadOptions.missing = skip"
    #expect("\(error)" == api)
    let program = "a.png is missing; make a.png, or give --on-missing skip"
    #expect(error.description(naming: Self.option) == program)
  }

  /// Remedies within remedies and errors of other words keep the parameters.
  @Test func parametersAreKept() {
    let way: CinematicError.Wording = " with \(parameter: Self.missing)"
    let error = CinematicError(.incomplete, "a gap", remedy: "leave it out\(way)")
    let other = error.replacing(message: "b: a gap", code: .malformed)
    #expect(other.code == .malformed && other.message == "b: a gap")
    #expect(other.remedy(naming: Self.option) == "leave it out with --on-missing")
    #expect(error.replacing(message: "b").code == .incomplete)
  }

  /// So do messages, and lists of texts.
  @Test func messagesAndLists() {
    let texts: [CinematicError.Wording] = ["give \(parameter: Self.missing)", "wait"]
    let error = CinematicError(
      .invalidParameter, worded: "\(parameter: Self.missing, to: "skip") is for numbered pictures",
      remedy: texts.joined(separator: "; "))
    #expect(error.message == "ReadOptions.missing = skip is for numbered pictures")
    #expect(error.message(naming: Self.option) == "--on-missing skip is for numbered pictures")
    let program = "--on-missing skip is for numbered pictures; give --on-missing; wait"
    #expect(error.description(naming: Self.option) == program)
    #expect(error.wording.description == error.description)
    #expect([CinematicError.Wording]().joined(separator: "; ").description.isEmpty)
  }

  /// What reads the same and points at the same is the same, however its literal was cut.
  @Test func sameTextsAreEqual() {
    let one = 1
    let inner: CinematicError.Wording = "b"
    #expect(("a\(one)\(inner)" as CinematicError.Wording) == "a1b")
    #expect(("\(String())" as CinematicError.Wording) == "")
    let pointing: CinematicError.Wording = "a\(parameter: Self.missing)"
    #expect(pointing != "aReadOptions.missing")
  }

  @Test func plainTextAndNone() {
    let text: String? = "wait"
    let error = CinematicError(.unknown, "too early", remedy: text)
    #expect(error == CinematicError(.unknown, "too early", remedy: "wait"))
    #expect(error.remedy(naming: Self.option) == "wait")
    let none = CinematicError(.unknown, "too late")
    #expect(none.remedy == nil && none.remedy(naming: Self.option) == nil)
    #expect(none.description(naming: Self.option) == "too late")
  }
}
