// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The bytes of a file on a server that answers byte ranges, over HTTP or HTTPS.
///
/// Only what is asked for is transferred: the first request brings the size and the first bytes. All bytes are of one
/// version, by its tag or date. Redirections are followed five times, but from https to http and from outside into a
/// private network, and remembered. A server is asked at the number that was judged, or says by its certificate that it
/// bears the name.
public final class HTTPByteSource: ByteSource {
  public let url: URL
  /// The address without users, passwords and queries.
  public var name: String { url.shown }
  /// The data of a round trip of 50 ms at 20 Mbit/s, a usual connection to a server.
  public var preferredReadSize: Int { 128 << 10 }

  private let client: RangeClient
  private let first = SharedLoad<RangeClient.Part>()
  /// Enough for the heads of the first boxes.
  private static let firstRange: Range<Int64> = 0..<64

  /// - Throws: `invalidParameter` for what is no address of a file on a server.
  public convenience init(_ address: String) throws(CinematicError) {
    try self.init(address, patience: .seconds(30))
  }

  /// - Parameter patience: for an answer's first byte, and between two.
  package init(_ address: String, patience: Duration) throws(CinematicError) {
    guard let url = URL(string: address), let scheme = url.scheme?.lowercased(),
      scheme == "http" || scheme == "https", url.host?.isEmpty == false
    else {
      throw CinematicError(
        .invalidParameter,
        "“\(URL(string: address)?.shown ?? address)” is not the address of a file on a server",
        remedy: "give one that begins with https:// or http://")
    }
    self.url = url
    client = RangeClient(patience: patience)
  }

  /// Whether a name is an address and not a path.
  public static func isAddress(_ name: String) -> Bool {
    let start = name.prefix(8).lowercased()
    return start.hasPrefix("http://") || start.hasPrefix("https://")
  }

  public func byteCount() async throws(CinematicError) -> Int64 { try await start().head.total }

  public func read(_ range: Range<Int64>) async throws(CinematicError) -> [UInt8] {
    let start = try await start()
    let range = range.clamped(to: 0..<start.head.total)
    guard !range.isEmpty else { return [] }
    if range.upperBound <= Int64(start.bytes.count) {
      return Array(start.bytes[Int(range.lowerBound)..<Int(range.upperBound)])
    }
    let part = try await part(range, after: start)
    guard part.head.total == start.head.total, part.bytes.count == range.count else {
      throw RangeHead.changed(name)
    }
    return part.bytes
  }

  /// A part of the version that was begun with, from where its first bytes were. Such places may last for a time only.
  private func part(
    _ range: Range<Int64>, after start: RangeClient.Part
  ) async throws(CinematicError) -> RangeClient.Part {
    do throws(CinematicError) {
      return try await client.load(start.place, range, of: start.head.version)
    } catch {
      guard error.code == .unreadable, start.place.url != url else { throw error }
    }
    return try await client.load(client.place(of: url), range, of: start.head.version)
  }

  private func start() async throws(CinematicError) -> RangeClient.Part {
    try await first.value { [client, url] () async throws(CinematicError) -> RangeClient.Part in
      try await client.load(client.place(of: url), Self.firstRange)
    }
  }
}
