// SPDX-License-Identifier: Apache-2.0

import FocalCaptions
import FocalCore
import Foundation
import Testing

/// `focal captions`: look, convert, validate, shift, draw.
@Suite struct CaptionCommandTests {
  private static let subRip = """
    1
    00:00:10,000 --> 00:00:12,000
    <i>First</i> caption
    with two lines

    2
    00:00:12,500 --> 00:00:14,000
    Second

    """

  private func folder() -> Folder {
    let folder = Folder()
    folder.write(Array(Self.subRip.utf8), to: "film.srt")
    return folder
  }

  /// Six captions of two full rows, a second apart.
  private func crowded() -> String {
    (0..<6).map { number in
      let row = String(repeating: "\(number)", count: 32)
      return
        "\(number + 1)\n00:00:\(10 + number),000 --> 00:00:\(11 + number),000\n\(row)\n\(row)\n"
    }.joined(separator: "\n")
  }

  @Test func info() async throws {
    let folder = folder()
    let text = try await works(["captions", "info", "film.srt"], in: folder)
    #expect(text.outputLines.first == ".srt, 2 captions", "\(text.output)")
    #expect(text.output.contains("First caption / with two lines"))
    let json = try await works(["captions", "info", "film.srt", "--json"], in: folder)
    let captions = try #require(json.objects().first?["captions"] as? [[String: Any]])
    #expect(captions.compactMap { $0["start"] as? Double } == [10, 12.5])
  }

  @Test func convertThroughEveryFormat() async throws {
    let folder = folder()
    var before = "film.srt"
    for name in ["a.itt", "b.scc", "c.vtt", "d.ttml", "e.srt"] {
      try await works(["captions", "convert", before, "-o", name], in: folder)
      before = name
    }
    let last = try CaptionDocument(reading: folder.read("e.srt"))
    #expect(last.captions.map(\.text) == ["First caption\nwith two lines", "Second"])
    #expect(last.captions.first?.pieces.first?.style.fontStyle == .italic)
    let start = try #require(last.captions.first?.timeRange.start.seconds)
    #expect(abs(start - 10) < 1.001 / 30)
  }

