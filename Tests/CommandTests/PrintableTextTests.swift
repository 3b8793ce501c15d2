// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import FocalCommands

/// Text from files must not control a terminal.
@Suite struct PrintableTextTests {
  @Test func controlCharactersAreShown() {
    #expect(printable("a\u{1B}[2Jb\u{7}\u{9B}31m\r") == #"a\u{1B}[2Jb\u{7}\u{9B}31m\u{D}"#)
    #expect(printable("gpj.\u{202E}exe\u{7F}") == #"gpj.\u{202E}exe\u{7F}"#)
  }

  @Test func textStays() {
    let text = "naïve\tשלום 日本語 👩‍👩‍👧\nsecond line"
    #expect(printable(text) == text)
  }

  /// A name with an escape sequence comes back in the message as text.
  @Test func messagesCarryNoEscapes() async throws {
    let folder = Folder()
    let outcome = try await Program.focal(["info", "a\u{1B}[31m.mov"], in: folder)
    #expect(outcome.code == 1)
    #expect(!outcome.errors.contains("\u{1B}"))
    #expect(outcome.errors.contains(#"a\u{1B}[31m.mov"#))
  }
}
