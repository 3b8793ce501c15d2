// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FocalCommands
import FocalCore
import FocalMedia
import FocalRendering
import Foundation

/// Renders one input to one output: a thread decodes, the device renders, a thread encodes, each a
/// few frames ahead of the next.
struct RenderJob: Sendable {
  var input: String
  var map: String
  var output: String
  var inputOptions: ReadOptions
  var mapOptions: ReadOptions
  var stretchesMap: Bool
  var size: Dimensions?
  var focus: FocusChoice
  var fNumber: Float
  var attributes: RenderingSession.Attributes
  var quality: RenderingQuality
  /// Best first: when one fails, the work goes on with the next, from the frame that failed.
  var devices: [Device]
  /// Where a picture of the first frame, half sharp and half rendered, goes.
  var beforeAfter: String?
  var overwrite: Bool
  var json: Bool
  /// Decides focus and f-number frame by frame, instead of `focus` and `fNumber`.
  var script: ScriptedFocus?

  /// A frame on its way from one thread to the next.
  private struct Decoded: Sendable {
    var frame: MediaFrame
    var map: PixelBuffer
  }

  private struct Rendered: Sendable {
    /// The picture to write.
    var destination: PixelBuffer
    var pending: FrameRenderer.Pending
    var frame: MediaFrame
  }

  /// Frames that wait between two threads: enough to even out slow frames, few enough that a 4K
  /// clip stays small in memory.
  private static let framesAhead = 3

  func run() throws -> RenderReport {
    let start = ContinuousClock.now
    let usage = ProcessUsage.current
    try checkValues()
    let (reader, mapReader) = try waiting { [self] () async throws(CinematicError) in
      (
        try await FrameReader.open(input, options: inputOptions),
        try await FrameReader.open(map, options: mapOptions)
      )
    }
    let turn = reader.properties.preferredTransform
    let renderer = try FrameRenderer(
      devices: devices, sessionAttributes: attributes, quality: quality
    ) { [json] change in change.tell(json: json) }
    try check(reader.properties)
    let maps = try DisparityMatcher(
      mapReader, for: reader, stretches: stretchesMap, choosesFrames: true)
    let firstFrames = try waiting { () async throws(CinematicError) in
      let first = try await reader.next()
      return (first, try await first.asyncMap(maps))
    }
    guard let first = firstFrames.0, let firstMap = firstFrames.1 else {
      throw CinematicError(.malformed, "\(input) holds no frame")
    }
    let scripted = try script?.attributes(at: first.time)
    let chosen =
      try scripted.map { (disparity: $0.focusDisparity, origin: String?.none) }
      ?? focus.resolve(in: firstMap, transform: turn)
    let frameAttributes =
      scripted
      ?? RenderingSession.FrameAttributes(focusDisparity: chosen.disparity, fNumber: fNumber)
    try frameAttributes.validate()

    let target = try RenderTarget(self, reader.properties, firstTime: first.time)
    let writer = try FrameWriter.create(output, settings: target.settings)
    // If anything fails from here on, nothing half-written stays.
    defer { writer.cancel() }
    let comparison = try beforeAfter.map {
      try BeforeAfter(path: $0, settings: target.settings, source: reader.properties)
    }
    defer { comparison?.cancel() }
    if let origin = chosen.origin, !json {
      note("focus \(chosen.disparity): \(origin)")
    }
    if target.toneMapping != nil, !json {
      note("high dynamic range becomes standard: \(output) holds no more")
    }

    let decoded = BoundedQueue<Decoded>(capacity: Self.framesAhead)
    let rendered = BoundedQueue<Rendered>(capacity: Self.framesAhead)
    let threads = DispatchGroup()
    DispatchQueue(label: "focal.decode").async(group: threads) {
      var next: MediaFrame? = first
      do {
        while let frame = next {
          let map = try waiting { () async throws(CinematicError) in
            try await maps.map(for: frame.place)
          }
          guard decoded.put(Decoded(frame: frame, map: map)) else { break }
          next = try waiting { () async throws(CinematicError) in try await reader.next() }
        }
        decoded.finish()
      } catch {
        decoded.finish(throwing: error)
      }
    }
    DispatchQueue(label: "focal.render").async(group: threads) { [script] in
      do {
        var number = 0
        while let item = try decoded.next() {
          let destination = try target.makePicture()
          var attributes = try script?.attributes(at: item.frame.time) ?? frameAttributes
          attributes.toneMapping = target.toneMapping
          let pending = try renderer.commit(
            FrameRenderer.Frame(
              number: number, sourceImage: item.frame.pixelBuffer, sourceDisparity: item.map,
              attributes: attributes, preferredTransform: turn, destination: destination))
          number += 1
          guard
            rendered.put(
              Rendered(destination: destination, pending: pending, frame: item.frame))
          else { break }
        }
        rendered.finish()
      } catch {
        rendered.finish(throwing: error)
      }
      decoded.cancel()
    }
    // No thread outlives the job: the encoder of this thread is the last to touch the writer.
    defer {
      rendered.cancel()
      decoded.cancel()
      threads.wait()
    }

    var progress = Progress(
      total: reader.properties.frameCount, start: start, json: json)
    defer { progress.finish() }
    while let item = try rendered.next() {
      try renderer.finish(item.pending)
      let picture = item.destination
      try script?.draw(at: item.frame.time, into: picture, turn: turn)
      try writer.append(picture, time: item.frame.time, duration: item.frame.duration)
      if progress.done == 0 {
        try comparison?.draw(item.frame.pixelBuffer, turn: turn, picture)
      }
      progress.advance()
    }
    try writer.finish()
    try comparison?.finish()

    if let frames = inputOptions.frames, progress.done < frames.count {
      note(
        "\(input) has only \(counted(progress.done, "frame")) of \(frames.lowerBound) to"
          + " \(frames.upperBound)")
    }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    return RenderReport(
      output: output, width: target.settings.dimensions.width,
      height: target.settings.dimensions.height, frames: progress.done,
      focusDisparity: chosen.disparity, focusOrigin: chosen.origin, script: script?.path,
      fNumber: fNumber,
      blurScale: attributes.blurScale, isToneMapped: target.toneMapping != nil,
      quality: quality.description,
      device: renderer.device.identifier,
      seconds: seconds, cpuSeconds: ProcessUsage.current.cpuSeconds - usage.cpuSeconds,
      framesPerSecond: Double(progress.done) / max(seconds, 1e-9))
  }
}

extension MediaFrame? {
  fileprivate func asyncMap(_ maps: DisparityMatcher) async throws(CinematicError) -> PixelBuffer? {
    guard let self else { return nil }
    return try await maps.map(for: self.place)
  }
}
