// SPDX-License-Identifier: Apache-2.0

import Foundation
import MovieKit
import Testing

/// Pictures of the editor, and the boxes in them.
@Suite(.enabled(if: EncodedClip.isPossible, "this FFmpeg has no libx265"))
struct PictureTests {
  /// What is said about a picture, and its bytes.
  private static func frame(_ reply: Answer) throws -> ([String: Any], ArraySlice<UInt8>) {
    try #require(reply.status == 200 && reply.body.count > 4)
    let length = reply.body.prefix(4).enumerated().reduce(0) {
      $0 | Int($1.element) << (8 * $1.offset)
    }
    try #require(reply.body.count > 4 + length)
    let head = try JSONSerialization.jsonObject(with: Data(reply.body[4..<(4 + length)]))
    return (try #require(head as? [String: Any]), reply.body[(4 + length)...])
  }

  /// What is decided at a frame begins with it, in the list as in the picture, also where the script rounds the movie's times
  /// down (frame 7) or up (frame 8).
  @Test(arguments: [false, true]) func decisionsBeginWithTheirFrames(isRounded: Bool) async throws {
    try await Studio(isRounded: isRounded).serving { address in
      let page = try await Page.opened(address)
      let cookie = try await address.cookie()
      func inFocus(_ number: Int) async throws -> [Int] {
        let wish = "/frame?movie=0&frame=\(number)&width=96&height=64&quality=thumbnail&line=a"
        let head = try Self.frame(try await address.get(wish, cookie: cookie)).0
        let boxes = head["boxes"] as? [[String: Any]] ?? []
        #expect(boxes.count == ((6..<18).contains(number) ? 2 : 1))
        return boxes.filter { $0["isInFocus"] as? Bool == true }.compactMap { $0["id"] as? Int }
      }
      for frame in [7, 8, 9] {
        let command: [String: Any] = [
          "name": "decide", "frame": frame, "track": 2, "strong": true,
        ]
        #expect(try await page.state(after: command).user == ["\(frame)s[2]"])
        #expect(try await inFocus(frame - 1) == [1])
        #expect(try await inFocus(frame) == [2])
        _ = try await page.state(after: ["name": "undo"])
        let tap: [String: Any] = ["name": "tap", "frame": frame, "x": 0.7, "y": 0.4]
        #expect(try await page.state(after: tap).user == ["\(frame)w[2]"])
        #expect(try await inFocus(frame - 1) == [1])
        #expect(try await inFocus(frame) == [2])
        let fix: [String: Any] = ["name": "fix", "frame": 6, "x": 0.5, "y": 0.5]
        #expect(try await page.state(after: fix).user.first?.hasPrefix("6s") == true)
        for _ in 0..<2 { _ = try await page.state(after: ["name": "undo"]) }
      }
      #expect(try await inFocus(5) == [1])
    }
  }

  /// Every box of a person in focus says so, and which part of the person it is; the distance is one box's.
  @Test(arguments: [false, true]) func boxesOfOnePerson(isOne: Bool) async throws {
    try await Studio(isOnePerson: isOne).serving { address in
      let page = try await Page.opened(address)
      let subject = isOne ? ["group": 7] : ["track": 1]
      let values: [String: Any] = ["name": "decide", "frame": 7, "strong": true]
      _ = try await page.state(after: values.merging(subject) { old, _ in old })
      let wish = "/frame?movie=0&frame=7&width=96&height=64&quality=thumbnail&line=a"
      let cookie = try await address.cookie()
      let head = try Self.frame(try await address.get(wish, cookie: cookie)).0
      let boxes = (head["boxes"] as? [[String: Any]] ?? []).sorted {
        ($0["id"] as? Int ?? 0) < ($1["id"] as? Int ?? 0)
      }
      #expect(boxes.map { $0["isInFocus"] as? Bool } == [true, false])
      for name in ["isSubject", "isStrong"] {
        #expect(boxes.map { $0[name] as? Bool } == [true, isOne], "\(name)")
      }
      #expect(boxes.map { $0["part"] as? String } == ["face", isOne ? "body" : "face"])
    }
  }

  @Test func pictures() async throws {
    try await Studio().serving { address in
      let cookie = try await address.cookie()
      let wish = "/frame?movie=0&frame=7&width=96&height=64&quality=export&purpose=scrub&line=a"
      let (head, picture) = try Self.frame(try await address.get(wish, cookie: cookie))
      #expect(head["frame"] as? Int == 7 && head["width"] as? Int == 96)
      #expect((head["boxes"] as? [[String: Any]])?.count == 2)
      #expect(picture.starts(with: [0xFF, 0xD8]))
      for thumbnail in ["frame=3", "frame=3&distance=0&graded=1", "frame=23&distance=99"] {
        let path = "/thumbnail?movie=0&\(thumbnail)"
        #expect(try await address.get(path, cookie: cookie).status == 200, "\(thumbnail)")
      }
      for bad in [
        "/frame", "/frame?movie=0&frame=24&width=96&height=64",
        "/frame?movie=9&frame=0&width=96&height=64",
        "/frame?movie=-1&frame=0&width=96&height=64",
        "/frame?movie=0&frame=0&width=99999&height=64",
        "/frame?movie=0&frame=a&width=96&height=64", "/sound?movie=0&piece=0", "/outline?movie=0",
        "/thumbnail?movie=0&frame=-1", "/thumbnail?movie=0&frame=3&distance=-1",
      ] {
        #expect(try await address.get(bad, cookie: cookie).status == 400, "\(bad)")
      }
    }
  }
}
