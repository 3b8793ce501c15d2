// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalSample
import Testing

@testable import FocalScript

/// A look's values, by their names.
@Suite struct LookTests {
  /// Set, replaced, removed and overridden, values are those of a dictionary, in the order of their names.
  @Test func valuesByName() {
    var random = SeededGenerator(seed: 7)
    func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
    let names = (0..<40).map { "name \($0)" } + ["é", "e\u{301}", "E", "", "Z"]
    var (look, model) = (Look(), [String: String]())
    for step in 0..<2000 {
      let name = names[pick(names.count)]
      switch pick(8) {
      case 0: (look[name], model[name]) = (nil, nil)
      case 1:
        var other = Look()
        for _ in 0..<pick(4) {
          let name = names[pick(names.count)]
          other[name] = "\(-step)"
          model[name] = "\(-step)"
        }
        look = look.overridden(by: other)
      default: (look[name], model[name]) = ("\(step)", "\(step)")
      }
      #expect(look.fields.map(\.name) == model.keys.sorted())
      #expect(names.allSatisfy { look[$0] == model[$0] })
    }
  }

  /// Of a name that is twice in a script, the last value holds.
  @Test func namesThatAreTwiceThere() throws {
    let look = try ScriptParser.look(Array(#"{"b": 1, "a": 2, "b": 3, "blurScale": 4}"#.utf8))
    #expect(look.fields.map(\.name) == ["a", "b", "blurScale"])
    #expect(look["b"] == "3" && look.blurScale == 4)
  }

  /// Values that are set by their names are what files give back, and mean the same before and after.
  @Test func valuesAreThoseOfFiles() throws {
    let cases = [
      (Look.Name.apertureBlades, "5.0", "5"), (Look.Name.apertureBlades, "1e0", "1"),
      (Look.Name.blurScale, " 2.50\n", "2.5"), (Look.Name.logCurve, " \"v\\u006cog\"", "\"vlog\""),
      ("later", "1 ", "1"), ("later", " [1, {\"a\": 2.0}]", "[1, {\"a\": 2.0}]"),
    ]
    for (name, json, held) in cases {
      var look = Look()
      look[name] = json
      #expect(look[name] == held)
      let script = try Scripts.talk()
      script.changedLook = look
      let changes = script.changes()
      #expect(try Script.Changes(dataRepresentation: changes.dataRepresentation) == changes)
      let recording = script.recording.with(look: look)
      #expect(try Recording(jsonRepresentation: recording.jsonRepresentation()) == recording)
    }
    var look = Look()
    look[Look.Name.apertureBlades] = "5.0"
    #expect(look.apertureBlades == 5)
    // What is no value of its kind stays as it is.
    for json in ["1e999", "nan", "\"5\"", "5.5", "5, 6", ""] {
      look[Look.Name.apertureBlades] = json
      #expect(look[Look.Name.apertureBlades] == json && look.apertureBlades == nil)
      #expect(look.unwritableNames == [Look.Name.apertureBlades])
    }
  }

  /// Work that grew with the square of their number took minutes.
  @Test(.timeLimit(.minutes(10))) func hundredsOfThousandsOfValues() throws {
    let count = 200_000
    let values = (0..<count).reversed().map { "\"later \($0)\": \($0)" }
    let look = try ScriptParser.look(Array("{\(values.joined(separator: ", "))}".utf8))
    #expect(look.fields.count == count && look["later 77"] == "77")
    let script = try Scripts.talk()
    script.changedLook = look
    #expect(script.changedLook == look)
    #expect(script.look.overridden(by: look) == look)
    var other = look
    for number in 0..<count / 2 { other["later \(number)"] = "1, 2" }
    script.changedLook = other
    #expect(script.changedLook.fields.count == count / 2)
  }
}
