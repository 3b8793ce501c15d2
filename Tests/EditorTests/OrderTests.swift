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
}
