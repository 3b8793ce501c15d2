// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A web server for one file on this machine, one request a connection.
public final class RangeServer: Sendable {
  public enum Behaviour: Sendable {
    case ranges
    /// Sends the whole file, whatever is asked for.
    case wholeFile
    /// Knows no file.
    case notFound
    /// Answers ranges but for one request, counted from 0, for which it is too busy.
    case busyOnce(request: Int)
    /// Answers ranges with a pause after each byte, in microseconds.
    case slow(pause: UInt32)
    /// An answer made of the request, its number, counted from 0, and the usual answer.
    case other(
      @Sendable (_ request: String, _ number: Int, _ usual: (head: String, body: [UInt8])) -> (
        head: String, body: [UInt8]
      ))
  }

  public let port: UInt16
  private let listener: Int32
  private let file: MemorySource
  private let behaviour: Behaviour
  private let counts = Mutex<(requests: Int, bytes: Int)>((0, 0))

  public var requestCount: Int { counts.withLock { $0.requests } }
  public var bytesSent: Int { counts.withLock { $0.bytes } }
  public var address: String { "http://127.0.0.1:\(port)/movie.mov" }

  public struct Failure: Error {}

  public convenience init(_ bytes: [UInt8], behaviour: Behaviour = .ranges) throws {
    try self.init(MemorySource(bytes), behaviour: behaviour)
  }

  /// A server for what a source has; it counts no reads there.
  public init(_ file: MemorySource, behaviour: Behaviour = .ranges) throws {
    self.file = file
    self.behaviour = behaviour
    #if canImport(Glibc)
      listener = socket(
        AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    #elseif canImport(Musl)
      listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)
    #else
      listener = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = listener
    let bound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && listen(descriptor, 16) == 0
          && getsockname(descriptor, $0, &length) == 0
      }
    }
    guard bound else { throw Failure() }
    port = UInt16(bigEndian: address.sin_port)
    DispatchQueue(label: "focal.server").async { [self] in
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else {
          #if !canImport(Darwin)
            // Here: where it is closed before the last call, its number may be another listener's then.
            close(listener)
          #endif
          return
        }
        serve(connection)
        close(connection)
      }
    }
  }

  /// Ends the server; it keeps itself alive until then.
  public func stop() {
    shutdown(listener, Int32(SHUT_RDWR))
    #if canImport(Darwin)
      // Only this ends a call there that waits for a connection.
      close(listener)
    #endif
  }

  private func serve(_ connection: Int32) {
    var request: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while !String(decoding: request, as: UTF8.self).contains("\r\n\r\n") {
      let count = recv(connection, &buffer, buffer.count, 0)
      guard count > 0 else { return }
      request += buffer[..<count]
    }
    let number = counts.withLock { $0.requests }
    let (head, body) = answer(String(decoding: request, as: UTF8.self), number)
    let all = Array(head.utf8) + body
    counts.withLock {
      $0.requests += 1
      $0.bytes += body.count
    }
    var sent = 0
    while sent < all.count {
      var size = all.count - sent
      if case .slow(let pause) = behaviour {
        usleep(pause)
        size = 1
      }
      let count = all.withUnsafeBytes { bytes in
        send(connection, bytes.baseAddress! + sent, size, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      sent += count
    }
  }

  private func answer(_ request: String, _ number: Int) -> (head: String, body: [UInt8]) {
    switch behaviour {
    case .notFound: return (Self.head("404 Not Found", 0), [])
    case .wholeFile:
      return (Self.head("200 OK", Int(file.byteCountNow)), file.bytes(0..<file.byteCountNow))
    case .busyOnce(number): return (Self.head("503 Service Unavailable", 0), [])
    case .other(let make): return make(request, number, range(request))
    case .ranges, .busyOnce, .slow: return range(request)
    }
  }

  private static func head(_ status: String, _ count: Int, _ more: String = "") -> String {
    "HTTP/1.1 \(status)\r\nContent-Length: \(count)\r\nConnection: close\r\n\(more)\r\n"
  }

  private func range(_ request: String) -> (head: String, body: [UInt8]) {
    let line = request.split(separator: "\r\n").first { $0.lowercased().hasPrefix("range:") }
    let numbers = (line ?? "").split(whereSeparator: { !$0.isNumber }).compactMap { Int64($0) }
    guard numbers.count == 2, numbers[0] <= numbers[1], numbers[0] < file.byteCountNow else {
      return (Self.head("416 Range Not Satisfiable", 0), [])
    }
    let end = min(numbers[1] + 1, file.byteCountNow)
    let body = file.bytes(numbers[0]..<end)
    return (
      Self.head(
        "206 Partial Content", body.count,
        "Content-Range: bytes \(numbers[0])-\(end - 1)/\(file.byteCountNow)\r\n"), body
    )
  }
}
