// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import FocalRendering
import FocalScript

/// Single pictures of Cinematic movies and of compositions, at any time, rendered as an export would.
///
/// ```swift
/// let thumbnails = try await Thumbnails(asset: Asset(path: "IMG_0001.MOV"), devices: [.cpu()])
/// let (picture, time) = try await thumbnails.image(at: Time(value: 5, timescale: 2))
/// for await thumbnail in thumbnails.images(for: times) { … }
/// ```
public final class Thumbnails: Sendable {
  /// How far from the asked time a picture may be; a picture at which decoding can begin comes sooner.
  public struct Tolerance: Hashable, Sendable {
    /// How much earlier; `nil` for any.
    public var before: Time?
    /// How much later; `nil` for any.
    public var after: Time?

    /// The picture that is on the screen at the time.
    public static let exact = Tolerance(before: .zero, after: .zero)
    /// The nearest picture at which decoding can begin.
    public static let unlimited = Tolerance(before: nil, after: nil)

    public init(before: Time?, after: Time?) {
      self.before = before
      self.after = after
    }
  }

  /// How pictures are rendered.
  public struct Settings: Sendable {
    /// Of a movie; a composition's is that of its compositor.
    public var quality = RenderingQuality.thumbnail
    /// The long and the short side that pictures have at most, each 2 or more; pictures keep their shape and never grow.
    public var maximumSize: Dimensions?
    public var tolerance = Tolerance.exact
    /// For which kind of file the pictures are: for PNG 8 bits of the source's codes, floats where it
    /// has more than 8 bits, and high dynamic range as standard range shows it; linear floats for
    /// OpenEXR, multiplied by alpha.
    public var outputFormat = OutputFormat.still(.png)
    /// Whether the pictures are for a screen and no file: codes of 8 bits are enough for a camera's curve then.
    public var isShown = false
    /// Focus and look beyond those that the movie carries; a composition's are those of its instructions.
    public var overrides = FocusOverrides()
    /// Told when the work goes from a device to the next, of a movie; a composition's compositor tells by itself.
    public var deviceChanged: @Sendable (FrameRenderer.DeviceChange) -> Void = { _ in }

    public init() {}
  }

  /// A picture of ``images(for:)``, or why there is none.
  public enum Thumbnail: Sendable {
    case success(requestedTime: Time, image: PixelBuffer, actualTime: Time)
    case failure(requestedTime: Time, error: CinematicError)
  }

  private let reader: CompositionReader
  private let compositor: any VideoCompositor
  private let tolerance: Tolerance
  private let name: String
  /// The kind of file that takes no alpha, where the pictures are for one.
  private let opaqueKind: String?

  /// How the focus of each movie was settled; empty where another compositor's instructions decide.
  public let movieFocuses: [MovieFocus]
  /// How the pictures are written: their form, the shape of their pixels, the colours of a camera's light, and what of the
  /// movie's pictures they do not keep.
  public let writerSettings: WriterSettings
  /// Whether high dynamic range of the movie becomes standard, because the output holds no more.
  public let isToneMapped: Bool
  /// Whether light above white of a movie of linear light is cut, because the output holds no more.
  public let clipsLight: Bool
  /// The part of the movie's chroma, depth and alpha that the output does not hold, in words; `nil` where it
  /// holds all.
  public let codingLoss: String?
  /// As ``CinematicCompositor/largestCircle``; `nil` where another compositor is at work.
  public var largestCircle: Float? { (compositor as? CinematicCompositor)?.largestCircle }
  /// The device that renders now; `nil` where another compositor than the Cinematic one is at work.
  public var device: Device? { (compositor as? CinematicCompositor)?.device }
  /// The size of the pictures.
  public var dimensions: Dimensions { reader.renderContext.size }
  /// When there are pictures: from the first one's appearance to the last one's end.
  public var timeRange: TimeRange {
    TimeRange(
      start: reader.timeRange(ofFrame: 0).start,
      end: reader.timeRange(ofFrame: reader.frameCount - 1).end)
  }

  /// Opens a Cinematic movie. Times are those of the movie.
  ///
  /// - Parameter devices: best first: where one fails, the next goes on.
  /// - Throws: `incomplete` for a movie that lacks a track, and what reading it throws.
  public convenience init(
    asset: Asset, devices: [Device], settings: Settings = Settings()
  ) async throws(CinematicError) {
    let compositor = try CinematicCompositor(
      devices: devices, quality: settings.quality, deviceChanged: settings.deviceChanged)
    let joined = try await JoinedMovies([asset])
    let video = try await VideoComposition(
      cinematic: joined.info, compositor: compositor, overrides: settings.overrides)
    try await self.init(joined.info.composition, video, asset.name, settings)
  }

  /// Opens a composition with any compositor. Quality, attributes and focus are its affair.
  ///
  /// - Throws: as ``FocalMedia/CompositionReader``.
  public convenience init(
    composition: Composition, videoComposition: VideoComposition, settings: Settings = Settings()
  ) async throws(CinematicError) {
    try await self.init(composition, videoComposition, "the composition", settings)
  }

