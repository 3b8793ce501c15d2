// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Synchronization

/// Sentences about work while it goes on: what is done, what is assumed, and what cannot be kept. Each is a line, without a
/// final full stop.
package final class Notes: Sendable {
  private struct State {
    var sentences: [CinematicError.Wording] = []
    var heads: Set<String> = []
  }

  private let state = Mutex(State())
  private let handler: @Sendable (CinematicError.Wording) -> Void

  /// - Parameter handler: is called with each sentence as it comes, on the thread that says it.
  package init(_ handler: @escaping @Sendable (CinematicError.Wording) -> Void) {
    self.handler = handler
  }

  /// All so far, in their order.
  package var sentences: [CinematicError.Wording] { state.withLock { $0.sentences } }

  package func callAsFunction(_ text: String) {
    self(worded: CinematicError.Wording(stringLiteral: text))
  }

  /// Says a sentence that points at parameters.
  package func callAsFunction(worded text: CinematicError.Wording) {
    state.withLock { $0.sentences.append(text) }
    handler(text)
  }

  /// Whether a thing comes up for the first time: what is looked for again is said once.
  package func isNew(_ thing: String) -> Bool {
    state.withLock { $0.heads.insert(thing).inserted }
  }
}
