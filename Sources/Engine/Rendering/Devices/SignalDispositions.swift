// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The process's action on each signal, taken down so that it can be set again.
///
/// A driver that compiles with LLVM installs handlers of its own for the signals that end a program,
/// over those of the program that uses it: a hang-up that was ignored would end it, and an interrupt
/// would leave its unfinished files behind.
package struct SignalDispositions {
  private var actions: [(number: Int32, action: sigaction)] = []

  package init() {
    for number in Int32(1)..<32 where number != SIGKILL && number != SIGSTOP {
      var action = sigaction()
      if sigaction(number, nil, &action) == 0 { actions.append((number, action)) }
    }
  }

  package func restore() {
    for (number, action) in actions {
      var action = action
      sigaction(number, &action, nil)
    }
  }
}