  @Test func validateAndRepair() async throws {
    let folder = folder()
    folder.write(Array(crowded().utf8), to: "crowded.srt")
    let fine = try await works(["captions", "validate", "film.srt"], in: folder)
    #expect(fine.output.contains("2 captions: 0 sets to be shifted"), "\(fine.output)")
    let outcome = try await Program.focal(
      ["captions", "validate", "crowded.srt", "--json"], in: folder)
    #expect(outcome.code == 1)
    let warnings = try #require(outcome.objects().first?["warnings"] as? [[String: Any]])
    #expect(warnings.count(where: { $0["startOffset"] == nil }) == 1, "\(outcome.output)")
    try await works(
      ["captions", "validate", "crowded.srt", "--repair", "-o", "fitted.itt"], in: folder)
    try await works(["captions", "validate", "fitted.itt"], in: folder)
    // What the repaired file does not have is part of the report.
    folder.write(
      Array("WEBVTT\n\nname\n00:03.000 --> 00:05.000\nWords\n".utf8), to: "named.vtt")
    let repaired = try await works(
      ["captions", "validate", "named.vtt", "--repair", "-o", "named.srt", "--json"], in: folder)
    let losses = try #require(
      repaired.objects().first?["outputLosses"] as? [[String: Any]], "\(repaired.output)")
    #expect(losses.contains { ($0["reason"] as? String)?.contains("identifiers") == true })
    try await works(
      ["captions", "convert", "fitted.itt", "--strict", "-o", "fitted.scc", "--drop-frame"],
      in: folder)
    #expect(try CaptionDocument(reading: folder.read("fitted.scc")).timeCodeRate == .ntscDrop)
  }

  /// Files come through pipes and go into them, in a format that is said or seen.
  @Test func pipes() async throws {
    let folder = folder()
    let piped = try await Program.shell(
      "cat film.srt | focal captions convert - -o - --format vtt | focal captions info - --json",
      in: folder)
    #expect(piped.code == 0, "\(piped.errors)")
    let report = try #require(try piped.objects().first)
    #expect(report["format"] as? String == "vtt")
    #expect((report["captions"] as? [Any])?.count == 2)
    try await refuses(
      ["captions", "convert", "film.srt", "-o", "-"], in: folder, naming: ["--format"])
    try await works(
      ["captions", "convert", "film.srt", "-o", "film.txt", "--format", "ttml"], in: folder)
    try await works(
      ["captions", "info", "film.txt", "--input-format", "ttml", "--strict"], in: folder)
  }

  /// All times of a caption move, those of its parts as well: (time + 1) · 2.
  @Test func shiftsWhenPartsAreRevealed() async throws {
    let folder = folder()
    folder.write(
      Array("WEBVTT\n\n00:01.000 --> 00:04.000\nHello <00:00:02.000>world\n".utf8), to: "a.vtt")
    try await works(
      ["captions", "shift", "a.vtt", "--by", "1", "--scale", "2", "-o", "b.vtt"], in: folder)
    let shifted = String(decoding: folder.read("b.vtt"), as: UTF8.self)
    #expect(
      shifted == "WEBVTT\n\n00:00:04.000 --> 00:00:10.000\nHello <00:00:06.000>world\n")
    // Where everything is shown later and no faster, parts come as long after their caption as before.
    try await works(["captions", "shift", "a.vtt", "--by", "1", "-o", "c.vtt"], in: folder)
    let later = String(decoding: folder.read("c.vtt"), as: UTF8.self)
    #expect(later.contains("00:00:02.000 --> 00:00:05.000\nHello <00:00:03.000>world"), "\(later)")
  }

  /// Styles, places and modes are in the JSON.
  @Test func details() async throws {
    let folder = folder()
    let json = try await works(["captions", "info", "film.srt", "--json"], in: folder)
    let first = try #require((json.objects().first?["captions"] as? [[String: Any]])?.first)
    let style = try #require((first["styles"] as? [[String: Any]])?.first)
    #expect(style["italic"] as? Bool == true && style["count"] as? Int == 5)
    #expect((first["region"] as? [String: Any])?["displayAlignment"] as? String == "after")
    try await works(["captions", "convert", "film.srt", "-o", "film.scc"], in: folder)
    let cells = try await works(["captions", "info", "film.scc", "--json"], in: folder)
    let report = try #require(cells.objects().first)
    #expect(report["channel"] as? Int == 1 && report["field"] as? Int == 1)
    let modes = (report["captions"] as? [[String: Any]])?.compactMap { $0["mode"] as? String }
    #expect(modes == ["popOn", "popOn", "popOn"])
  }

  /// Everything that is named counts: losses, faults of the file, rows.
  @Test func gate() async throws {
    let folder = folder()
    let files = [
      "emoji.srt": "1\n00:00:10,000 --> 00:00:12,000\nA \u{1F600}\n",
      "odd.srt": "what\n\n" + Self.subRip,
      "rows.srt":
        "1\n00:00:10,000 --> 00:00:12,000\na\nb\nc\n\n2\n00:00:10,000 --> 00:00:12,000\nd\ne\n",
    ]
    for (name, text) in files {
      folder.write(Array(text.utf8), to: name)
      let outcome = try await Program.focal(["captions", "validate", name], in: folder)
      #expect(outcome.code == 1, "\(name): \(outcome.output)")
    }
  }

  /// A .scc file is judged as it is sent, with its loads; notes are no faults.
  @Test func transmission() async throws {
    let folder = folder()
    let head = "Scenarist_SCC V1.0\n\n"
    let fine =
      "00:00:01:00\t9420 9420 94ae 94ae 9470 9470 c1c2 942f 942f\n\n00:00:05:00\t942c 942c\n"
    folder.write(Array((head + fine).utf8), to: "fine.scc")
    folder.write(
      Array((head + fine.replacing("00:00:05:00", with: "00:00:01:03")).utf8), to: "late.scc")
    let good = try await works(["captions", "validate", "fine.scc", "--json"], in: folder)
    let report = try #require(good.objects().first?["transmission"] as? [String: Any])
    #expect((report["loads"] as? [[String: Any]])?.first?["pairs"] as? Int == 8)
    let late = try await Program.focal(["captions", "validate", "late.scc"], in: folder)
    #expect(late.code == 1 && late.errors.contains("warning: the line begins"), "\(late.errors)")
    folder.write(
      Array("WEBVTT T\n\nNOTE n\n\nid\n00:01.000 --> 00:02.000\n<v Mary>x\n".utf8), to: "n.vtt")
    try await works(["captions", "validate", "n.vtt"], in: folder)
    try await works(["captions", "convert", "n.vtt", "-o", "n.srt", "--strict"], in: folder)
    let info = try await works(["captions", "info", "n.vtt", "--json"], in: folder)
    let issues = try #require(info.objects().first?["issues"] as? [[String: Any]])
    #expect(issues.compactMap { $0["severity"] as? String } == ["note"])
  }

  @Test func encoding() async throws {
    let folder = folder()
    let head = Array("1\n00:00:01,000 --> 00:00:02,000\n".utf8)
    folder.write(head + [0xCF, 0xF0, 0xE8, 0xE2, 0xE5, 0xF2], to: "cyrillic.srt")
    let read = try await works(
      ["captions", "info", "cyrillic.srt", "--encoding", "windows-1251"], in: folder)
    #expect(read.output.contains("Привет") && read.errors.isEmpty)
    let unnamed = try await works(["captions", "info", "cyrillic.srt"], in: folder)
    #expect(unnamed.errors.contains("it looks like windows-1251"))
    try await refuses(
      ["captions", "info", "cyrillic.srt", "--encoding", "nonsense"], in: folder,
      naming: ["nonsense"])
  }

  @Test func shift() async throws {
    let folder = folder()
    try await works(
      ["captions", "shift", "film.srt", "--by", "-2.5", "--scale", "2", "-o", "b.srt"], in: folder)
    let captions = try CaptionDocument(reading: folder.read("b.srt")).captions
    #expect(captions.map { $0.timeRange.start.seconds } == [15, 20])
    #expect(captions.map { $0.timeRange.duration.seconds } == [4, 3])
    try await refuses(
      ["captions", "shift", "film.srt", "-o", "c.srt"], in: folder, code: 64,
      naming: ["--by", "--scale"])
    try await refuses(
      ["captions", "shift", "film.srt", "--by", "-11", "-o", "c.srt"], in: folder, naming: ["-1.0"])
  }

  @Test func timeline() async throws {
    let folder = folder()
    folder.write(Array(crowded().utf8), to: "crowded.srt")
    try await works(
      ["captions", "preview", "crowded.srt", "--timeline", "-o", "a.svg"], in: folder)
    let svg = String(decoding: folder.read("a.svg"), as: UTF8.self)
    #expect(svg.contains("#d62728") && svg.contains("#ff9f1c") && svg.hasSuffix("</svg>\n"))
  }

  /// Another language goes into the frames that the first one leaves; reading says that it is there.
  @Test func bothChannels() async throws {
    let folder = folder()
    try await works(
      ["captions", "shift", "film.srt", "--by", "0.5", "-o", "other.vtt", "--json"], in: folder)
    let done = try await works(
      ["captions", "convert", "film.srt", "-o", "a.scc", "--other-channel", "other.vtt", "--json"],
      in: folder)
    #expect(try done.objects().first?["otherCaptions"] as? Int == 2)
    let first = try await works(["captions", "info", "a.scc"], in: folder)
    #expect(first.errors.contains("channel 2 has captions, too"))
    let second = try await works(
      ["captions", "info", "a.scc", "--channel", "2", "--json"], in: folder)
    let captions = try #require(second.objects().first?["captions"] as? [[String: Any]])
    #expect(captions.compactMap { $0["text"] as? String }.last == "Second")
    // Both come back from the file itself.
    try await works(
      ["captions", "convert", "a.scc", "-o", "b.scc", "--other-channel", "a.scc"], in: folder)
    for channel in ["1", "2"] {
      let info = ["captions", "info", "--channel", channel, "--json"]
      func starts(_ file: String) async throws -> [Double] {
        let objects = try await works(info + [file], in: folder).objects()
        return (objects.first?["captions"] as? [[String: Any]] ?? []).compactMap {
          $0["start"] as? Double
        }
      }
      let before = try await starts("a.scc")
      #expect(try await starts("b.scc") == before && before.count == 3)
    }
    try await refuses(
      ["captions", "convert", "film.srt", "-o", "c.vtt", "--other-channel", "other.vtt"],
      in: folder, naming: ["--other-channel", "c.vtt"])
  }

  @Test func bench() async throws {
    let folder = folder()
    let damaged = try await works(["bench-captions", "--mutations", "300", "--json"], in: folder)
    let report = try #require(damaged.objects().first)
    #expect(report["files"] as? Int == 300)
    let read = try #require(report["read"] as? Int)
    #expect(read > 100 && read < 300)
    try await refuses(
      ["bench-captions", "--mutations", "0"], in: folder, code: 64, naming: ["--mutations"])
    try await refuses(
      ["bench-captions", "--seed", "2"], in: folder, code: 64, naming: ["--seed", "--mutations"])
  }

  @Test func refusals() async throws {
    let folder = folder()
    folder.write(Array("nothing".utf8), to: "bad.itt")
    folder.write(Array("what\n\n".utf8) + Array(Self.subRip.utf8), to: "odd.srt")
    try await refuses(["captions", "info", "bad.itt"], in: folder, naming: ["bad.itt"])
    try await refuses(["captions", "info", "no.srt"], in: folder, naming: ["no.srt"])
    try await refuses(
      ["captions", "info", "odd.srt", "--strict"], in: folder, naming: ["odd.srt", "line 1"])
    let convert = ["captions", "convert", "film.srt", "-o"]
    try await refuses(convert + ["film.txt"], in: folder, naming: ["film.txt"])
    try await refuses(
      convert + ["a.itt", "--frame-rate", "25", "--drop-frame"], in: folder,
      naming: ["25", "29.97"])
    for command in [
      ["info", "film.srt"], ["preview", "film.srt", "--at", "1", "-o", "a.png"],
      ["preview", "film.srt", "--timeline", "-o", "a.svg"],
    ] {
      try await refuses(
        ["captions"] + command + ["--channel", "2"], in: folder, naming: ["--channel"])
    }
    try await refuses(
      ["captions", "info", "film.srt", "--field", "2"], in: folder, code: 64, naming: ["--field"])
    try await refuses(convert + ["film.srt"], in: folder, naming: ["film.srt"])
    try await refuses(convert + ["bad.itt"], in: folder, naming: ["bad.itt", "--force"])
    try await refuses(
      convert + ["a.scc", "--frame-rate", "25"], in: folder, naming: ["29.97"])
    for (name, option) in [
      ("a.srt", ["--frame-rate", "25"]), ("a.vtt", ["--drop-frame"]),
    ] {
      try await refuses(
        convert + [name] + option, in: folder, naming: [option[0], String(name.suffix(4))])
      try await refuses(
        ["captions", "shift", "film.srt", "--by", "1", "-o", name] + option, in: folder,
        naming: [option[0]])
    }
    try await refuses(
      ["captions", "validate", "film.srt", "--repair"], in: folder, code: 64, naming: ["--output"])
    try await refuses(
      ["captions", "preview", "film.srt", "-o", "a.svg"], in: folder, code: 64,
      naming: ["--timeline"])
  }
}
