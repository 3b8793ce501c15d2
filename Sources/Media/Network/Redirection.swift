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

/// Where a file is asked for.
struct ServerPlace: Sendable {
  /// The address with the server's name.
  var url: URL
  /// The number that the name stood for when it was judged, and that is asked: a second look might find another.
  /// `nil` where the name is asked. An encrypted server's certificate says that it bears the name.
  var address: String?
  /// Other numbers of the name, for a server that cannot be reached at the first.
  var others: [String] = []
  /// Whether it is this machine or in a private network.
  var isInner: Bool

  /// The address to ask, with the number for the name.
  var asked: URL? {
    guard let address else { return url }
    var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
    parts?.host = address.contains(":") ? "[\(address)]" : address
    return parts?.url
  }

  /// The server's name for the head of a question, if it is asked by its number.
  var host: String? {
    guard address != nil, let host = url.host else { return nil }
    let bare = host.hasPrefix("[") || !host.contains(":") ? host : "[\(host)]"
    return url.port.map { "\(bare):\($0)" } ?? bare
  }
}

/// Where a server may send a reader.
enum Redirection {
  static let most = 5

  /// The place that a user names.
  ///
  /// - Parameter resolve: gives the numbers that a name stands for.
  static func origin(
    _ url: URL, resolve: (String) -> [String] = addresses
  ) -> ServerPlace {
    let host = url.host ?? ""
    let found = resolve(host)
    // Encrypted servers are asked by their names, which may stand for another number then.
    let isNumber = found == [bare(host)]
    let inner = found.filter(isInner)
    guard let first = inner.first, isNumber || url.scheme?.lowercased() == "http" else {
      return ServerPlace(url: url, address: nil, isInner: false)
    }
    return ServerPlace(
      url: url, address: isNumber ? nil : first, others: Array(inner.dropFirst()), isInner: true)
  }

  /// The place that a server leads to. Servers outside lead nobody in: what answers there answers because it is asked
  /// from within.
  ///
  /// - Parameters:
  ///   - count: of redirections before.
  ///   - name: of the file, for messages.
  static func place(
    from old: ServerPlace, to url: URL, count: Int, _ name: String,
    resolve: (String) -> [String] = addresses
  ) throws(CinematicError) -> ServerPlace {
    func refused(_ reason: String) -> CinematicError {
      CinematicError(
        .downloadFailed, "the server of \(name) leads to \(url.shown), \(reason)",
        remedy: "give the address of the file itself, or download it first")
    }
    guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https",
      let host = url.host, !host.isEmpty
    else { throw refused("which is no address of a file on a server") }
    if count >= most { throw refused("after \(most) others") }
    let isEncrypted = scheme == "https"
    if old.url.scheme?.lowercased() == "https", !isEncrypted {
      throw refused("which is not encrypted")
    }
    // The certificate is that of the server which is asked already.
    if isEncrypted, old.url.scheme?.lowercased() == "https", old.url.host == host,
      old.url.port == url.port
    {
      return ServerPlace(url: url, address: old.address, isInner: old.isInner)
    }
    let found = resolve(host)
    guard let first = found.first else { throw refused("which has no address") }
    if !old.isInner, found.contains(where: isInner) {
      throw refused("which is in a private network")
    }
    let isNumber = first == bare(host)
    guard !isEncrypted || isNumber else {
      return ServerPlace(url: url, address: nil, isInner: false)
    }
    let isInner = isInner(first)
    return ServerPlace(
      url: url, address: isNumber ? nil : first,
      others: found.dropFirst().filter { Self.isInner($0) == isInner }, isInner: isInner)
  }

  private static func bare(_ host: String) -> String {
    host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
  }

  /// The numbers that a host's name stands for, none for an unknown name. Those of four bytes come first: where there is
  /// no way to them, that shows at once.
  static func addresses(of host: String) -> [String] {
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(bare(host), nil, nil, &list) == 0 else { return [] }
    defer { freeaddrinfo(list) }
    var found: [String] = []
    var next = list
    while let entry = next {
      var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      if getnameinfo(
        entry.pointee.ai_addr, entry.pointee.ai_addrlen, &text, socklen_t(text.count), nil, 0,
        NI_NUMERICHOST) == 0
      {
        let number = String(
          decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        // Each comes once a kind of socket.
        if !found.contains(number) { found.append(number) }
      }
      next = entry.pointee.ai_next
    }
    return found.filter { !$0.contains(":") } + found.filter { $0.contains(":") }
  }

  /// Whether a number is that of this machine, of a private network or of none.
  static func isInner(_ number: String) -> Bool {
    var hints = addrinfo()
    hints.ai_flags = AI_NUMERICHOST
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(bare(number), nil, &hints, &list) == 0 else { return false }
    defer { freeaddrinfo(list) }
    return list?.pointee.ai_addr.map { isInner(UnsafePointer($0)) } ?? false
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
      // 64:ff9b::a.b.c.d leads to a.b.c.d (RFC 6052).
      if bytes.starts(with: [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]) {
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
