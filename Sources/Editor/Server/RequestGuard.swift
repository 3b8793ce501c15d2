// SPDX-License-Identifier: Apache-2.0

import NIOHTTP1
import Synchronization

/// Decides whether a request may be answered at all. Nothing counts but the request's head, and whether a pass was used.
///
/// - The address is loopback by name, whichever port a tunnel has: a page whose name was rebound to this machine
///   sends its own name as Host.
/// - Pages of other sites say so by Origin and Sec-Fetch-Site.
/// - The token, which the address holds once, is exchanged for a cookie that scripts cannot read.
/// - A pass is a token that is good once, and not for long: whoever reads it later has nothing.
struct RequestGuard: Sendable {
  enum Verdict: Equatable {
    case allowed
    /// The address held the token: the cookie, then the page.
    case enter(cookie: String)
    case refused(HTTPResponseStatus, String)
  }

  let token: String
  private let session: String
  private let cookieName: String
  private let pass = Pass()

  init() {
    token = Self.secret()
    session = Self.secret()
    cookieName = "focal-\(Self.secret().prefix(8))"
  }

  /// 192 bits of the system's generator.
  private static func secret() -> String {
    var generator = SystemRandomNumberGenerator()
    return (0..<3).map { _ in
      let digits = String(generator.next(), radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  /// A new pass; the one before is void.
  func makePass(for duration: Duration = .seconds(120)) -> String {
    let secret = Self.secret()
    pass.begin(secret, until: ContinuousClock.now + duration)
    return secret
  }

  private static let hosts: Set<String> = ["127.0.0.1", "localhost", "[::1]"]

  func verdict(_ head: HTTPRequestHead, isSocket: Bool) -> Verdict {
    guard head.method == .GET else {
      return .refused(.methodNotAllowed, "only GET is answered")
    }
    let named = head.headers["host"]
    guard named.count == 1, Self.hosts.contains(Self.name(ofHost: named[0])) else {
      return .refused(.forbidden, "the address is not this machine's own")
    }
    let host = named[0].lowercased()
    let origins = head.headers["origin"]
    guard origins.count <= 1, origins.allSatisfy({ $0.lowercased() == "http://" + host }),
      !isSocket || origins.count == 1
    else { return .refused(.forbidden, "another site asks") }
    let (path, query) = Self.parts(head.uri)
    // Followed from anywhere, the address opens the page: it holds the secret.
    if path == "/", let given = query["token"] {
      return entrance(given, head)
    }
    let sites = head.headers["sec-fetch-site"]
    guard sites.allSatisfy({ $0 == "same-origin" || $0 == "none" }) else {
      return .refused(.forbidden, "another site asks")
    }
    return hasCookie(head)
      ? .allowed : .refused(.forbidden, "open the address with the token that focal printed")
  }

  /// The verdict on a token.
  private func entrance(_ given: String, _ head: HTTPRequestHead) -> Verdict {
    let entering = Verdict.enter(
      cookie: "\(cookieName)=\(session); HttpOnly; SameSite=Strict; Path=/")
    if Self.isSame(given, token) { return entering }
    switch pass.use(given) {
    case .opens: return entering
    // A browser that asks twice is in already.
    case .isVoid where hasCookie(head): return entering
    case .isVoid:
      return .refused(
        .forbidden, "this address was good once, and not for long: open the one that focal printed")
    case .isForeign: return .refused(.forbidden, "the token is not this editor's")
    }
  }

  private func hasCookie(_ head: HTTPRequestHead) -> Bool {
    let cookies = head.headers["cookie"].flatMap { $0.split(separator: ";") }
    return cookies.contains { cookie in
      let parts = cookie.split(separator: "=", maxSplits: 1)
      return parts.count == 2 && parts[0].drop { $0 == " " } == cookieName
        && Self.isSame(String(parts[1]), session)
    }
  }

  /// The path and the query's values, as they stand.
  static func parts(_ uri: String) -> (path: String, query: [String: String]) {
    let parts = uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    var query: [String: String] = [:]
    for pair in (parts.count > 1 ? parts[1] : "").split(separator: "&") {
      let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if sides.count == 2 { query[String(sides[0])] = String(sides[1]) }
    }
    return (String(parts[0]), query)
  }

  private static func name(ofHost host: String) -> String {
    guard let colon = host.lastIndex(of: ":"),
      host[host.index(after: colon)...].allSatisfy(\.isNumber)
    else { return host.lowercased() }
    return host[..<colon].lowercased()
  }

  /// Takes as long for any text of this length.
  fileprivate static func isSame(_ a: String, _ b: String) -> Bool {
    let (a, b) = (Array(a.utf8), Array(b.utf8))
    guard a.count == b.count else { return false }
    return zip(a, b).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}

/// A token that is good once, until a moment.
private final class Pass: Sendable {
  enum Use { case opens, isVoid, isForeign }

  private struct State {
    var secret: String?
    var end = ContinuousClock.now
    var isUsed = false
  }

  private let state = Mutex(State())

  func begin(_ secret: String, until end: ContinuousClock.Instant) {
    state.withLock { $0 = State(secret: secret, end: end) }
  }

  func use(_ given: String) -> Use {
    state.withLock { state in
      guard let secret = state.secret, RequestGuard.isSame(given, secret) else { return .isForeign }
      guard !state.isUsed, ContinuousClock.now < state.end else { return .isVoid }
      state.isUsed = true
      return .opens
    }
  }
}
