// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import Foundation
import MovieKit
import Synchronization
import Testing

@testable import FocalMedia

/// Servers that change, compress, lead elsewhere or never come to an end.
@Suite struct ServerTests {
  private static let bytes = (0..<5000).map { UInt8(truncatingIfNeeded: $0 * 7) }

  private static func error(
    _ behaviour: RangeServer.Behaviour, patience: Duration = .seconds(30)
  ) async throws -> CinematicError? {
    let server = try RangeServer(bytes, behaviour: behaviour)
    defer { server.stop() }
    let source = try HTTPByteSource(server.address, patience: patience)
    return await failure { () async throws(CinematicError) in _ = try await source.read(100..<200) }
  }

  @Test(
    arguments: [
      ("bytes 10-19/100", 100), ("bytes 10-19/20", 20), ("bytes 10-14/15", 15),
      ("bytes 10-19/-5", nil), ("bytes 10-18/100", nil), ("bytes 10-20/100", nil),
      ("bytes 9-19/100", nil), ("bytes 10-19/15", nil), ("bytes 10-19/*", nil),
      ("bytes */100", nil), ("bytes 10-19/10", nil), ("bytes +10-19/100", nil),
      ("bytes 10-19/99999999999999999999", nil), ("items 10-19/100", nil), ("", nil),
      ("bytes 10-19-20/100", nil), ("bytes 10-19/100/200", nil),
    ] as [(String, Int64?)])
  func rangesAreReadWhole(_ text: String, _ total: Int64?) {
    #expect(RangeHead.total(ofContentRange: text, asked: 10..<20) == total)
  }

  /// Two versions never mix, whether a server has tags or dates, and whether it heeds conditions.
  @Test(arguments: ["ETag: \"%\"", "ETag: W/\"%\"", "Last-Modified: Mon, 0% Jan 2024 10:00:00 GMT"])
  func versionsAreApart(_ field: String) async throws {
    func behaviour(changes: Bool) -> RangeServer.Behaviour {
      .other { _, number, usual in
        let line = field.replacing("%", with: "\(changes ? number : 1)")
        return (usual.head.replacing("Connection:", with: "\(line)\r\nConnection:"), usual.body)
      }
    }
    #expect(try await Self.error(behaviour(changes: false)) == nil)
    let found = try await Self.error(behaviour(changes: true))
    #expect(found?.code == .downloadFailed)
    #expect(found?.message.contains("changed") == true, "\(found as Any)")
  }

  @Test func serversAreAskedForOneVersion() async throws {
    let asked = Mutex<[Bool]>([])
    let found = try await Self.error(
      .other { request, number, usual in
        asked.withLock { $0.append(request.lowercased().contains("if-range: \"a\"")) }
        if number == 0 {
          return (
            usual.head.replacing("Connection:", with: "ETag: \"a\"\r\nConnection:"), usual.body
          )
        }
        return ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\n", [1, 2, 3])
      })
    #expect(asked.withLock { $0 } == [false, true])
    #expect(found?.message.contains("changed") == true, "\(found as Any)")
  }

  @Test func compressedBytesAreRefused() async throws {
    let found = try await Self.error(
      .other { _, _, usual in
        let head = usual.head.replacing(
          "Connection:", with: "Content-Encoding: gzip\r\nConnection:")
        return (head, usual.body)
      })
    #expect(found?.code == .unsupported)
    #expect(found?.message.contains("gzip") == true, "\(found as Any)")
  }

  /// Bytes that come now and then do not keep a reader for ever.
  @Test func slowServersAreLeft() async throws {
    // Its head alone takes half a minute; with more patience all of it would be read in the end.
    let found = try await Self.error(.slow(pause: 300_000), patience: .seconds(2))
    #expect(found?.code == .downloadFailed, "\(found as Any)")
  }

  /// Where a server leads to is asked from then on.
  @Test func redirectionsAreRemembered() async throws {
    let target = try RangeServer(Self.bytes)
    let origin = try RangeServer(
      [],
      behaviour: .other { [address = target.address] _, _, _ in
        (
          "HTTP/1.1 302 Found\r\nLocation: \(address)\r\nContent-Length: 0\r\n"
            + "Connection: close\r\n\r\n", []
        )
      })
    defer {
      target.stop()
      origin.stop()
    }
    let source = try HTTPByteSource(origin.address)
    for place in [100, 2000, 3000] as [Int64] {
      let read = try await source.read(place..<place + 10)
      #expect(read == Array(Self.bytes[Int(place)..<Int(place) + 10]))
    }
    #expect(origin.requestCount == 1)
    #expect(target.requestCount == 4)
  }

  @Test func redirectionsEnd() async throws {
    let port = Mutex("")
    let server = try RangeServer(
      [],
      behaviour: .other { _, number, _ in
        let place = "\(port.withLock { $0 })?\(number)"
        return (
          "HTTP/1.1 302 Found\r\nLocation: \(place)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
          []
        )
      })
    defer { server.stop() }
    port.withLock { $0 = server.address }
    let source = try HTTPByteSource(server.address)
    let found = await failure { () async throws(CinematicError) in _ = try await source.read(0..<1)
    }
    #expect(found?.code == .downloadFailed, "\(found as Any)")
    #expect(server.requestCount <= Redirection.most + 1)
  }

