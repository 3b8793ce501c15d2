// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia

/// Where the pictures of a session come from. A type of the caller's own conforms, and is taken wherever one of
/// these is.
public protocol CaptureSource: Sendable {
  /// For messages.
  var name: String { get }
  /// The properties that all pictures have in common.
  var properties: SourceProperties { get }
  /// `nil` for a source without sound.
  var soundFormat: SoundFormat? { get }
  /// The disparities that the source's own maps have at most; `nil` where that is unknown, or there are none.
  var disparityRange: ClosedRange<Float>? { get }

  /// Waits for the next picture or the next sound, in the order in which they come; the one that asks late gets what
  /// the device still has.
  ///
  /// - Returns: `nil` where no more comes: a file has been played.
  /// - Throws: `deviceLost` for a device that has gone, `cancelled`, what reading throws.
  func next() async throws(CinematicError) -> CaptureSample?
}

extension CaptureSource {
  public var soundFormat: SoundFormat? { nil }
  public var disparityRange: ClosedRange<Float>? { nil }
}

/// A sample from a source.
public enum CaptureSample: Sendable {
  case picture(CapturedPicture)
  case sound(SoundBuffer)
}

/// A picture as it was taken. Immutable by agreement.
public struct CapturedPicture: Sendable {
  /// As the source's properties say.
  public var pixelBuffer: PixelBuffer
  /// The other eye's picture.
  public var otherEye: PixelBuffer?
  /// Whether ``pixelBuffer`` is what the right eye saw.
  public var isRightEye = false
  /// The map, of the picture's shape, as the picture is stored.
  public var disparity: PixelBuffer?
  /// On the session's clock.
  public var time: Time
  /// How long it is shown, as far as that is known; else zero, for as long as the source's pictures usually are.
  public var duration: Time

  public init(pixelBuffer: PixelBuffer, time: Time, duration: Time) {
    (self.pixelBuffer, self.time, self.duration) = (pixelBuffer, time, duration)
  }
}

/// The clock that devices and a session share.
public protocol CaptureClock: Sendable {
  /// The time since ``start()`` was called first; before, zero.
  var now: Time { get }
  /// Begins to count, unless it has.
  ///
  /// - Returns: the clock on the wall at zero, in seconds since 1970, by which devices count.
  @discardableResult func start() -> Double
  /// Waits until a time has come, or the task is cancelled.
  func sleep(until time: Time) async
}
