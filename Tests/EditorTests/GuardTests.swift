// SPDX-License-Identifier: Apache-2.0

import FocalCore
import NIOHTTP1
import Testing

@testable import FocalEditor

@Suite struct GuardTests {
  private let guardian = RequestGuard()

  private func verdict(
    _ uri: String = "/", _ headers: [(String, String)] = [("Host", "127.0.0.1:8080")],
    method: HTTPMethod = .GET, isSocket: Bool = false, hasCookie: Bool = true
  ) -> RequestGuard.Verdict {
    var all = HTTPHeaders(headers)
    if hasCookie, case .enter(let cookie) = entered() {
      all.add(name: "Cookie", value: "other=1; " + cookie.prefix { $0 != ";" })
    }
    return guardian.verdict(
      HTTPRequestHead(version: .http1_1, method: method, uri: uri, headers: all),
      isSocket: isSocket)
  }

  private func entered() -> RequestGuard.Verdict {
    guardian.verdict(
      HTTPRequestHead(
        version: .http1_1, method: .GET, uri: "/?token=\(guardian.token)",
        headers: ["Host": "localhost:9"]), isSocket: false)
  }

  private func isRefused(_ verdict: RequestGuard.Verdict) -> Bool {
    if case .refused = verdict { true } else { false }
  }

  @Test func ownAddressesByAnyPort() {
    for host in ["127.0.0.1:8080", "localhost", "LOCALHOST:1", "[::1]:9000", "[::1]"] {
      #expect(verdict("/", [("Host", host)]) == .allowed, "\(host)")
    }
  }

  @Test func namesThatWereRebound() {
    for host in [
      "evil.example", "evil.example:8080", "127.0.0.1.evil.example", "localhost.evil.example:80",
      "",
      "192.168.0.2:8080", "0.0.0.0:8080",
    ] {
      #expect(isRefused(verdict("/", [("Host", host)])), "\(host)")
    }
    #expect(isRefused(verdict("/", [])))
    #expect(isRefused(verdict("/", [("Host", "localhost"), ("Host", "localhost")])))
  }

  @Test func otherSites() {
    let own = ("Host", "127.0.0.1:8080")
    #expect(
      verdict("/socket", [own, ("Origin", "http://127.0.0.1:8080")], isSocket: true) == .allowed)
    for origin in [
      "http://evil.example", "http://127.0.0.1:8081", "https://127.0.0.1:8080", "null",
      "http://localhost:8080",
    ] {
      #expect(
        isRefused(verdict("/socket", [own, ("Origin", origin)], isSocket: true)), "\(origin)")
      #expect(isRefused(verdict("/frame", [own, ("Origin", origin)])), "\(origin)")
    }
    // A browser's socket always says where its page is from.
    #expect(isRefused(verdict("/socket", [own], isSocket: true)))
    for site in ["cross-site", "same-site"] {
      #expect(isRefused(verdict("/frame", [own, ("Sec-Fetch-Site", site)])))
    }
    #expect(verdict("/frame", [own, ("Sec-Fetch-Site", "same-origin")]) == .allowed)
    #expect(verdict("/", [own, ("Sec-Fetch-Site", "none")]) == .allowed)
  }

  @Test func tokenAndCookie() throws {
    guard case .enter(let cookie) = entered() else {
      Issue.record("the token does not open the page")
      return
    }
    for part in ["HttpOnly", "SameSite=Strict", "Path=/"] { #expect(cookie.contains(part)) }
    #expect(!cookie.contains(guardian.token))
    #expect(guardian.token.count == 48)
    #expect(isRefused(verdict(hasCookie: false)))
    #expect(isRefused(verdict("/?token=", hasCookie: false)))
    #expect(isRefused(verdict("/?token=\(guardian.token.dropLast())", hasCookie: false)))
    #expect(isRefused(verdict("/frame?token=\(guardian.token)", hasCookie: false)))
    let forged = cookie.prefix { $0 != "=" } + "=" + String(repeating: "0", count: 48)
    #expect(
      isRefused(
        verdict("/", [("Host", "localhost"), ("Cookie", String(forged))], hasCookie: false)))
    // Another editor's are of no use.
    #expect(RequestGuard().token != guardian.token)
    for method in [HTTPMethod.POST, .PUT, .DELETE, .OPTIONS, .HEAD] {
      #expect(isRefused(verdict(method: method)))
    }
  }

  /// A browser's arguments, which others can read, hold a pass: it is good once.
  @Test func passes() {
    func enters(_ token: String, hasCookie: Bool = false) -> Bool {
      if case .enter = verdict("/?token=\(token)", hasCookie: hasCookie) { true } else { false }
    }
    let pass = guardian.makePass()
    #expect(pass.count == 48 && pass != guardian.token)
    #expect(!enters(String(pass.dropLast())))
    #expect(enters(pass))
    #expect(!enters(pass))
    // A page that is in stays in.
    #expect(enters(pass, hasCookie: true))
    #expect(!enters("", hasCookie: true))
    let (older, newer) = (guardian.makePass(), guardian.makePass())
    #expect(!enters(older))
    #expect(enters(newer))
    let late = guardian.makePass(for: .zero)
    #expect(!enters(late))
    for _ in 0..<2 { #expect(enters(guardian.token)) }
  }

  @Test func namesOfFiles() throws {
    #expect(try FileName.checked("film", ending: "mov") == "film.mov")
    #expect(try FileName.checked("a b.mov", ending: "mov") == "a b.mov")
    #expect(try FileName.checked("film.MOV", ending: "mov") == "film.MOV")
    let percent = #expect(throws: CinematicError.self) {
      try FileName.checked("100%.mov", ending: "mov")
    }
    #expect(percent?.message.contains("has a %") == true)
    for name in [
      "", "../film", "/etc/passwd", "a/b", "a\\b", ".hidden", "-o", "a\nb", "a\u{0}b", "%04d",
      String(repeating: "a", count: 300),
    ] {
      let error = #expect(throws: CinematicError.self, "\(name)") {
        try FileName.checked(name, ending: "mov")
      }
      #expect(error?.code == .invalidParameter, "\(name)")
    }
  }

  @Test func ratesAndMailboxes() async {
    var rate = RateLimit(burst: 3, perSecond: 0.001)
    let taken = (0..<5).map { _ in rate.take() }
    #expect(taken == [true, true, true, false, false])
    let mailbox = Mailbox()
    mailbox.post(.init([1]), key: "state")
    mailbox.post(.init([2]))
    mailbox.post(.init([3]), key: "state")
    #expect(await mailbox.next() == .init([2]))
    #expect(await mailbox.next() == .init([3]))
    // A client that never reads is let go.
    for _ in 0..<300 { mailbox.post(.init([4])) }
    #expect(await mailbox.next() == nil)
  }
}
