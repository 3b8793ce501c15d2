// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Testing

/// Remedies name parameters as the API does, or as a program does.
@Suite struct RemedyTests {
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
    let way: CinematicError.Remedy = " with \(parameter: Self.missing)"
    let error = CinematicError(.incomplete, "a gap", remedy: "leave it out\(way)")
    let other = error.replacing(message: "b: a gap", code: .malformed)
    #expect(other.code == .malformed && other.message == "b: a gap")
    #expect(other.remedy(naming: Self.option) == "leave it out with --on-missing")
    #expect(error.replacing(message: "b").code == .incomplete)
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
