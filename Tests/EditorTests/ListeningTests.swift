// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalEditor
import Foundation
import MovieKit
import Synchronization
import Testing

/// Where a server listens, and when it ends.
@Suite(.enabled(if: EncodedClip.isPossible, "this FFmpeg has no libx265"))
struct ListeningTests {
  /// The address that a browser is started with opens the page once; the one that people are told, as often as they like.
  @Test func addressForOnce() async throws {
    var settings = Editor.Settings(devices: [], program: "/bin/false")
    settings.folders = [NSTemporaryDirectory()]
    let socket = try ListeningSocket()
    let server = EditorServer(Editor(settings), on: socket, limits: Studio.patientLimits)
    let task = Task { try await server.run() }
    defer { server.stop() }
    let address = Address(server.makeAddressForOnce(), port: socket.port)
    let cookie = try await address.cookie()
    #expect(try await address.get("/", cookie: cookie).status == 200)
    let again = try await address.get("/?token=\(address.token)", cookie: nil)
    #expect(again.status == 403 && again.text.contains("that focal printed"))
    let printed = Address(server.address, port: socket.port)
    for _ in 0..<2 { _ = try await printed.cookie() }
    server.stop()
    try await task.value
  }

  @Test func endsWhenIdle() async throws {
    var settings = Editor.Settings(devices: [], program: "/bin/false")
    settings.folders = [NSTemporaryDirectory()]
    var limits = EditorServer.Limits()
    limits.serverIdle = .milliseconds(200)
    let socket = try ListeningSocket()
    let server = EditorServer(Editor(settings), on: socket, limits: limits)
    try await server.run()
    // By then the number may be another file's.
    let error = await #expect(throws: CinematicError.self) { try await server.run() }
    #expect(error?.code == .invalidState)
    await #expect(throws: Connection.NotConnected.self) { try await Connection(socket.port) }
  }

  /// A page that is open keeps the server, however long it says nothing; the server ends when it is closed.
  @Test(.timeLimit(.minutes(10))) func endsNotWhileAPageIsOpen() async throws {
    var settings = Editor.Settings(devices: [], program: "/bin/false")
    settings.folders = [NSTemporaryDirectory()]
    var limits = Studio.patientLimits
    // Time enough for a page to come on a busy machine.
    limits.serverIdle = .seconds(15)
    let socket = try ListeningSocket()
    let server = EditorServer(Editor(settings), on: socket, limits: limits)
    let task = Task { try await server.run() }
    let address = Address(server.address, port: socket.port)
    do {
      let page = try await Page(address, cookie: try await address.cookie())
      _ = try await page.next("lists")
      try await Task.sleep(for: .seconds(33))
      try await page.send(["name": "open", "movie": 99_999])
      _ = try await page.next("failure")
    }
    try await task.value
  }

  /// Browsers open connections ahead of requests: they do not keep the server from its end.
  @Test(.timeLimit(.minutes(10))) func endsBesideSilentConnections() async throws {
    let studio = try Studio()
    let kept = Mutex<[Connection]>([])
    // Connections are idle for half an hour before they are closed.
    try await studio.serving { address in
      let page = try await Page.opened(address)
      for _ in 0..<3 {
        let silent = try await Connection(address.port)
        kept.withLock { $0.append(silent) }
      }
      // An answer says that those before it were accepted.
      _ = try await address.get("/", cookie: try await address.cookie())
      _ = page
    }
    #expect(kept.withLock(\.count) == 3)
  }

  /// The kernel's own list says where the socket listens.
  @Test func loopbackOnly() async throws {
    let socket = try ListeningSocket()
    let port = String(socket.port, radix: 16, uppercase: true)
    let place = "0100007F:" + String(repeating: "0", count: 4 - port.count) + port
    // The list is read in pieces: one that changes meanwhile, as it does beside other tests, may leave out a line.
    var isListed = false
    for _ in 0..<100 where !isListed {
      isListed = try String(contentsOfFile: "/proc/net/tcp", encoding: .utf8).contains(place)
    }
    #expect(isListed, "\(place)")
    let taken = #expect(throws: CinematicError.self) { try ListeningSocket(port: socket.port) }
    #expect(taken?.code == .unwritable)
    withExtendedLifetime(socket) {}
  }

  @Test func numbersThatAreNoPorts() {
    for port in [-1, 65536, 70000, .max, .min] {
      let error = #expect(throws: CinematicError.self) { try ListeningSocket(port: port) }
      #expect(error?.code == .invalidParameter)
    }
  }

  /// A socket that no server takes ends with its last reference: its port is free again.
  @Test func socketsEnd() throws {
    func portOfEnded() throws -> Int { try ListeningSocket().port }
    // Another program may take one meanwhile.
    let isFree = try (0..<10).contains { _ in
      let port = try portOfEnded()
      return (try? ListeningSocket(port: port)) != nil
    }
    #expect(isFree)
  }
}
