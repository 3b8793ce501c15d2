// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Synchronization

/// Renders frames on the best of several devices; where one is lost or out of memory, on the next, from
/// the frame that failed.
///
/// Frames may be committed and waited for from several threads or tasks.
public final class FrameRenderer: Sendable {
  /// A frame to render, kept until it is done: another device may have to render it again.
  public struct Frame: Sendable {
    /// From 0, for people to read.
    public var number: Int
    public var sourceImage: PixelBuffer
    public var sourceDisparity: PixelBuffer
    /// The known properties of the map; `nil` lets the device's session find it.
    public var disparityInfo: DisparityMapInfo?
    public var attributes: RenderingSession.FrameAttributes
    /// From the picture as stored to the picture as shown.
    public var preferredTransform: QuarterTurn
    public var destination: PixelBuffer
    /// How the source's colours are stored, if it has alpha. Alpha is blurred with the colours.
    public var sourceAlpha = AlphaMode.straight
    /// How the destination's colours are to be stored, if it has alpha.
    public var destinationAlpha = AlphaMode.straight
    /// Subjects that are put before a background; then nothing is blurred, and the map is not looked at.
    private(set) var layers: SubjectLayers?

    public init(
      number: Int, sourceImage: PixelBuffer, sourceDisparity: PixelBuffer,
      attributes: RenderingSession.FrameAttributes, preferredTransform: QuarterTurn = .identity,
      destination: PixelBuffer
    ) {
      self.number = number
      self.sourceImage = sourceImage
      self.sourceDisparity = sourceDisparity
      self.attributes = attributes
      self.preferredTransform = preferredTransform
      self.destination = destination
    }

    /// - Parameters:
    ///   - sourceImage: the picture that the subjects are from, as shown.
    ///   - destination: of the same size.
    package init(
      number: Int, sourceImage: PixelBuffer, layers: SubjectLayers, destination: PixelBuffer
    ) {
      self.init(
        number: number, sourceImage: sourceImage, sourceDisparity: layers.mask,
        attributes: .init(focusDisparity: 0, fNumber: .infinity), destination: destination)
      self.layers = layers
    }
  }

  /// A frame in flight.
  public struct Pending: Sendable {
    fileprivate var frame: Frame
    fileprivate var buffer: CommandBuffer
    /// The device's place in the list.
    fileprivate var place: Int
  }

  /// That the work went from a device to the next.
  public struct DeviceChange: Sendable {
    public let old: Device
    public let new: Device
    /// The failure of the old one.
    public let reason: CinematicError
    /// The first frame on the new one.
    public let frameNumber: Int

    public init(old: Device, new: Device, reason: CinematicError, frameNumber: Int) {
      self.old = old
      self.new = new
      self.reason = reason
      self.frameNumber = frameNumber
    }
  }

  /// A device in use: sessions of its queue, one for each turn of the sources.
  private struct Current {
    var place: Int
    var queue: CommandQueue
    var sessions: [QuarterTurn: RenderingSession] = [:]
  }

  private let devices: [Device]
  /// Of the sessions on all devices.
  public let sessionAttributes: RenderingSession.Attributes
  private let quality: RenderingQuality
  private let deviceChanged: @Sendable (DeviceChange) -> Void
  private let pieceDone: (@Sendable (_ completed: Int, _ total: Int) -> Void)?
  private let current: Mutex<Current>

  /// - Parameters:
  ///   - devices: best first.
  ///   - deviceChanged: told of every change of the device, before the frame is rendered again.
  ///   - pieceDone: told how many pieces of a frame are done that had to be cut.
  /// - Throws: `invalidParameter` for no device or session attributes outside their ranges, and what the
  ///   last device throws, where none can be used.
  public init(
    devices: [Device], sessionAttributes: RenderingSession.Attributes = .init(),
    quality: RenderingQuality, deviceChanged: @escaping @Sendable (DeviceChange) -> Void = { _ in },
    pieceDone: (@Sendable (_ completed: Int, _ total: Int) -> Void)? = nil
  ) throws(CinematicError) {
    try sessionAttributes.validate()
    self.devices = devices
    self.sessionAttributes = sessionAttributes
    self.quality = quality
    self.deviceChanged = deviceChanged
    self.pieceDone = pieceDone
    guard !devices.isEmpty else {
      throw CinematicError(
        .invalidParameter, "there is no device to render on", remedy: "give one, such as .cpu()")
    }
    var place = 0
    while true {
      do throws(CinematicError) {
        current = Mutex(Current(place: place, queue: try CommandQueue(device: devices[place])))
        return
      } catch {
        guard error.isOfDevice, place + 1 < devices.count else { throw error }
        deviceChanged(
          DeviceChange(
            old: devices[place], new: devices[place + 1], reason: error, frameNumber: 0))
        place += 1
      }
    }
  }

