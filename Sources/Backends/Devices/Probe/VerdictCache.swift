// SPDX-License-Identifier: Apache-2.0

import FocalRendering

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Verdicts of earlier runs: a file a backend in the cache folder. A file that cannot be read or
/// written is no error; the drivers are asked again. So they are where others could have written it.
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

  private func name(_ backend: String) -> String { "devices-\(backend).json" }

  func record(of backend: String, fingerprint: String, now: Date = Date()) -> ProbeRecord? {
    guard let bytes = CacheFile.contents("\(folder)/\(name(backend))"),
      let stored = try? JSONDecoder().decode(Stored.self, from: Data(bytes)),
      stored.fingerprint == fingerprint
    else { return nil }
    let age = now.timeIntervalSince(stored.date)
    let limit = stored.record.mayChange ? Self.failureLifetime : Self.lifetime
    return age >= -60 && age < limit ? stored.record : nil
  }

  func store(_ record: ProbeRecord, of backend: String, fingerprint: String, now: Date = Date()) {
    let stored = Stored(fingerprint: fingerprint, date: now, record: record)
    guard let data = try? JSONEncoder().encode(stored) else { return }
    // Two processes that start at once never see half a file.
    _ = CacheFile.store([UInt8](data), as: name(backend), in: folder)
  }
}
