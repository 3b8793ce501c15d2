// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FocalBoxes
import FocalCPU
import FocalCore
import FocalEditor
import FocalMedia
import Foundation
import MovieKit
import Testing

/// A folder with a movie, which goes away with its last reference.
final class Studio: Sendable {
  let folder: String
  var movie: String { folder + "/movie.mov" }
  var changes: String { folder + "/movie.focus" }

  static let frameCount = 24

  private static let bytes = Result { try Studio.layout().bytes() }

  /// Two people: one on the left throughout, one on the right from frame 6 to 17.
  ///
  /// - Parameters:
  ///   - isRounded: whether the script's times are rounded to milliseconds; the movie's are exact.
  ///   - isOnePerson: whether both are one person, the second one's face being the body.
  private static func layout(
    isRounded: Bool = false, isOnePerson: Bool = false
  ) throws -> MovieLayout {
    func ticks(_ frame: Int) -> Int { isRounded ? (frame * 100 + 1) / 3 : frame * 20 }
    func detections(_ frames: Range<Int>, _ x: Double, _ disparity: Double) -> String {
      frames.map {
        "{\"time\": \(ticks($0)), \"rect\": [\(x), 0.3, 0.2, 0.3], \"disparity\": \(disparity)}"
      }.joined(separator: ", ")
    }
    let group = isOnePerson ? "\"group\": 7, " : ""
    let second = isOnePerson ? "humanTorso" : "humanFace"
    let script = """
      {"format": "focal-script", "version": 1, "timescale": \(isRounded ? 1000 : 600), "fNumber": 2.8,
       \(isRounded ? "\"frameTimes\": \((0..<frameCount).map(ticks))" : "\"frameDuration\": 20"),
       "timeRange": {"start": 0, "duration": \(ticks(frameCount))},
       "tracks": [
        {"id": 1, \(group)"type": "humanFace", "kind": "recorded", "detections": [\(detections(0..<frameCount, 0.1, 0.2))]},
        {"id": 2, \(group)"type": "\(second)", "kind": "recorded", "detections": [\(detections(6..<18, 0.6, 0.8))]}],
       "decisions": [{"time": 0, "detection": 1}]}
      """
    return try EncodedMovie.layout(
      frames: frameCount,
      keys: [
        (CinematicKey.focusDisparity, 23), (CinematicKey.fNumber, 23), (CinematicKey.script, 1),
      ],
      payload: { frame in
        // The floats 0.2 and 2.8.
        Entry.sample(
          [(1, [0x3E, 0x4C, 0xCC, 0xCD]), (2, [0x40, 0x33, 0x33, 0x33])]
            + (frame == 0 ? [(3, Array(script.utf8))] : []))
      })
  }

  /// - Parameters:
  ///   - isRounded: whether the script's times are rounded.
  ///   - isOnePerson: whether the two people are one's face and body.
  ///   - change: of the movie; the first track is its pictures'.
  init(
    isRounded: Bool = false, isOnePerson: Bool = false,
    _ change: ((inout MovieLayout) -> Void)? = nil
  ) throws {
    folder = TemporaryFolder.make()
    var bytes = try Self.bytes.get()
    if isRounded || isOnePerson || change != nil {
      var layout = try Self.layout(isRounded: isRounded, isOnePerson: isOnePerson)
      change?(&layout)
      bytes = layout.bytes()
    }
    _ = FileManager.default.createFile(atPath: folder + "/movie.mov", contents: Data(bytes))
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  var names: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder).sorted()) ?? []
  }

  /// Beside other tests minutes may pass until a page's task goes on and answers a ping.
  static var patientLimits: EditorServer.Limits {
    var limits = EditorServer.Limits()
    limits.connectionIdle = .seconds(1800)
    return limits
  }

  /// Serves the movie while `body` runs.
  func serving(
    limits: EditorServer.Limits = Studio.patientLimits, screenTable: ColorCube? = nil,
    changes: String? = nil, announce: @escaping @Sendable (String) -> Void = { _ in },
    program: (path: String, arguments: [String]) = ("/bin/false", []),
    deviceArguments: [String] = [], _ body: @Sendable (Address) async throws -> Void
  ) async throws {
    let socket = try ListeningSocket()
    var settings = Editor.Settings(devices: [.cpu()], program: program.path)
    settings.programArguments = program.arguments
    settings.deviceArguments = deviceArguments
    settings.movies = [movie]
    settings.folders = [folder]
    settings.screenTable = screenTable
    settings.changes = changes
    settings.announce = announce
    let server = EditorServer(Editor(settings), on: socket, limits: limits)
    let task = Task { try await server.run() }
    let result: Result<Void, any Error>
    do { result = .success(try await body(Address(server.address, port: socket.port))) } catch {
      result = .failure(error)
    }
    server.stop()
    try await task.value
    try result.get()
  }
}

