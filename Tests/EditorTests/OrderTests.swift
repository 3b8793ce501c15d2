// SPDX-License-Identifier: Apache-2.0

import Foundation
import MovieKit
import Testing

@testable import FocalEditor

/// Pages get messages in the order in which they were told.
@Suite struct OrderTests {
  private static func texts(_ mailbox: Mailbox, _ count: Int) async -> [String] {
    var result: [String] = []
    for _ in 0..<count {
      guard let message = await mailbox.next() else { break }
      result.append(String(decoding: message, as: UTF8.self))
    }
    return result
  }

  /// A message of a key stands where its latest was posted: a movie's first state behind the movie.
  @Test func keysKeepTheOrder() async {
    let mailbox = Mailbox()
    for (text, key) in [
      ("state 1", "state"), ("jobs 1", "jobs"), ("document", nil), ("state 2", "state"),
      ("notice", nil), ("jobs 2", "jobs"),
    ] as [(String, String?)] {
      mailbox.post(Data(text.utf8), key: key)
    }
    #expect(await Self.texts(mailbox, 4) == ["document", "state 2", "notice", "jobs 2"])
  }

  /// What is equal has one text, by which pages compare.
  @Test func equalMessagesAreEqualTexts() {
    let box = Message.Frame.Box(
      id: 1, group: 2, label: "Cat", part: "head", rect: [0, 0.5], isInFocus: true,
      isSubject: true, isStrong: false)
    let text =
      #"{"group":2,"id":1,"isInFocus":true,"isStrong":false,"isSubject":true,"label":"Cat","#
      + #""part":"head","rect":[0,0.5]}"#
    #expect(String(decoding: Message.data(box), as: UTF8.self) == text)
    #expect(String(decoding: Reply.described(box, Data()).body.dropFirst(4), as: UTF8.self) == text)
  }

  /// Tellers at the same time: each one's messages in their order, and all pages have the same.
  @Test func tellersAtTheSameTime() async {
    let audience = Audience()
    let mailboxes = (0..<3).map { _ in Mailbox() }
    for mailbox in mailboxes { audience.show(0, to: audience.join(mailbox)) }
    await withTaskGroup(of: Void.self) { group in
      for teller in 0..<4 {
        group.addTask {
          for number in 0..<50 { audience.tell(0, Data("\(teller) \(number)".utf8), nil) }
        }
      }
    }
    var heard: [[String]] = []
    for mailbox in mailboxes { heard.append(await Self.texts(mailbox, 200)) }
    #expect(heard[0] == heard[1] && heard[1] == heard[2])
    for teller in 0..<4 {
      let own = heard[0].filter { $0.hasPrefix("\(teller) ") }
      #expect(own == (0..<50).map { "\(teller) \($0)" })
    }
  }

  /// A page that comes while others edit never gets an older state after a newer one.
  @Test(.enabled(if: EncodedClip.isPossible, "this FFmpeg has no libx265"))
  func answersInTurn() async throws {
    try await Studio().serving { address in
      let page = try await Page.opened(address)
      _ = try await page.state(after: ["name": "range", "start": 3, "end": 9])
      let rounds = 40
      for _ in 0..<rounds {
        // The first is answered by the movie, the second by the editor.
        try await page.send(["name": "save"])
        try await page.send(["name": "takeBack"])
        try await page.send(["name": "open", "movie": 99])
      }
      var order: [String] = []
      while order.count < rounds * 3 {
        let message = try await page.next()
        guard let type = message["type"] as? String, ["notice", "failure"].contains(type) else {
          continue
        }
        order.append(type)
      }
      #expect(order == (0..<rounds).flatMap { _ in ["notice", "failure", "failure"] })
    }
  }

  /// A command names the movie that the page shows: another one that is open by then gets none of it.
  @Test(.enabled(if: EncodedClip.isPossible, "this FFmpeg has no libx265"))
  func commandsForAnotherMovie() async throws {
    let studio = try Studio()
    try FileManager.default.copyItem(
      atPath: studio.movie, toPath: studio.folder + "/second.mov")
    try await studio.serving { address in
      let page = try await Page.opened(address)
      let late: [[String: Any]] = [
        ["name": "fNumber", "value": 8, "movie": 0], ["name": "save", "movie": 0],
        ["name": "tap", "frame": 8, "x": 0.7, "y": 0.4, "movie": 0],
        ["name": "export", "preset": "preview", "file": "a.mp4", "movie": 0],
      ]
      // Until the second one is there, the first one is shown.
      try await page.send(["name": "open", "movie": 1])
      for command in late { try await page.send(command) }
      try await page.send(["name": "curve", "movie": 0])
      #expect(try await page.next("document")["movie"] as? Int == 1)
      #expect(State(try await page.next("state")).revision == 0)
      for _ in late {
        let message = try await page.next("failure")["message"] as? String
        #expect(message?.contains("another movie") == true)
      }
      // What was asked about the first one has no answer.
      try await page.send(["name": "curve", "movie": 1])
      #expect(try await page.next("curve")["movie"] as? Int == 1)
      let named = try await page.state(after: ["name": "fNumber", "value": 4, "movie": 1])
      #expect(named.fNumber == 4 && named.revision == 1)
      // One that names none is for the one that is open.
      #expect(try await page.state(after: ["name": "undo"]).revision == 2)
    }
    #expect(studio.names == ["movie.mov", "second.mov"])
  }
}
