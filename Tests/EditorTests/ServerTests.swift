// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import FocalEditor
import FocalMedia
import Foundation
import MovieKit
import Testing

@Suite(.enabled(if: EncodedClip.isPossible, "this FFmpeg has no libx265"))
struct ServerTests {
  @Test func pageFilesAndNothingElse() async throws {
    try await Studio().serving { address in
      let entry = try await address.get("/?token=\(address.token)", cookie: nil)
      #expect(entry.status == 303 && entry.headers["location"] == "/")
      let cookie = try await address.cookie()
      let page = try await address.get("/", cookie: cookie)
      #expect(page.status == 200 && page.text.contains("<title>Focal</title>"))
      #expect(page.headers["content-security-policy"]?.contains("default-src 'none'") == true)
      #expect(page.headers["x-content-type-options"] == "nosniff")
      for name in ["main.js", "style.css", "viewer.js", "icon.svg"] {
        #expect(try await address.get("/page/\(name)", cookie: cookie).status == 200, "\(name)")
      }
      for path in [
        "/etc/passwd", "/page/../Editor.swift", "/page/%2e%2e/%2e%2e/etc/passwd",
        "/page//etc/passwd",
        "//etc/passwd", "/movie.mov", "/page/", "/page/movie.mov", "/..", "/page/main.js%00",
      ] {
        #expect(try await address.get(path, cookie: cookie).status == 404, "\(path)")
      }
      for path in ["/", "/page/main.js", "/frame?movie=0&frame=0&width=96&height=64", "/?token=0"] {
        #expect(try await address.get(path, cookie: nil).status == 403, "\(path)")
      }
      #expect(try await address.get("/", cookie: cookie, method: "POST").status == 405)
      let head = try await address.get("/", cookie: cookie, method: "HEAD")
      #expect(head.status == 405 && head.body.isEmpty)
      #expect(try await address.get("/", cookie: cookie, host: "evil.example").status == 403)
      #expect(
        try await address.get("/", cookie: cookie, headers: ["Origin: http://evil.example"]).status
          == 403)
    }
  }

  /// A connection that may wait for longer than nanoseconds count is served as others are.
  @Test func patienceWithoutEnd() async throws {
    var limits = EditorServer.Limits()
    limits.connectionIdle = .seconds(Int64.max)
    try await Studio().serving(limits: limits) { address in
      let cookie = try await address.cookie()
      #expect(try await address.get("/", cookie: cookie).status == 200)
    }
  }

  @Test func socketsOfOtherSites() async throws {
    try await Studio().serving { address in
      let cookie = try await address.cookie()
      let origin = "Origin: http://\(address.host)"
      for (given, headers) in [
        (nil, [origin]), (cookie, []), (cookie, ["Origin: http://evil.example"]),
        (cookie, ["Origin: null"]), ("focal=1", [origin]),
      ] as [(String?, [String])] {
        await #expect(throws: Connection.NotConnected.self) {
          _ = try await Page(address, cookie: given, headers: headers)
        }
      }
      let page = try await Page(address, cookie: cookie, headers: [origin])
      let lists = try await page.next("lists")
      let movies = lists["movies"] as? [[String: Any]]
      // Names, no paths.
      #expect(movies?.first?["name"] as? String == "movie.mov")
      #expect((movies?.first?["folder"] as? String)?.contains("/") == false)
    }
  }

  /// Steps of one page are seen by the other; a page that joins later is told all.
  @Test func twoPages() async throws {
    let studio = try Studio()
    try await studio.serving { address in
      let (first, second) = (try await Page.opened(address), try await Page.opened(address))
      let tapped = try await first.state(after: ["name": "tap", "frame": 8, "x": 0.7, "y": 0.4])
      #expect(tapped.user == ["8w[2]"] && tapped.isUnsaved)
      #expect(State(try await second.next("state")).user == ["8w[2]"])
      let again = try await second.state(after: ["name": "tap", "frame": 8, "x": 0.7, "y": 0.4])
      #expect(again.user == ["8s[2]"])
      #expect(State(try await first.next("state")).user == ["8s[2]"])
      let undone = try await first.state(after: ["name": "undo"])
      #expect(undone.user == ["8w[2]"])
      let number = try await first.state(after: ["name": "fNumber", "value": 5.6])
      #expect(abs(number.fNumber - 5.6) < 1e-4)
      _ = try await first.state(after: ["name": "save"])
      let third = try await Page(address, cookie: try await address.cookie())
      try await third.send(["name": "open", "movie": 0])
      let state = State(try await third.next("state"))
      #expect(state.user == ["8w[2]"] && !state.isUnsaved && state.canUndo)
    }
    // The saved changes are there, and the journal is gone.
    #expect(studio.names == ["movie.focus", "movie.mov"])
  }

  /// A table for a camera's curve, where the movie is in none, is not left out without a word.
  @Test func tableWithoutCurve() async throws {
    let corners = (0..<8).map { "\($0 & 1) \($0 >> 1 & 1) \($0 >> 2)" }.joined(separator: "\n")
    let table = try ColorCube(Array("LUT_3D_SIZE 2\n\(corners)\n".utf8), name: "screen.cube")
    for (given, count) in [(nil, 0), (table, 1)] as [(ColorCube?, Int)] {
      try await Studio().serving(screenTable: given) { address in
        let page = try await Page(address, cookie: try await address.cookie())
        try await page.send(["name": "open", "movie": 0])
        let notes = try await page.next("document")["notes"] as? [String]
        #expect(notes?.count { $0.contains("table given for screens is not used") } == count)
      }
    }
  }

  /// Pages are told the shape of pixels as the movie is shown.
  @Test func shapesOfPixels() async throws {
    let cases: [(isWide: Bool, isTurned: Bool, expected: Double)] = [
      (false, false, 1), (true, false, 4.0 / 3), (true, true, 0.75),
    ]
    for (isWide, isTurned, expected) in cases {
      let studio = try Studio { movie in
        if isWide, let entry = movie.tracks[0].entry {
          // Behind the fields of every visual entry.
          var bytes = Array(entry.bytes.dropFirst(entry.headerSize))
          bytes.insert(contentsOf: SampleEntry.pixelAspect(4, 3).bytes, at: 78)
          movie.tracks[0].entry = Box(entry.type, data: bytes)
        }
        let one: Int32 = 1 << 16
        if isTurned { movie.tracks[0].matrix = [0, one, 0, -one, 0, 0, 64 << 16, 0, 1 << 30] }
      }
      try await studio.serving { address in
        let page = try await Page(address, cookie: try await address.cookie())
        let document = try await page.open().document
        #expect(document["width"] as? Int == (isTurned ? 64 : 96))
        let aspect = try #require(document["pixelAspect"] as? Double)
        #expect(abs(aspect - expected) < 1e-9)
      }
    }
  }

  /// Jobs get what the editor was told about devices and rights.
  @Test func optionsOfJobs() async throws {
    let studio = try Studio()
    let script = studio.folder + "/program.sh"
    _ = FileManager.default.createFile(
      atPath: script, contents: Data(#"echo "$*" >> "${0%.sh}.txt""#.utf8))
    let device = ["--device", "cpu", "--threads", "3"]
    try await studio.serving(
      program: ("/bin/sh", [script, "--no-lockdown"]), deviceArguments: device
    ) { address in
      let page = try await Page.opened(address)
      let commands: [[String: Any]] = [
        ["name": "export", "preset": "preview", "file": "a.mp4"],
        ["name": "still", "frame": 3, "file": "b"], ["name": "apply", "file": "c"],
        ["name": "importClip", "clip": 0, "file": "d"],
      ]
      for (number, command) in commands.enumerated() {
        try await page.send(command)
        var done = 0
        while done <= number {
          let jobs = try await page.next("jobs")["jobs"] as? [[String: Any]] ?? []
          done = jobs.count { $0["state"] as? String == "done" }
        }
      }
    }
    let said = try String(contentsOfFile: studio.folder + "/program.txt", encoding: .utf8)
    let lines = said.split(separator: "\n")
    let expected = [("export", true), ("thumbnail", true), ("apply", false), ("import", false)]
    #expect(lines.count == expected.count)
    for (line, (command, hasDevice)) in zip(lines, expected) {
      #expect(line.hasPrefix("--no-lockdown \(command) "), "\(line)")
      #expect(line.contains(device.joined(separator: " ")) == hasDevice, "\(line)")
    }
  }

  /// A page's wrong commands are refused in words, and nothing changes.
  @Test func refusedCommands() async throws {
    let studio = try Studio()
    try await studio.serving { address in
      let page = try await Page.opened(address)
      for command in [
        ["name": "tap", "frame": 99, "x": 0.5, "y": 0.5],
        ["name": "tap", "frame": 1, "x": 7, "y": 0.5],
        ["name": "tap", "frame": 1, "track": 99], ["name": "tap", "frame": 1, "track": -1],
        ["name": "follow", "frame": 1, "x": 0.9, "y": 0.5, "width": 0.5, "height": 0.2],
        ["name": "follow", "frame": 1, "x": 0.1, "y": 0.5, "width": -0.1, "height": 0.2],
        ["name": "fNumber", "value": -1], ["name": "fNumber"],
        ["name": "range", "start": 5, "end": 5],
        ["name": "range", "start": -4, "end": 900], ["name": "look", "look": ["blades": 2]],
        ["name": "look", "look": ["blurScale": 1e9]], ["name": "saveAs", "file": "../outside"],
        ["name": "saveAs", "file": "/outside"], ["name": "takeBack"],
        ["name": "open", "movie": 7],
        ["name": "strength", "decision": ["time": "0/0", "detection": 1], "strong": true],
        ["name": "decide", "frame": 0, "track": 77], ["name": "move", "frame": 3],
        ["name": "rack", "decision": ["time": "0/600", "detection": 1], "seconds": -5],
        [
          "name": "rack", "decision": ["time": "0/600", "detection": 1], "seconds": 1,
          "curve": "bounce",
        ],
        ["name": "removeTrack"], ["name": "importClip", "clip": 44, "file": "a"],
        ["name": "importClip", "clip": -1, "file": "a"],
        ["name": "export", "preset": "none", "file": "a.mp4"],
        ["name": "export", "preset": "preview", "file": "../a.mp4"],
        ["name": "removeTrack", "track": 1],
        ["name": "reformat"], ["name": 7], [:],
      ] as [[String: Any]] {
        try await page.send(command)
        let failure = try await page.next("failure")
        #expect((failure["message"] as? String)?.isEmpty == false, "\(command)")
      }
      for rubbish in ["", "{", "null", "[]", "\u{FF}\u{0}", String(repeating: "[", count: 5000)] {
        try await page.send(text: Array(rubbish.utf8))
        _ = try await page.next("failure")
      }
      let state = try await page.state(after: ["name": "fNumber", "value": 4])
      #expect(state.user.isEmpty && state.revision == 1)
    }
    #expect(studio.names == ["movie.focus.journal", "movie.mov"])
  }

  /// Heads without an end, frames that are too large, binary frames, floods: the connection ends, the server goes on.
  @Test func boundedSizesAndRates() async throws {
    try await Studio().serving { address in
      let cookie = try await address.cookie()
      let head = try await Connection(address.port)
      try await head.send(Array("GET / HTTP/1.1\r\nHost: localhost\r\n".utf8))
      var sent = 0
      while sent < 64 << 20 {
        guard
          (try? await head.send(Array("X-\(sent): \(String(repeating: "a", count: 4000))\r\n".utf8)))
            != nil
        else { break }
        sent += 4000
      }
      #expect(sent < 8 << 20)
      let large = try await Page(address, cookie: cookie)
      try await large.send(text: [], claimed: 1 << 40)
      try await large.end()
      let binary = try await Page(address, cookie: cookie)
      try await binary.send(text: [1, 2, 3], opcode: 2)
      try await binary.end()
      let flood = try await Page(address, cookie: cookie)
      for _ in 0..<5000 {
        guard (try? await flood.send(text: Array("{}".utf8))) != nil else { break }
      }
      try await flood.end()
      let body = try await Connection(address.port)
      try await body.send(
        Array(
          "GET / HTTP/1.1\r\nHost: localhost\r\nCookie: \(cookie)\r\nContent-Length: 9999999\r\n\r\n"
            .utf8))
      try? await body.send([UInt8](repeating: 65, count: 100_000))
      _ = await body.rest()
      #expect(try await address.get("/", cookie: cookie).status == 200)
    }
  }

  /// Requests with a body are refused in words, and nothing behind the body is taken for a request.
  @Test(arguments: [("GET", 400), ("POST", 405)])
  func requestsWithBodies(method: String, status: Int) async throws {
    try await Studio().serving { address in
      let cookie = try await address.cookie()
      let connection = try await Connection(address.port)
      let head =
        "\(method) / HTTP/1.1\r\nHost: \(address.host)\r\nCookie: \(cookie)\r\nContent-Length: 3\r\n\r\n"
      try await connection.send(Array((head + "abc").utf8))
      let answer = Answer(await connection.rest())
      #expect(answer.status == status && answer.headers["connection"] == "close")
      #expect(!answer.text.isEmpty)
    }
  }

  /// RFC 6455, 5.1: frames of clients are masked. Others are not executed, and end the connection.
  @Test func framesWithoutMask() async throws {
    try await Studio().serving { address in
      let page = try await Page.opened(address)
      try await page.send(text: Array(#"{"name": "fNumber", "value": 4}"#.utf8), isMasked: false)
      await #expect(throws: Connection.NotConnected.self) { _ = try await page.next("state") }
      #expect(page.closeCode == 1002)
      let other = try await Page(address, cookie: try await address.cookie())
      #expect(State(try await other.open().state).revision == 0)
    }
  }

  /// A hundred clients that send rubbish, some that never read, and one that edits: its steps are all there.
  @Test func rubbishWhileOneEdits() async throws {
    let studio = try Studio()
    try await studio.serving { address in
      let cookie = try await address.cookie()
      let editing = try await Page.opened(address)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<100 {
          group.addTask {
            var random = SeededBytes(UInt64(number) + 1)
            guard let connection = try? await Connection(address.port) else { return }
            if number % 3 == 0 {
              let request =
                "GET /socket HTTP/1.1\r\nHost: \(address.host)\r\nUpgrade: websocket\r\n"
                + "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                + "Sec-WebSocket-Version: 13\r\nCookie: \(cookie)\r\nOrigin: http://\(address.host)\r\n\r\n"
              try? await connection.send(Array(request.utf8))
            } else if number % 3 == 1 {
              // Asked for again and again, and never read.
              let request =
                "GET /frame?movie=0&frame=\(number % 24)&width=96&height=64&line=\(number)"
                + " HTTP/1.1\r\nHost: \(address.host)\r\nCookie: \(cookie)\r\n\r\n"
              for _ in 0..<20 { try? await connection.send(Array(request.utf8)) }
            }
            for _ in 0..<20 {
              guard (try? await connection.send(random.bytes(500))) != nil else { return }
            }
          }
        }
        group.addTask {
          for step in 1...60 {
            let state = try await editing.state(
              after: ["name": "fNumber", "value": 2 + Double(step) / 10])
            #expect(state.revision == step && abs(state.fNumber - 2 - Double(step) / 10) < 1e-4)
          }
          _ = try await editing.state(after: ["name": "save"])
        }
        try await group.waitForAll()
      }
    }
    #expect(studio.names == ["movie.focus", "movie.mov"])
  }

  /// Only so many connections, and none that says nothing for too long.
  @Test func connectionsAreFew() async throws {
    var limits = EditorServer.Limits()
    limits.connections = 4
    limits.connectionIdle = .seconds(2)
    try await Studio().serving(limits: limits) { address in
      var idle: [Connection] = []
      for _ in 0..<3 { idle.append(try await Connection(address.port)) }
      // Without a word they are closed.
      for connection in idle { #expect(await connection.rest().isEmpty) }
      // On a machine with much other work, more may pass between connecting and asking: then once more.
      var status = 0
      for _ in 0..<100 where status == 0 {
        let entry = try? await address.get("/?token=\(address.token)", cookie: nil)
        guard let cookie = entry?.headers["set-cookie"]?.prefix(while: { $0 != ";" }) else {
          continue
        }
        status = (try? await address.get("/", cookie: String(cookie)).status) ?? 0
      }
      #expect(status == 200)
    }
  }

  /// Connections that say nothing make room for those who come later with the cookie.
  @Test func strangersMakeRoom() async throws {
    var limits = Studio.patientLimits
    limits.connections = 8
    limits.strangers = 4
    try await Studio().serving(limits: limits) { address in
      var idle: [Connection] = []
      for _ in 0..<30 { idle.append(try await Connection(address.port)) }
      let cookie = try await address.cookie()
      #expect(try await address.get("/", cookie: cookie).status == 200)
      let page = try await Page.opened(address)
      for _ in 0..<30 { idle.append(try await Connection(address.port)) }
      let state = try await page.state(after: ["name": "fNumber", "value": 4])
      #expect(state.revision == 1)
      #expect(idle.count == 60)
    }
  }

  /// The options of connections are ones that every user may set: only root could be served.
  @Test func optionsOfConnections() async throws {
    try await Studio().serving { address in
      let page = try await Page.opened(address)
      let descriptors = try Self.accepted(at: address.port)
      #expect(!descriptors.isEmpty)
      for descriptor in descriptors {
        #expect(Self.option(SO_DEBUG, at: SOL_SOCKET, of: descriptor) == 0)
        #expect(Self.option(TCP_NODELAY, at: Int32(IPPROTO_TCP), of: descriptor) == 1)
      }
      #expect(try await page.state(after: ["name": "fNumber", "value": 4]).revision == 1)
    }
  }

  /// This process's ends of connections to a port of its own.
  private static func accepted(at port: Int) throws -> [Int32] {
    func number(
      _ descriptor: Int32,
      _ ask: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> Int? {
      var address = sockaddr_in()
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let result = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { ask(descriptor, $0, &length) }
      }
      guard result == 0, address.sin_family == sa_family_t(AF_INET) else { return nil }
      return Int(UInt16(bigEndian: address.sin_port))
    }
    return try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
      .compactMap { Int32($0) }.filter { descriptor in
        number(descriptor) { getsockname($0, $1, $2) } == port
          && number(descriptor) { getpeername($0, $1, $2) } != nil
      }
  }

  private static func option(_ name: Int32, at level: Int32, of descriptor: Int32) -> Int32? {
    var value: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, level, name, &value, &length) == 0 ? value : nil
  }
}

/// Bytes of a seed.
struct SeededBytes {
  private var state: UInt64
  init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

  mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return UInt8(truncatingIfNeeded: state >> 32)
    }
  }
}
