// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import FocalRendering
import FocalScript

/// A reader of frames.
struct FrameConsumer: Sendable {
  /// Sizes and forms that several readers have in common are rendered once.
  struct Form: Hashable, Sendable {
    /// As shown.
    var dimensions: Dimensions
    var format: PixelFormat
    var tags: ColorTags
  }

  var form: Form
  var continuation: AsyncStream<CapturedFrame>.Continuation
}

extension CaptureSession {
  /// The frames with their blur, at full size and with the source's depth and colours, as they come. A reader that is
  /// late misses some, which are counted.
  public func bakedFrames() -> AsyncStream<CapturedFrame> { frames(as: bakedForm) }

  /// The same frames at a reduced size, for a screen.
  ///
  /// - Parameters:
  ///   - maximumSide: pixels of the longer side, at least 16.
  ///   - pixelFormat: `rgba8`, or `yuv420Video8` for encoders; of standard range.
  /// - Throws: `unsupported` for a format that no picture is rendered to.
  public func preview(
    maximumSide: Int = 640, pixelFormat: PixelFormat = .rgba8
  ) throws(CinematicError) -> AsyncStream<CapturedFrame> {
    // Later it would be the first frame's failure, which ends the session and a recording.
    guard RenderingSession.destinationPixelFormats.contains(pixelFormat) else {
      throw CinematicError(
        .unsupported, "a preview cannot have the format \(pixelFormat)",
        remedy: "use \(PixelFormat.rgba8) or \(PixelFormat.yuv420Video8)")
    }
    let shown = source.properties.shownDimensions.fitting(longerSide: max(16, maximumSide))
    let even = Dimensions(
      width: max(2, shown.width & ~1), height: max(2, shown.height & ~1))
    return frames(
      as: .init(
        dimensions: even, format: pixelFormat, tags: source.properties.tags.standardRange))
  }

