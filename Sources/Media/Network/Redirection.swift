// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Where a server may send a reader.
enum Redirection {
  static let most = 5

  /// Why a redirection is not followed; `nil` where it is.
  ///
  /// - Parameters:
  ///   - count: of those before.
  ///   - isInner: whether a host is this machine or in a private network. Servers outside lead nobody in: what answers
  ///     there answers because it is asked from within.
  static func refusal(
    from old: URL, to new: URL, count: Int, _ name: String, isInner: (String) -> Bool = isInner
  ) -> CinematicError? {
    func refused(_ reason: String) -> CinematicError {
      CinematicError(
        .downloadFailed, "the server of \(name) leads to \(new.shown), \(reason)",
        remedy: "give the address of the file itself, or download it first")
    }
    guard let scheme = new.scheme?.lowercased(), scheme == "http" || scheme == "https",
      let host = new.host, !host.isEmpty
    else { return refused("which is no address of a file on a server") }
    if count >= most { return refused("after \(most) others") }
    if old.scheme?.lowercased() == "https", scheme == "http" {
      return refused("which is not encrypted")
    }
    if isInner(host), let origin = old.host, !isInner(origin) {
      return refused("which is in a private network")
    }
    return nil
  }

  /// Whether a name means an address of this machine, of a private network or of none.
  static func isInner(_ host: String) -> Bool {
    let bare = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(bare, nil, nil, &list) == 0 else { return false }
    defer { freeaddrinfo(list) }
    var next = list
    while let entry = next {
      if let address = entry.pointee.ai_addr, isInner(address) { return true }
      next = entry.pointee.ai_next
    }
    return false
  }

  private static func isInner(_ address: UnsafePointer<sockaddr>) -> Bool {
    let raw = UnsafeRawPointer(address)
    switch Int32(address.pointee.sa_family) {
    case AF_INET:
      return isInner(Array(UnsafeRawBufferPointer(start: raw + 4, count: 4)))
    case AF_INET6:
      let bytes = Array(UnsafeRawBufferPointer(start: raw + 8, count: 16))
      // ::ffff:a.b.c.d is a.b.c.d.
      if bytes[..<10].allSatisfy({ $0 == 0 }), bytes[10] == 255, bytes[11] == 255 {
        return isInner(Array(bytes[12...]))
      }
      // ::, ::1, unique local, link local.
      return bytes[..<15].allSatisfy { $0 == 0 } && bytes[15] <= 1 || bytes[0] & 0xFE == 0xFC
        || bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
    default: return false
    }
  }

  /// Of four bytes: this machine, private, shared with a provider's customers, link local, none.
  private static func isInner(_ bytes: [UInt8]) -> Bool {
    switch (bytes[0], bytes[1]) {
    case (0, _), (10, _), (127, _), (172, 16...31), (192, 168), (169, 254), (100, 64...127): true
    default: false
    }
  }
}

extension URL {
  /// The address for messages, without users, secrets and queries, which are often secrets, too.
  var shown: String {
    guard var parts = URLComponents(url: self, resolvingAgainstBaseURL: true) else {
      return host ?? ""
    }
    parts.user = nil
    parts.password = nil
    let hasQuery = parts.query != nil
    parts.query = nil
    parts.fragment = nil
    return (parts.string ?? host ?? "") + (hasQuery ? "?…" : "")
  }
}
