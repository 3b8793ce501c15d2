// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCommands
import FocalCore
import FocalMedia
import Synchronization

/// How far files are trusted: `--on-damage` and `--memory-limit`.
struct SafetyOptions: ParsableArguments {
  enum Response: String, ExpressibleByArgument, CaseIterable {
    case stop, warn
  }

  @Option(
    help: ArgumentHelp(
      "At damaged pictures and sound: stop with an error, or warn and go on with what can be decoded. Nothing can of HEIC and"
        + " AVIF.",
      valueName: "stop|warn"))
  var onDamage = Response.stop
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The memory to work with, such as 800M or 4G. (default: half of what the machine or its control"
        + " group has)", valueName: "size"), transform: MemoryArgument.init(parsing:))
  var memoryLimit: MemoryArgument?

  /// Is called while arguments are parsed: everything that reads asks for these when it begins.
  func validate() {
    if let memoryLimit { MemoryBudget.byteCount = memoryLimit.byteCount }
    guard onDamage == .warn else { return }
    // Headers are read before pictures, so that some damage is met twice.
    let told = Told()
    DamageResponse.standard = .warn { error in
      if told.adds(error.message) { note("\(error.message); --on-damage warn goes on") }
    }
  }

  private final class Told: Sendable {
    private let messages = Mutex(Set<String>())

    func adds(_ message: String) -> Bool { messages.withLock { $0.insert(message).inserted } }
  }
}

/// `512M`, `4G`: bytes.
struct MemoryArgument: Sendable {
  /// Below, not even a small picture can be worked on.
  private static let least = 64 << 20

  var byteCount: Int

  /// - Throws: what is wrong with the text, for the person who wrote it.
  init(parsing text: String) throws {
    let units: [Character: Int] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40]
    let unit = text.last.flatMap { units[Character($0.uppercased())] }
    let number = Int(unit == nil ? text[...] : text.dropLast())
    guard let number, number > 0,
      case let (count, isTooLarge) = number.multipliedReportingOverflow(by: unit ?? 1), !isTooLarge
    else { throw ValidationError("write a number of bytes, such as 800M or 4G") }
    guard count >= Self.least else { throw ValidationError("give at least 64M") }
    byteCount = count
  }
}
