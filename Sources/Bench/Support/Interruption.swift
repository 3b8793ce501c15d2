// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FocalMedia
import Foundation

/// Runs a command that writes files; Ctrl-C, a hang-up or a request to end removes what is
/// unfinished and ends the program with the shell's code for the signal.
func interruptible<Result>(_ body: () throws -> Result) rethrows -> Result {
  let sources = [SIGINT, SIGTERM, SIGHUP].map { number in
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(
      signal: number, queue: .global(qos: .userInteractive))
    source.setEventHandler {
      TemporaryFiles.shared.removeAll()
      note("interrupted; nothing was left behind")
      exit(128 + number)
    }
    source.resume()
    return source
  }
  // A full pipe or a file-size limit is an error of the call that writes, not the program's end.
  signal(SIGPIPE, SIG_IGN)
  signal(SIGXFSZ, SIG_IGN)
  defer { for source in sources { source.cancel() } }
  return try body()
}

/// One line to standard error.
func note(_ text: String) {
  FileHandle.standardError.write(Data("focal: \(text)\n".utf8))
}