  private static func addresses(_ host: String) -> [String] {
    switch host {
    case "inner": ["10.0.0.1"]
    case "both": ["93.184.216.34", "10.0.0.1"]
    case "a.org", "b.org": ["93.184.216.34"]
    case "gone": []
    default: [host]
    }
  }

  @Test(arguments: [
    ("https://a.org/x", "https://b.org/y", true), ("http://a.org/x", "https://b.org/y", true),
    ("https://a.org/x", "http://a.org/x", false), ("http://a.org/x", "http://inner/x", false),
    ("http://inner/x", "http://inner/y", true), ("http://inner/x", "http://a.org/y", true),
    ("http://a.org/x", "file:///etc/passwd", false), ("http://a.org/x", "ftp://a.org/x", false),
    ("http://a.org/x", "http://both/x", false), ("http://a.org/x", "https://both/x", false),
    ("http://a.org/x", "http://gone/x", false), ("http://a.org/x", "http://10.0.0.1/x", false),
    ("http://10.0.0.1/x", "http://inner/x", true), ("https://inner/x", "https://inner/y", true),
    // The certificate says who answered, not where.
    ("https://inner/x", "https://both/y", false),
  ])
  func redirectionsLeadOutAlone(_ old: String, _ new: String, _ isFollowed: Bool) throws {
    let origin = Redirection.origin(
      try #require(URL(string: old)), resolve: Self.addresses)
    let url = try #require(URL(string: new))
    var refusal: CinematicError?
    do throws(CinematicError) {
      _ = try Redirection.place(from: origin, to: url, count: 0, old, resolve: Self.addresses)
    } catch {
      refusal = error
    }
    #expect((refusal == nil) == isFollowed, "\(refusal as Any)")
  }

  /// The number that was judged is the one that is asked, also where the name stands for another a moment later.
  @Test func serversAreAskedWhereTheyWereJudged() throws {
    let lookups = Mutex(0)
    func changing(_ host: String) -> [String] {
      lookups.withLock { count in
        count += 1
        return [count == 1 ? "93.184.216.34" : "127.0.0.1"]
      }
    }
    let origin = Redirection.origin(
      try #require(URL(string: "http://8.8.8.8/x")), resolve: Self.addresses)
    let place = try Redirection.place(
      from: origin, to: try #require(URL(string: "http://a.org:81/y?z")), count: 0, "",
      resolve: changing)
    #expect(lookups.withLock { $0 } == 1)
    #expect(place.asked?.absoluteString == "http://93.184.216.34:81/y?z")
    #expect(place.host == "a.org:81")
    #expect(place.url.host == "a.org" && !place.isInner)
    let other = try Redirection.place(
      from: place, to: try #require(URL(string: "http://[2001:db8::1]/y")), count: 0, "",
      resolve: { _ in ["2001:db8::1"] })
    #expect(other.asked?.absoluteString == "http://[2001:db8::1]/y")
  }

  /// Servers get the name that they are known by.
  @Test func serversAreNamed() async throws {
    let asked = Mutex<[String]>([])
    let target = try RangeServer(
      Self.bytes,
      behaviour: .other { request, _, usual in
        asked.withLock { $0.append(request.lowercased()) }
        return usual
      })
    let named = target.address.replacing("127.0.0.1", with: "localhost")
    let origin = try RangeServer(
      [],
      behaviour: .other { _, _, _ in
        (
          "HTTP/1.1 302 Found\r\nLocation: \(named)\r\nContent-Length: 0\r\n"
            + "Connection: close\r\n\r\n", []
        )
      })
    defer {
      target.stop()
      origin.stop()
    }
    let source = try HTTPByteSource(origin.address)
    #expect(try await source.read(1000..<1010) == Array(Self.bytes[1000..<1010]))
    let requests = asked.withLock { $0 }
    #expect(!requests.isEmpty && requests.allSatisfy { $0.contains("\r\nhost: localhost:") })
  }

  @Test(arguments: [
    ("127.0.0.1", true), ("127.9.9.9", true), ("10.1.2.3", true), ("172.16.0.1", true),
    ("172.32.0.1", false), ("192.168.1.1", true), ("192.169.1.1", false), ("169.254.169.254", true),
    ("100.64.0.1", true), ("0.0.0.0", true), ("8.8.8.8", false), ("::1", true), ("fe80::1", true),
    ("fd00::1", true), ("::ffff:10.0.0.1", true), ("2001:4860:4860::8888", false),
    ("[::1]", true), ("64:ff9b::a00:1", true), ("64:ff9b::808:808", false),
  ])
  func privateAddressesAreKnown(_ host: String, _ isInner: Bool) {
    #expect(Redirection.isInner(host) == isInner)
  }

  @Test func secretsAreNotTold() throws {
    let source = try HTTPByteSource("https://user:secret@a.org:8080/b/c.mov?token=hidden#d")
    #expect(source.name == "https://a.org:8080/b/c.mov?…")
    let wrong = #expect(throws: CinematicError.self) { try HTTPByteSource("ftp://user:secret@a/b") }
    #expect(wrong?.message.contains("secret") == false)
  }
}