  private func frames(as form: FrameConsumer.Form) -> AsyncStream<CapturedFrame> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: CapturedFrame.self, bufferingPolicy: .bufferingNewest(1))
    guard phase != .over else {
      continuation.finish()
      return stream
    }
    let number = nextConsumer
    nextConsumer += 1
    consumers[number] = FrameConsumer(form: form, continuation: continuation)
    continuation.onTermination = { [weak self] _ in
      Task { await self?.leave(number) }
    }
    return stream
  }

  private func leave(_ number: Int) { consumers[number] = nil }

  private var bakedForm: FrameConsumer.Form {
    let properties = source.properties
    return .init(
      dimensions: properties.shownDimensions, format: properties.pixelFormat,
      tags: properties.tags)
  }

  // MARK: - The way of a frame

  /// Works on pictures, one after the other. A frame is rendered and written while the next one is looked at.
  nonisolated func work() async {
    var analyst = FrameAnalyst(
      configuration, turn: source.properties.preferredTransform, ids: ids)
    var delivery: Task<Void, Never>?
    while let picture = await pictures.next(), !Task.isCancelled {
      let (orders, fNumber) = await takeOrders()
      do throws(CinematicError) {
        let frame = try await analyst.analyze(picture, orders: orders, fNumber: fNumber)
        await delivery?.value
        // The session has ended, perhaps long ago.
        if Task.isCancelled { break }
        await take(frame)
        delivery = Task { await deliver(frame) }
      } catch {
        // The session ends, and does not wait for a provider that hangs.
        if error.code == .cancelled, Task.isCancelled { break }
        await fail(error)
        break
      }
    }
    await delivery?.value
    await end()
  }

  private func takeOrders() -> ([CaptureOrder], Float) {
    defer { orders = [] }
    return (orders, simulatedAperture)
  }

  private func take(_ frame: AnalyzedFrame) {
    latest = frame
    deliveries += 1
    counts.analyzedFrameCount += 1
    if let range = frame.mapInfo.range {
      let known = seenRange ?? range
      seenRange =
        min(known.lowerBound, range.lowerBound)...max(known.upperBound, range.upperBound)
    }
    for text in frame.notes { happened.yield(.note(text)) }
    if let statuses = frame.statuses {
      sceneMonitoringStatuses = statuses
      happened.yield(.sceneMonitoring(statuses))
    }
  }

  private func fail(_ error: CinematicError) {
    guard phase != .over else { return }
    failure = failure ?? error
    pictures.finish()
  }

  /// Renders what is asked for of a frame, and hands it to every output.
  nonisolated private func deliver(_ frame: AnalyzedFrame) async {
    do throws(CinematicError) {
      let plan = try await plan(for: frame)
      var rendered: [FrameConsumer.Form: PixelBuffer] = [:]
      for form in plan.forms {
        rendered[form] = try await plan.renderer.render(
          frame, dimensions: form.dimensions, format: form.format, tags: form.tags)
      }
      if let recorder = plan.recorder {
        await recorder.append(
          frame, baked: recorder.isBaked ? rendered[plan.baked] : nil, range: plan.range)
      }
      await hand(rendered, of: frame, to: plan.consumers)
    } catch {
      await fail(error)
    }
    await delivered()
  }

  private struct Plan: Sendable {
    var renderer: LiveRenderer
    var baked: FrameConsumer.Form
    var forms: Set<FrameConsumer.Form>
    var recorder: CaptureRecorder?
    var consumers: [Int: FrameConsumer]
    var range: ClosedRange<Float>?
  }

  private func plan(for frame: AnalyzedFrame) throws(CinematicError) -> Plan {
    recording?.noteIfEarly(frame.picture.time)
    // A frame that was taken after the recording was told to stop is not part of it.
    let active = recording.flatMap { recording in
      frame.picture.time >= recording.begin
        && recording.stop.map { frame.picture.time <= $0 } ?? true
        ? recording : nil
    }
    var forms = Set(consumers.values.map(\.form))
    var baked = bakedForm
    // The blur makes use of the bits that the film has and the source has not.
    if let format = active?.recorder.deeperBakedFormat { baked.format = format }
    if active?.recorder.isBaked == true { forms.insert(baked) }
    return Plan(
      renderer: try renderer(configuration.quality), baked: baked, forms: forms,
      recorder: active?.recorder, consumers: consumers, range: seenRange)
  }

  func renderer(_ quality: RenderingQuality) throws(CinematicError) -> LiveRenderer {
    if let known = renderers[quality] { return known }
    let made = try LiveRenderer(
      source.properties, look: configuration.look, devices: configuration.devices, quality: quality)
    renderers[quality] = made
    return made
  }

  private func hand(
    _ rendered: [FrameConsumer.Form: PixelBuffer], of frame: AnalyzedFrame,
    to consumers: [Int: FrameConsumer]
  ) {
    for consumer in consumers.values {
      guard let buffer = rendered[consumer.form] else { continue }
      let result = consumer.continuation.yield(
        CapturedFrame(
          pixelBuffer: buffer, time: frame.picture.time, duration: frame.picture.duration,
          metadata: frame.metadata, sourceImage: frame.picture.pixelBuffer,
          sourceDisparity: frame.map))
      if case .dropped = result { counts.unreadFrameCount += 1 }
    }
  }

  private func delivered() { deliveries -= 1 }

  /// Ends everything that the session had begun, once: everything that came has been worked on, or is not waited for.
  func end() async {
    guard phase != .over else { return }
    phase = .over
    // Where somebody stops it already, the report is theirs.
    let isStopping = recording?.outcome != nil
    if let report = await endRecording(withSession: true)?.value, !isStopping {
      happened.yield(.recordingEnded(report))
    }
    for consumer in consumers.values { consumer.continuation.finish() }
    happened.yield(.ended(failure))
    happened.finish()
    hasEnded = true
    for waiter in waiters.values { waiter.resume() }
    waiters = [:]
  }
}
