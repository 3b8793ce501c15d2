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
/// Only what is asked for is transferred: the first request brings the size and the first bytes.
public final class HTTPByteSource: ByteSource {
  public let url: URL
  public var name: String { url.absoluteString }
  /// The data of a round trip of 50 ms at 20 Mbit/s, a usual connection to a server.
  public var preferredReadSize: Int { 128 << 10 }

  private let client = RangeClient()
  private let first = SharedLoad<RangeClient.Part>()
  /// Enough for the heads of the first boxes.
  private static let firstRange: Range<Int64> = 0..<64

  /// - Throws: `invalidParameter` for what is no address of a file on a server.
  public init(_ address: String) throws(CinematicError) {
    guard let url = URL(string: address), let scheme = url.scheme?.lowercased(),
      scheme == "http" || scheme == "https", url.host?.isEmpty == false
    else {
      throw CinematicError(
        .invalidParameter, "“\(address)” is not the address of a file on a server",
        remedy: "give one that begins with https:// or http://")
    }
    self.url = url
  }

  /// Whether a name is an address and not a path.
  public static func isAddress(_ name: String) -> Bool {
    let start = name.prefix(8).lowercased()
    return start.hasPrefix("http://") || start.hasPrefix("https://")
  }

  public func byteCount() async throws(CinematicError) -> Int64 { try await head().total }

  public func read(_ range: Range<Int64>) async throws(CinematicError) -> [UInt8] {
    let head = try await head()
    let range = range.clamped(to: 0..<head.total)
    guard !range.isEmpty else { return [] }
    if range.upperBound <= Int64(head.bytes.count) {
      return Array(head.bytes[Int(range.lowerBound)..<Int(range.upperBound)])
    }
    let part = try await client.load(url, range)
    guard part.total == head.total, part.bytes.count == range.count else {
      throw CinematicError(
        .downloadFailed, "\(name) changed while it was read", remedy: "try again")
    }
    return part.bytes
  }

  private func head() async throws(CinematicError) -> RangeClient.Part {
    try await first.value { [client, url] () async throws(CinematicError) -> RangeClient.Part in
      try await client.load(url, Self.firstRange)
    }
  }
}
