// SPDX-License-Identifier: Apache-2.0

import FocalCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A socket that listens on the loopback interface and nowhere else.
///
/// It is made before anything else, so that the program can give up making sockets before it opens a file.
public struct ListeningSocket: Sendable {
  let descriptor: Int32
  public let port: Int

  /// - Parameter port: 0 for any that is free.
  /// - Throws: `unwritable` for a port that is taken or not allowed.
  public init(port: Int = 0) throws(CinematicError) {
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
    address.sin_port = in_port_t(UInt16(clamping: port)).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        let listens = bind(made, pointer, length) == 0 && listen(made, 64) == 0
        return listens && getsockname(made, pointer, &length) == 0
      }
    }
    guard result else {
      let number = errno
      close(made)
      throw Self.failure(port, number)
    }
    descriptor = made
    self.port = Int(UInt16(bigEndian: address.sin_port))
  }

  private static func failure(_ port: Int, _ number: Int32) -> CinematicError {
    CinematicError(
      .unwritable,
      port == 0
        ? "no port of this machine can be listened at: \(String(cString: strerror(number)))"
        : "port \(port) cannot be listened at: \(String(cString: strerror(number)))",
      remedy: "choose another --port, or leave it out")
  }
}
