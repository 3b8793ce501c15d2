// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import MovieKit
import Testing

@Suite struct BoxBrowserTests {
  /// Numbers, counts and ranges below zero name nothing.
  @Test func placesBelowZero() async throws {
    let bytes = PhoneMovie.layout().bytes()
    let browser = BoxBrowser(MemorySource(bytes))
    #expect(try await browser.topLevel(number: -1) == nil)
    #expect(try await browser.topLevel(number: .min) == nil)
    let first = try #require(try await browser.topLevel(number: 0))
    #expect(first.type == "ftyp")
    #expect(try await browser.topLevel(number: 1000) == nil)
    for count in [-1, .min, 0] {
      #expect(try await browser.prefix(of: first, count: count).isEmpty)
    }
    #expect(try await browser.prefix(of: first, count: 4).elementsEqual(bytes[8..<12]))
    #expect(try await browser.bytes(-9 ..< -1).isEmpty)
    #expect(try await browser.bytes(-9..<4).elementsEqual(bytes[..<4]))
  }
}