  private init(
    _ composition: Composition, _ video: VideoComposition, _ name: String, _ settings: Settings
  ) async throws(CinematicError) {
    try Dimensions.checkLimit(settings.maximumSize)
    self.name = name
    tolerance = settings.tolerance
    movieFocuses = video.movieFocuses
    compositor = video.compositor
    let source = try await VideoFormat(first: composition, video)
    let pixels = try settings.outputFormat.pixelFormat(
      forSource: source.pixelFormat, tags: source.tags, coded: source.codedPixels)
    let (pixelFormat, tags) = (pixels.format, pixels.tags)
    let context = try RenderContext(
      size: video.renderSize.fitting(within: settings.maximumSize), pixelFormat: pixelFormat,
      tags: tags,
      holdsPremultipliedAlpha: settings.outputFormat.stillKind?.holdsPremultipliedAlpha ?? false,
      renderSize: video.renderSize)
    isToneMapped = try await composition.needsToneMapping(to: tags)
    clipsLight = source.tags.transfer == .linear && tags.transfer != .linear
    codingLoss = pixels.loss(of: source.codedPixels)
    opaqueKind = settings.outputFormat.stillKind.flatMap { $0.refusesAlpha ? $0.name : nil }
    var target = WriterSettings(dimensions: context.size, pixelFormat: pixelFormat, tags: tags)
    target.codedPixels = pixels.coded
    // As an export's: what is written stands upright.
    target.pixelAspectRatio = source.shownPixelAspectRatio
    target.companions.leaveOut(source.unkeptExtras)
    if case .stream(let stream) = settings.outputFormat { target.stream = stream }
    if !settings.isShown { try target.setGamut(of: video, in: settings.outputFormat) }
    writerSettings = target
    reader = try await CompositionReader(composition, video, renderContext: context)
    compositor.renderContextChanged(context)
  }

  /// The picture at a time, and when it appears.
  ///
  /// - Parameter tolerance: instead of the settings'.
  /// - Throws: `invalidParameter` for a time at which nothing is shown, `cancelled` where the calling
  ///   task is cancelled, `incompatible` for a compositor's picture of another form than was asked for, and
  ///   what reading and composing throw.
  public func image(
    at time: Time, tolerance: Tolerance? = nil
  ) async throws(CinematicError) -> (image: PixelBuffer, actualTime: Time) {
    guard let exact = reader.frameNumber(at: time) else {
      throw CinematicError(
        .invalidParameter, "\(name) shows nothing at \(time.secondsText) s",
        remedy: "choose a time from \(timeRange.start.secondsText) to before"
          + " \(timeRange.end.secondsText) s")
    }
    let number = try await soonest(near: exact, time, tolerance ?? self.tolerance)
    let request = try await reader.request(number: number)
    try request.checkAlpha(for: opaqueKind)
    return (try await compositor.picture(of: request), request.compositionTime)
  }

  /// The pictures at several times, in the order of the times, one after another as they are asked for.
  ///
  /// A time without a picture does not end the sequence; cancelling the task that iterates does.
  public func images(for times: [Time]) -> Images { Images(thumbnails: self, times: times) }

  /// The nearest frame within the tolerance at which decoding can begin, else the exact one.
  private func soonest(
    near exact: Int, _ time: Time, _ tolerance: Tolerance
  ) async throws(CinematicError) -> Int {
    guard tolerance != .exact else { return exact }
    var distance = 0
    while true {
      let candidates = [exact - distance, exact + distance].map { number -> Int? in
        guard (0..<reader.frameCount).contains(number) else { return nil }
        let start = reader.timeRange(ofFrame: number).start
        let isNear =
          number <= exact
          ? tolerance.before.map { time - start <= $0 } ?? true
          : tolerance.after.map { start - time <= $0 } ?? true
        return isNear ? number : nil
      }.compactMap { $0 }
      if candidates.isEmpty, distance > 0 { return exact }
      for number in candidates where try await reader.isSync(frame: number) { return number }
      distance += 1
    }
  }

  /// Pictures at several times.
  public struct Images: AsyncSequence {
    public typealias Element = Thumbnail
    public typealias Failure = Never

    fileprivate let thumbnails: Thumbnails
    fileprivate let times: [Time]

    public func makeAsyncIterator() -> Iterator {
      Iterator(thumbnails: thumbnails, times: times[...])
    }

    public struct Iterator: AsyncIteratorProtocol {
      fileprivate let thumbnails: Thumbnails
      fileprivate var times: ArraySlice<Time>

      /// The next picture; `nil` after the last one, and in a cancelled task.
      public mutating func next() async -> Thumbnail? {
        guard !Task.isCancelled, let time = times.popFirst() else { return nil }
        do throws(CinematicError) {
          let (image, actualTime) = try await thumbnails.image(at: time)
          return .success(requestedTime: time, image: image, actualTime: actualTime)
        } catch {
          if error.code == .cancelled, Task.isCancelled {
            times = []
            return nil
          }
          return .failure(requestedTime: time, error: error)
        }
      }
    }
  }
}
