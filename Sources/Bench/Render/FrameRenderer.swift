// SPDX-License-Identifier: Apache-2.0

import FocalCommands
import FocalCore
import FocalMedia
import FocalRendering
import Synchronization

/// Renders frames on the best of several devices; where one is lost or out of memory, on the next,
/// from the frame that failed.
///
/// One thread commits, another finishes, in the same order.
final class FrameRenderer: Sendable {
  /// A frame to render, kept until it is done: another device may have to render it again.
  struct Request: Sendable {
    /// From 0, for people to read.
    var number: Int
    var source: PixelBuffer
    var map: PixelBuffer
    var attributes: RenderingSession.FrameAttributes
    var settings: WriterSettings
  }

  /// A frame in flight.
  struct Pending: Sendable {
    fileprivate var buffer: CommandBuffer
    fileprivate var picture: PixelBuffer
    /// The device's place in the list.
    fileprivate var place: Int
  }

  typealias SessionMaker = @Sendable (Device) throws(CinematicError) -> RenderingSession

  private let devices: [Device]
  private let json: Bool
  private let makeSession: SessionMaker
  private let current: Mutex<(place: Int, session: RenderingSession)>

  /// - Parameter devices: best first, at least one.
  /// - Throws: what the last device's session throws, where none can be made.
  init(
    _ devices: [Device], json: Bool, makeSession: @escaping SessionMaker
  ) throws(CinematicError) {
    self.devices = devices
    self.json = json
    self.makeSession = makeSession
    var place = 0
    while true {
      do throws(CinematicError) {
        current = Mutex((place, try makeSession(devices[place])))
        return
      } catch {
        guard error.isOfDevice, place + 1 < devices.count else { throw error }
        Self.tell(devices[place], error, devices[place + 1], from: 0, json: json)
        place += 1
      }
    }
  }

  /// The device that renders now.
  var device: Device { devices[current.withLock { $0.place }] }

  /// Hands a frame to the device and returns at once.
  func commit(_ request: Request) throws(CinematicError) -> Pending {
    let picture = try PixelBuffer(
      dimensions: request.settings.dimensions, format: request.settings.pixelFormat,
      tags: request.settings.tags)
    while true {
      let (place, session) = current.withLock { $0 }
      let buffer = session.commandQueue.makeCommandBuffer()
      do throws(CinematicError) {
        try session.encodeRender(
          to: buffer, frameAttributes: request.attributes, sourceImage: request.source,
          sourceDisparity: request.map, destinationImage: picture)
        buffer.commit()
        return Pending(buffer: buffer, picture: picture, place: place)
      } catch {
        try leave(place, because: error, at: request.number, isOfDevice: error.isOfDevice)
      }
    }
  }

  /// Waits for a frame, on whichever device can render it.
  func finish(_ pending: Pending, of request: Request) throws(CinematicError) -> PixelBuffer {
    var pending = pending
    while true {
      pending.buffer.waitUntilCompleted()
      guard let error = pending.buffer.error else { return pending.picture }
      // What the frame is was settled when it was encoded: what is unsupported now is a kernel that
      // the device's driver does not compile.
      try leave(
        pending.place, because: error, at: request.number,
        isOfDevice: error.isOfDevice || error.code == .unsupported)
      pending = try commit(request)
    }
  }

  /// Goes on to the next device, unless another frame has done so.
  ///
  /// - Throws: `failure` where it is not the device's, or no device is left.
  private func leave(
    _ place: Int, because failure: CinematicError, at number: Int, isOfDevice: Bool
  ) throws(CinematicError) {
    guard isOfDevice else { throw failure }
    try current.withLock { current throws(CinematicError) in
      guard current.place == place else { return }
      var failure = failure
      for next in devices.indices where next > place {
        Self.tell(devices[next - 1], failure, devices[next], from: number, json: json)
        do throws(CinematicError) {
          current = (next, try makeSession(devices[next]))
          return
        } catch {
          failure = error
        }
      }
      throw failure
    }
  }

  /// What programs read of a change of device.
  private struct Change: Encodable {
    var event = "device"
    var from: String
    var to: String
    var frame: Int
    var reason: String
  }

  private static func tell(
    _ old: Device, _ failure: CinematicError, _ new: Device, from number: Int, json: Bool
  ) {
    guard json else {
      note("\(old) failed (\(failure.message)); going on with \(new) from frame \(number)")
      return
    }
    try? printJSON(
      Change(
        from: old.identifier, to: new.identifier, frame: number, reason: failure.message))
  }
}

extension CinematicError {
  /// Whether another device may succeed where this one did not.
  fileprivate var isOfDevice: Bool { code == .deviceLost || code == .outOfMemory }
}