/// Where a server is, and its secret.
struct Address: Sendable {
  let port: Int
  let token: String

  init(_ text: String, port: Int) {
    self.port = port
    token = text.components(separatedBy: "token=").last ?? ""
  }

  var host: String { "127.0.0.1:\(port)" }

  /// The cookie that the token is exchanged for.
  func cookie() async throws -> String {
    let reply = try await get("/?token=\(token)", cookie: nil)
    let line = try #require(reply.headers["set-cookie"])
    return String(line.prefix { $0 != ";" })
  }

  /// A request over a connection of its own.
  func get(
    _ path: String, cookie: String?, method: String = "GET", host: String? = nil,
    headers: [String] = []
  ) async throws -> Answer {
    let lines =
      ["\(method) \(path) HTTP/1.1", "Host: \(host ?? self.host)"]
      + (cookie.map { ["Cookie: \($0)"] } ?? []) + headers + ["Connection: close", "", ""]
    let connection = try await Connection(port)
    try await connection.send(Array(lines.joined(separator: "\r\n").utf8))
    return Answer(await connection.rest())
  }
}

/// An answer over HTTP.
struct Answer: Sendable {
  var status = 0
  var headers: [String: String] = [:]
  var body: [UInt8] = []

  init(_ bytes: [UInt8]) {
    guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return }
    let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
      .components(separatedBy: "\r\n")
    status = lines[0].split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      headers[line[..<colon].lowercased()] = line[line.index(after: colon)...]
        .trimmingCharacters(in: .whitespaces)
    }
    body = Array(bytes[end.upperBound...])
  }

  var text: String { String(decoding: body, as: UTF8.self) }
}

/// A connection of plain bytes. Its calls wait on threads of their own, so that the server's tasks go on.
final class Connection: Sendable {
  private let descriptor: Int32

  init(_ port: Int, address: UInt32 = 0x7F00_0001) async throws {
    let made = await Self.apart { () -> Int32 in
      let made = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
      // Longer than anything takes, on machines with much other work too.
      var limit = timeval(tv_sec: 1800, tv_usec: 0)
      let size = socklen_t(MemoryLayout<timeval>.size)
      setsockopt(made, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
      setsockopt(made, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
      var place = sockaddr_in()
      place.sin_family = sa_family_t(AF_INET)
      place.sin_port = in_port_t(UInt16(port)).bigEndian
      place.sin_addr.s_addr = address.bigEndian
      let connected = withUnsafePointer(to: &place) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(made, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      if connected == 0 { return made }
      close(made)
      return -1
    }
    guard made >= 0 else { throw NotConnected() }
    descriptor = made
  }

  struct NotConnected: Error {}

  deinit { close(descriptor) }

  /// - Throws: where the other side has closed the connection.
  func send(_ bytes: [UInt8]) async throws {
    let sent = await Self.apart { [descriptor] () -> Bool in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes {
          Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard count > 0 else { return false }
        rest = rest.dropFirst(count)
      }
      return true
    }
    if !sent { throw NotConnected() }
  }

  /// Some bytes; none at the end.
  func receive() async -> [UInt8] {
    await Self.apart { [descriptor] in
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      let count = recv(descriptor, &buffer, buffer.count, 0)
      return Array(buffer.prefix(max(count, 0)))
    }
  }

  /// Everything up to the end.
  func rest() async -> [UInt8] {
    var result: [UInt8] = []
    while true {
      let more = await receive()
      if more.isEmpty { return result }
      result += more
    }
  }

  private static func apart<Value: Sendable>(
    _ body: @escaping @Sendable () -> Value
  ) async -> Value {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: body()) }
    }
  }
}

/// A page's socket.
// @unchecked Sendable: one task at a time uses it.
final class Page: @unchecked Sendable {
  private let connection: Connection
  private var buffer: [UInt8] = []
  /// Why the server has closed the connection.
  private(set) var closeCode: Int?

  /// - Throws: where the server refuses.
  init(_ address: Address, cookie: String?, headers: [String]? = nil) async throws {
    connection = try await Connection(address.port)
    let lines =
      [
        "GET /socket HTTP/1.1", "Host: \(address.host)", "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13",
      ] + (cookie.map { ["Cookie: \($0)"] } ?? []) + (headers ?? ["Origin: http://\(address.host)"])
      + ["", ""]
    try await connection.send(Array(lines.joined(separator: "\r\n").utf8))
    var head: [UInt8] = []
    while head.firstRange(of: Array("\r\n\r\n".utf8)) == nil {
      let more = await connection.receive()
      if more.isEmpty { break }
      head += more
    }
    guard head.starts(with: Array("HTTP/1.1 101".utf8)),
      let end = head.firstRange(of: Array("\r\n\r\n".utf8))
    else { throw Connection.NotConnected() }
    buffer = Array(head[end.upperBound...])
  }

