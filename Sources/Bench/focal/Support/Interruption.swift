// SPDX-License-Identifier: Apache-2.0

import FocalCommands
import FocalCore
import FocalImport
import FocalMedia
import Foundation
import Synchronization

/// Runs a command that writes files; Ctrl-C, a hang-up or a request to end removes what is
/// unfinished and ends the program with the shell's code for the signal. Folders that the command
/// made and left empty go after an error, too.
///
/// - Parameters:
///   - outputs: files whose folders are made if they are missing.
///   - onlyPrints: whether what is printed is the only result: without a reader, the work ends.
func interruptible<Result>(
  writing outputs: [String?] = [], onlyPrints: Bool = false, _ body: () throws -> Result
) throws -> Result {
  let end = End()
  // A program started with nohup is meant to outlive the terminal.
  let numbers = [SIGINT, SIGTERM, SIGHUP].filter { $0 != SIGHUP || !isIgnored($0) }
  try Signals.answer(numbers) { number in
    guard end.claim() else { return }
    let keepsMaps = clearUnfinished()
    tell(
      Failure(
        kind: "interrupted",
        message: "interrupted; nothing unfinished was left behind"
          + (keepsMaps ? " but the estimated maps" : ""),
        remedy: nil, exitCode: 128 + number))
    // Not exit(): the encoders' threads are at work, and must not see their libraries go.
    _exit(128 + number)
  }
  Signals.makeErrorsOfOutput()
  if onlyPrints {
    Results.endWithReader {
      end.claimOrWait()
      _ = clearUnfinished()
    }
  }
  do {
    for case let output? in outputs {
      try checkNameLength(output)
      if !PipePath.isPipe(output), case .movie? = try? OutputFormat(path: output) {
        try ThreadSupply.checkMemory()
      }
      try MadeFolders.shared.makeFolder(of: output)
    }
    let result = try body()
    Results.endWithReader(nil)
    end.claimOrWait()
    return result
  } catch {
    Results.endWithReader(nil)
    // Of a program that was started for the work, Ctrl-C is the end, too, which may come first: the signal's answer goes
    // before this error, however late it is.
    while Signals.areWaiting { usleep(10_000) }
    end.claimOrWait()
    MadeFolders.shared.removeEmpty()
    if (error as? CinematicError)?.code == .pipeClosed { TemporaryFiles.shared.removeAll() }
    throw error
  }
}

/// Takes back what is unfinished.
///
/// - Returns: whether estimated maps stay.
private func clearUnfinished() -> Bool {
  TemporaryFiles.shared.removeAll()
  let keepsMaps = EstimatedMaps.interrupt()
  HelperPrograms.endAll()
  MadeFolders.shared.removeEmpty(closing: true)
  return keepsMaps
}

/// Ends the command once, from its work or from a signal. Without it, work whose files an
/// interruption takes away would report that as an error of its own.
private final class End: Sendable {
  private let isClaimed = Mutex(false)

  func claim() -> Bool {
    isClaimed.withLock { isClaimed in
      defer { isClaimed = true }
      return !isClaimed
    }
  }

  /// Returns where no signal came first; else the signal's handler is about to end the process.
  func claimOrWait() {
    guard !claim() else { return }
    while true { pause() }
  }
}

/// Whether the program was started with the signal ignored.
private func isIgnored(_ number: Int32) -> Bool {
  var action = sigaction()
  guard sigaction(number, nil, &action) == 0 else { return false }
  // The handler comes first. As a number: Swift may wrap a C function when it is compared.
  return withUnsafeBytes(of: action) { $0.load(as: UInt.self) } == 1
}