  /// The device that renders now.
  public var device: Device { devices[current.withLock { $0.place }] }

  /// Hands a frame to the device and returns at once.
  ///
  /// - Throws: as ``RenderingSession/encodeRender(to:frameAttributes:sourceImage:sourceDisparity:destinationImage:)``,
  ///   where no device is left that may do better.
  public func commit(_ frame: Frame) throws(CinematicError) -> Pending {
    try launch(frame, isTranslucent: frame.layers == nil && frame.sourceImage.isTranslucent)
  }

  private func launch(_ frame: Frame, isTranslucent: Bool) throws(CinematicError) -> Pending {
    while true {
      let (place, session) = try session(frame.preferredTransform)
      let buffer = session.commandQueue.makeCommandBuffer()
      if let pieceDone { buffer.addProgressHandler(pieceDone) }
      do throws(CinematicError) {
        if let layers = frame.layers {
          try session.encodeLayers(
            layers, to: buffer, source: .pixelBuffer(frame.sourceImage),
            destination: .pixelBuffer(frame.destination))
        } else {
          try session.encodeRender(
            to: buffer, frameAttributes: frame.attributes,
            source: .pixelBuffer(
              frame.sourceImage, alpha: isTranslucent ? frame.sourceAlpha : nil),
            disparity: .pixelBuffer(frame.sourceDisparity, info: frame.disparityInfo),
            destination: .pixelBuffer(frame.destination, alpha: frame.destinationAlpha))
        }
        buffer.commit()
        return Pending(frame: frame, buffer: buffer, place: place)
      } catch {
        try leave(place, because: error, at: frame.number, isOfDevice: error.isOfDevice)
      }
    }
  }

  /// Blocks until a frame is in its destination, on whichever device can render it.
  ///
  /// - Throws: what the last device throws.
  public func finish(_ pending: Pending) throws(CinematicError) {
    var pending = pending
    while true {
      pending.buffer.waitUntilCompleted()
      guard let error = pending.buffer.error else { return }
      pending = try retry(pending, after: error)
    }
  }

  /// Waits until a frame is in its destination, on whichever device can render it.
  ///
  /// - Throws: what the last device throws.
  public func completed(_ pending: Pending) async throws(CinematicError) {
    var pending = pending
    while true {
      do throws(CinematicError) {
        try await pending.buffer.completed()
        return
      } catch {
        pending = try retry(pending, after: error)
      }
    }
  }

  private func retry(
    _ pending: Pending, after failure: CinematicError
  ) throws(CinematicError) -> Pending {
    // The frame's form was checked when it was encoded: an unsupported thing now is a kernel that
    // the device's driver does not compile.
    try leave(
      pending.place, because: failure, at: pending.frame.number,
      isOfDevice: failure.isOfDevice || failure.code == .unsupported)
    return try commit(pending.frame)
  }

  private func session(
    _ turn: QuarterTurn
  ) throws(CinematicError) -> (place: Int, session: RenderingSession) {
    try current.withLock { current throws(CinematicError) in
      if let session = current.sessions[turn] { return (current.place, session) }
      let session = try RenderingSession(
        commandQueue: current.queue, sessionAttributes: sessionAttributes, preferredTransform: turn,
        quality: quality)
      current.sessions[turn] = session
      return (current.place, session)
    }
  }

  /// Goes on to the next device, unless another frame has done so.
  ///
  /// - Throws: `failure` where it is not the device's, or no device is left.
  private func leave(
    _ place: Int, because failure: CinematicError, at number: Int, isOfDevice: Bool
  ) throws(CinematicError) {
    guard isOfDevice else { throw failure }
    var changes: [DeviceChange] = []
    let last = current.withLock { current -> CinematicError? in
      guard current.place == place else { return nil }
      var failure = failure
      for next in devices.indices where next > place {
        changes.append(
          DeviceChange(
            old: devices[next - 1], new: devices[next], reason: failure, frameNumber: number))
        do throws(CinematicError) {
          current = Current(place: next, queue: try CommandQueue(device: devices[next]))
          return nil
        } catch {
          failure = error
        }
      }
      return failure
    }
    // Outside of the lock: the closure may ask which device renders now.
    for change in changes { deviceChanged(change) }
    if let last { throw last }
  }
}

extension CinematicError {
  /// Whether another device may succeed where this one did not.
  fileprivate var isOfDevice: Bool { code == .deviceLost || code == .outOfMemory }
}
