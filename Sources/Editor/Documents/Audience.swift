// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// The pages that are open in browsers, and the movies that they look at.
///
/// A message is with each page's mailbox when the call that tells it returns: pages get messages in the order in which
/// they were told.
final class Audience: Sendable {
  private struct Page {
    let mailbox: Mailbox
    var movie: Int?
  }

  private struct State {
    var pages: [Int: Page] = [:]
    var count = 0
  }

  private let state = Mutex(State())

  /// - Returns: the page's number.
  func join(_ mailbox: Mailbox) -> Int {
    state.withLock { state in
      state.count += 1
      state.pages[state.count] = Page(mailbox: mailbox)
      return state.count
    }
  }

  func leave(_ page: Int) {
    state.withLock { state in state.pages.removeValue(forKey: page) }?.mailbox.close()
  }

  func close() {
    let pages = state.withLock { state in
      defer { state.pages = [:] }
      return state.pages.values
    }
    for page in pages { page.mailbox.close() }
  }

  /// From now on a page is told about a movie, and of the others nothing.
  func show(_ movie: Int, to page: Int) {
    state.withLock { $0.pages[page]?.movie = movie }
  }

  /// The movie that a page looks at.
  func movie(of page: Int) -> Int? { state.withLock { $0.pages[page]?.movie } }

  /// The movies at which anybody looks.
  var movies: Set<Int> { state.withLock { Set($0.pages.values.compactMap(\.movie)) } }

  /// Tells the pages of a movie, or all.
  func tell(_ movie: Int?, _ message: Data, _ key: String?) {
    // Under the lock, so that every page has two messages in the same order.
    state.withLock { state in
      for page in state.pages.values where movie == nil || page.movie == movie {
        page.mailbox.post(message, key: key)
      }
    }
  }
}
