// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A socket that listens on the loopback interface and nowhere else.
///
/// It is made before anything else, so that the program can give up making sockets before it opens a file. One server
/// takes it; else it ends with its last reference.
public final class ListeningSocket: Sendable {
  /// `nil` once a server has it, which closes it.
  private let descriptor: Mutex<Int32?>
  public let port: Int

  /// - Parameter port: 0 for any that is free.
  /// - Throws: `invalidParameter` for a number that is no port, `unwritable` for a port that is taken or not allowed.
  public init(port: Int = 0) throws(CinematicError) {
    guard let number = UInt16(exactly: port) else {
      throw CinematicError(
        .invalidParameter, "\(port) is no port",
        remedy: "choose another \(parameter: .port), 0 to 65535")
    }
    #if canImport(Glibc)
      let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    #else
      let kind = SOCK_STREAM
    #endif
    let made = socket(AF_INET, kind, 0)
    guard made >= 0 else { throw Self.failure(port, errno) }
    var yes: Int32 = 1
    setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(number).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        let listens = bind(made, pointer, length) == 0 && listen(made, 64) == 0
        return listens && getsockname(made, pointer, &length) == 0
      }
    }
    guard result else {
      let reason = errno
      close(made)
      throw Self.failure(port, reason)
    }
    descriptor = Mutex(made)
    self.port = Int(UInt16(bigEndian: address.sin_port))
  }

  deinit {
    if let descriptor = take() { close(descriptor) }
  }

  /// Hands the descriptor over, once.
  func take() -> Int32? {
    descriptor.withLock { descriptor in
      defer { descriptor = nil }
      return descriptor
    }
  }

  private static func failure(_ port: Int, _ number: Int32) -> CinematicError {
    CinematicError(
      .unwritable,
      port == 0
        ? "no port of this machine can be listened at: \(String(cString: strerror(number)))"
        : "port \(port) cannot be listened at: \(String(cString: strerror(number)))",
      remedy: "choose another \(parameter: .port), or leave it out")
  }
}