  /// Opens the movie and takes what is said about it.
  static func opened(_ address: Address) async throws -> Page {
    let page = try await Page(address, cookie: try await address.cookie())
    _ = try await page.open()
    return page
  }

  /// Opens the movie.
  func open() async throws -> (document: [String: Any], state: [String: Any]) {
    try await send(["name": "open", "movie": 0])
    return (try await next("document"), try await next("state"))
  }

  /// The next message of any type.
  func next() async throws -> [String: Any] {
    guard let message = try await frame() else { throw Connection.NotConnected() }
    return try JSONSerialization.jsonObject(with: Data(message)) as? [String: Any] ?? [:]
  }

  func send(_ command: [String: Any]) async throws {
    try await send(text: [UInt8](try JSONSerialization.data(withJSONObject: command)))
  }

  func send(
    text: [UInt8], opcode: UInt8 = 1, claimed: Int? = nil, isMasked: Bool = true
  ) async throws {
    let length = claimed ?? text.count
    var frame: [UInt8] = [0x80 | opcode]
    let flag: UInt8 = isMasked ? 0x80 : 0
    if length < 126 {
      frame.append(flag | UInt8(length))
    } else if length < 1 << 16 {
      frame += [flag | 126, UInt8(length >> 8), UInt8(length & 255)]
    } else {
      frame.append(flag | 127)
      frame += (0..<8).map { UInt8(truncatingIfNeeded: length >> (56 - 8 * $0)) }
    }
    guard isMasked else { return try await connection.send(frame + text) }
    let mask: [UInt8] = [1, 2, 3, 4]
    frame += mask + text.enumerated().map { $1 ^ mask[$0 % 4] }
    try await connection.send(frame)
  }

  /// The next message of a type; others are passed over.
  func next(_ type: String) async throws -> [String: Any] {
    while let message = try await frame() {
      let object = try JSONSerialization.jsonObject(with: Data(message)) as? [String: Any]
      if object?["type"] as? String == type { return object ?? [:] }
    }
    throw Connection.NotConnected()
  }

  /// The state after a command.
  func state(after command: [String: Any]) async throws -> State {
    try await send(command)
    return State(try await next("state"))
  }

  /// Waits until the server closes the connection, which may come between a ping and its answer.
  func end() async throws {
    do {
      while try await frame() != nil {}
    } catch is Connection.NotConnected {}
  }

  /// The text of the next frame; `nil` at the end. Pings are answered.
  private func frame() async throws -> [UInt8]? {
    while true {
      if let (opcode, payload, size) = parsed() {
        buffer.removeFirst(size)
        switch opcode {
        case 1: return payload
        case 8:
          if payload.count >= 2 { closeCode = Int(payload[0]) << 8 | Int(payload[1]) }
          return nil
        case 9: try await send(text: payload, opcode: 10)
        default: continue
        }
        continue
      }
      let more = await connection.receive()
      if more.isEmpty { return nil }
      buffer += more
    }
  }

  private func parsed() -> (opcode: UInt8, payload: [UInt8], size: Int)? {
    guard buffer.count >= 2 else { return nil }
    var (length, start) = (Int(buffer[1] & 127), 2)
    let extra = length == 126 ? 2 : length == 127 ? 8 : 0
    guard buffer.count >= 2 + extra else { return nil }
    if extra > 0 {
      length = buffer[2..<(2 + extra)].reduce(0) { $0 << 8 | Int($1) }
      start += extra
    }
    guard buffer.count >= start + length else { return nil }
    return (buffer[0] & 15, Array(buffer[start..<(start + length)]), start + length)
  }
}

/// The state of the edits that a page receives.
struct State: Sendable {
  var revision: Int
  var fNumber: Double
  var isUnsaved: Bool
  var canUndo: Bool
  /// Times and strengths of the user's decisions.
  var user: [String]

  init(_ message: [String: Any]) {
    revision = message["revision"] as? Int ?? -1
    fNumber = message["fNumber"] as? Double ?? 0
    isUnsaved = message["isUnsaved"] as? Bool ?? false
    canUndo = message["canUndo"] as? Bool ?? false
    let decisions = message["decisions"] as? [[String: Any]] ?? []
    user = decisions.filter { $0["isUser"] as? Bool == true }.map {
      "\($0["frame"] as? Int ?? -1)\($0["isStrong"] as? Bool == true ? "s" : "w")\($0["tracks"] as? [Int] ?? [])"
    }
  }
}
