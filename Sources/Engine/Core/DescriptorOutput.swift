// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Writing to files and pipes that are open, by their descriptors.
package enum DescriptorOutput {
  /// What came of a write: how many bytes went out, and the system's error, 0 for none.
  package typealias Outcome = (count: Int, number: Int32)

  /// Writes what a descriptor takes at once, at least a byte.
  package static func writeSome(
    _ bytes: UnsafeRawBufferPointer, to descriptor: Int32
  ) -> Outcome {
    guard !bytes.isEmpty else { return (0, 0) }
    return outcome(write(descriptor, bytes.baseAddress, bytes.count))
  }

  /// Writes all bytes, whatever signals interrupt it. Only an error leaves some of them out.
  package static func writeAll(
    _ bytes: UnsafeRawBufferPointer, to descriptor: Int32
  ) -> Outcome {
    all(bytes) { rest, _ in writeSome(rest, to: descriptor) }
  }

  /// The same from a place of the file on, wherever the descriptor stands.
  package static func writeAll(
    _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, at offset: Int64
  ) -> Outcome {
    all(bytes) { rest, done in
      outcome(pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(done)))
    }
  }

  private static func all(
    _ bytes: UnsafeRawBufferPointer, _ writeRest: (UnsafeRawBufferPointer, Int) -> Outcome
  ) -> Outcome {
    var done = 0
    while done < bytes.count {
      let (count, number) = writeRest(UnsafeRawBufferPointer(rebasing: bytes[done...]), done)
      done += count
      guard number == 0 || number == EINTR else { return (done, number) }
    }
    return (done, 0)
  }

  /// - Parameter count: what the system returned for some bytes. Of none it tells no error, and nothing fits.
  private static func outcome(_ count: Int) -> Outcome {
    if count < 0 { return (0, errno) }
    return (count, count == 0 ? ENOSPC : 0)
  }

  /// Writes into a pipe whose reader may be gone: that is the error `EPIPE` of the write, not the program's end.
  package static func withoutSIGPIPE(_ body: () -> Outcome) -> Outcome {
    var (blocked, before) = (sigset_t(), sigset_t())
    sigemptyset(&blocked)
    sigaddset(&blocked, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &blocked, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    let outcome = body()
    #if !canImport(Darwin)
      if outcome.number == EPIPE {
        // The signal waits for this thread; it is taken before it is let through again.
        var atOnce = timespec()
        sigtimedwait(&blocked, nil, &atOnce)
      }
    #endif
    return outcome
  }
}
