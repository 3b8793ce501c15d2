// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Synchronization

/// The response to damaged pictures and sound: checksums that do not fit, codes that mean nothing, missing pieces.
public enum DamageResponse: Sendable {
  /// Reading ends in an error that names the frame.
  case stop
  /// Pixels that could be decoded are delivered, and silence for sound that could not; the handler, called from any thread, is given each error.
  case warn(@Sendable (CinematicError) -> Void)

  private static let chosen = Mutex(DamageResponse.stop)

  /// The response of reads that state none: ``stop``, unless a program sets another before it reads.
  public static var standard: DamageResponse {
    get { chosen.withLock { $0 } }
    set { chosen.withLock { $0 = newValue } }
  }

  /// Whether damage ends reading.
  var stops: Bool {
    if case .stop = self { true } else { false }
  }

  /// Throws the error of a damage, or tells the handler.
  func meet(_ error: CinematicError) throws(CinematicError) {
    switch self {
    case .stop: throw error
    case .warn(let tell): tell(error)
    }
  }
}
