// SPDX-License-Identifier: Apache-2.0

import FocalRendering

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Verdicts of earlier runs: a file a backend in the cache folder. A file that cannot be read or
/// written is no error; the drivers are asked again.
struct VerdictCache: Sendable {
  let folder: String

  private struct Stored: Codable {
    var fingerprint: String
    var date: Date
    var record: ProbeRecord
  }

  /// A device that failed or was missing gets another chance after a day: the machine may have been
  /// busy, or this user was not yet allowed to use a device. Anything else is asked again after a
  /// month.
  private static let failureLifetime: TimeInterval = 86_400
  private static let lifetime: TimeInterval = 30 * 86_400

  private func path(_ backend: String) -> String { "\(folder)/devices-\(backend).json" }

  func record(of backend: String, fingerprint: String, now: Date = Date()) -> ProbeRecord? {
    guard let data = FileManager.default.contents(atPath: path(backend)),
      let stored = try? JSONDecoder().decode(Stored.self, from: data),
      stored.fingerprint == fingerprint
    else { return nil }
    let age = now.timeIntervalSince(stored.date)
    let limit = stored.record.mayChange ? Self.failureLifetime : Self.lifetime
    return age >= -60 && age < limit ? stored.record : nil
  }

  func store(_ record: ProbeRecord, of backend: String, fingerprint: String, now: Date = Date()) {
    let stored = Stored(fingerprint: fingerprint, date: now, record: record)
    guard let data = try? JSONEncoder().encode(stored) else { return }
    try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    // Written aside and renamed: two processes that start at once never see half a file.
    let temporary = "\(path(backend)).\(getpid()).\(UInt32.random(in: 0...UInt32.max)).tmp"
    guard FileManager.default.createFile(atPath: temporary, contents: data),
      rename(temporary, path(backend)) == 0
    else {
      unlink(temporary)
      return
    }
  }
}
