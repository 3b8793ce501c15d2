// SPDX-License-Identifier: Apache-2.0

import FocalCore
import ShaderTypes
import Synchronization

/// A picture that is rendered tile by tile: what its tiles have in common.
///
/// ``ImageRenderingSession`` makes it, and tells how it is used.
public final class TiledPicture: Sendable {
  /// The size of the whole picture as it is rendered.
  public let size: Dimensions
  /// The size of the whole source: ``size``, or another of which ``size`` is made by resampling.
  public let sourceSize: Dimensions
  /// How tiles are turned as they are written.
  public let preferredTransform: QuarterTurn
  public let frameAttributes: RenderingSession.FrameAttributes
  /// How the colours of a source with alpha are stored; `nil` for opaque ones.
  public let alpha: AlphaMode?

  let session: RenderingSession
  /// `nil` where nothing is blurred.
  let blur: FramePasses.Blur?
  /// Of the map that ``blur`` keeps; empty where nothing is blurred.
  let mapBytes: [PlaneBytes]
  /// The surfaces behind in the whole picture, coarsely, for each part.
  let backdrop: [any DeviceMemory]
  private let progress = Mutex(Progress())

  /// Which units of the backdrop have been encoded, which of them the queue knows, and which the device has
  /// made.
  private struct Progress {
    var encoded = Set<Int>()
    var planned = Set<Int>()
    var made = Set<Int>()
    /// Of the command buffer that failed last, until the units that it left are made.
    var failure: CinematicError?
  }

  /// Rows of the picture to one of the layers.
  let layerScale: Int
  /// Tiles of the backdrop begin at its multiples.
  var unit: Int { layerScale * BackPyramid.unit }

  init(
    _ size: Dimensions, _ sourceSize: Dimensions, _ preferredTransform: QuarterTurn,
    _ frameAttributes: RenderingSession.FrameAttributes, _ alpha: AlphaMode?,
    _ session: RenderingSession, _ blur: FramePasses.Blur?, mapBytes: [PlaneBytes]
  ) throws(CinematicError) {
    self.size = size
    self.mapBytes = mapBytes
    layerScale = blur.map { Int($0.settings.scale) * ($0.size == size ? 1 : 2) } ?? 1
    self.sourceSize = sourceSize
    self.preferredTransform = preferredTransform
    self.frameAttributes = frameAttributes
    self.alpha = alpha
    self.session = session
    self.blur = blur
    let backend = session.commandQueue.device.backend
    var backdrop: [any DeviceMemory] = []
    if let blur {
      let layers = Dimensions(
        width: (size.width + layerScale - 1) / layerScale,
        height: (size.height + layerScale - 1) / layerScale)
      for _ in 0..<(alpha == nil ? 1 : 2) {
        guard let count = BackPyramid.coarseByteCount(of: layers, blur) else { break }
        let memory = try backend.makeMemory(byteCount: count)
        // Kernels rely on the range of what they read, which must hold even for a tile in vain.
        try [UInt8](repeating: 0, count: count).withUnsafeBytes { bytes in
          Result { () throws(CinematicError) in try memory.write(bytes, at: 0) }
        }.get()
        backdrop.append(memory)
      }
    }
    self.backdrop = backdrop
  }

  /// Whether the backdrop must be made before the first tile. A picture without blur has none, and a very
  /// small one needs none.
  public var needsBackdrop: Bool { !backdrop.isEmpty }

  /// Whether the backdrop has been encoded as a whole. Strips whose command buffer failed count as not
  /// encoded; a tile whose backdrop fails after this was asked fails with it.
  public var hasBackdrop: Bool {
    !needsBackdrop || progress.withLock { $0.encoded.count } == unitCount
  }

  private var unitCount: Int { (size.height + unit - 1) / unit }

  /// Strips of about so many rows, over the whole width, from top to bottom: tiles as they cost least, and
  /// as the backdrop takes them.
  public func strips(rows: Int) -> [PixelRect] {
    let step = max(rows / unit, 1) * unit
    return FrameCut.pieces(of: 0..<size.height, step: step).map {
      PixelRect(columns: 0..<size.width, rows: $0)
    }
  }

  /// Whether the backdrop can be made of rows: some of the picture's, in whole units but for those at its end.
  func isStrip(_ rows: Range<Int>) -> Bool {
    !rows.isEmpty && rows.lowerBound >= 0 && rows.upperBound <= size.height
      && rows.lowerBound % unit == 0
      && (rows.upperBound % unit == 0 || rows.upperBound == size.height)
  }

  /// The part of the source that a tile is made of: what the lens and the refinement of the map reach.
  ///
  /// It always has the source's width, so that strips cost least, and lies in the source. How high it is
  /// depends on f-number, quality, the size of the map and that of the source.
  public func minimumTileExtendRect(forTileRect rect: PixelRect) -> PixelRect {
    guard blur == nil || needsBackdrop else { return PixelRect(sourceSize) }
    let rows = rect.rows.clamped(to: 0..<size.height)
    let passes = passes(Self.nothing(sourceSize), unwritten, rows, FrameCut(tilesAtOnce: 1))
    return PixelRect(columns: 0..<sourceSize.width, rows: passes.readRows ?? rows)
  }

  /// The passes of a tile.
  func passes(
    _ source: StoredPicture, _ destination: StoredPicture, _ rows: Range<Int>, _ cut: FrameCut,
    destinationAlpha: AlphaMode? = nil
  ) -> FramePasses {
    FramePasses(
      frame(source, destination, destinationAlpha), blur: blur, cut: cut,
      tile: blur != nil && !needsBackdrop ? nil : FramePasses.Tile(rows: rows, backdrop: backdrop))
  }

  func frame(
    _ source: StoredPicture, _ destination: StoredPicture, _ destinationAlpha: AlphaMode?
  ) -> FramePasses.Frame {
    var frame = FramePasses.Frame(
      source: source, destination: destination, turn: preferredTransform, frameAttributes,
      session.sessionAttributes,
      alpha: alpha.map {
        FramePasses.Alpha(source: $0, destination: destinationAlpha ?? .straight)
      },
      largestBindingByteCount: session.commandQueue.device.backend.largestBindingByteCount)
    if let blur { frame.size = blur.size }
    return frame
  }

  /// A picture without pixels, for passes that do not write it or are only looked at.
  private static func nothing(_ size: Dimensions) -> StoredPicture {
    var parameters = FocalPixelParameters()
    parameters.width = Int32(size.width)
    parameters.height = Int32(size.height)
    return StoredPicture(planes: [.none], parameters: parameters)
  }

  /// The destination of passes that write none.
  var unwritten: StoredPicture { Self.nothing(preferredTransform.applied(to: size)) }

  // MARK: - The backdrop's progress

  private func units(_ rows: Range<Int>) -> Range<Int> {
    rows.lowerBound / unit..<(rows.upperBound + unit - 1) / unit
  }

  /// Notes rows of the backdrop as encoded; whether no others lack.
  func encode(_ rows: Range<Int>) -> Bool {
    progress.withLock { progress in
      progress.encoded.formUnion(units(rows))
      progress.planned.subtract(units(rows))
      progress.made.subtract(units(rows))
      return progress.encoded.count == unitCount
    }
  }

  /// Notes rows as handed to the queue.
  func plan(_ rows: Range<Int>) {
    progress.withLock { $0.planned.formUnion(units(rows)) }
  }

  /// Why a tile that is handed to the queue now cannot be rendered; `nil` if its backdrop was handed to it
  /// before.
  var planningFailure: CinematicError? {
    guard needsBackdrop else { return nil }
    return progress.withLock { progress in
      progress.planned.count == unitCount ? nil : progress.failure ?? Self.lacksBackdrop
    }
  }

  private static var lacksBackdrop: CinematicError {
    CinematicError(
      .invalidState, "a tile was committed before what lies behind it",
      remedy: "commit the backdrop of all strips before the first tile")
  }

  /// Notes what became of rows that were encoded. Those that failed can be encoded again.
  func settle(_ rows: Range<Int>, _ error: CinematicError?) {
    progress.withLock { progress in
      if let error {
        progress.encoded.subtract(units(rows))
        progress.planned.subtract(units(rows))
        progress.failure = error
      } else {
        progress.made.formUnion(units(rows))
        if progress.made.count == unitCount { progress.failure = nil }
      }
    }
  }

  /// Why a tile that has completed holds nothing of use; `nil` if its backdrop was made before.
  var backdropFailure: CinematicError? {
    guard needsBackdrop else { return nil }
    return progress.withLock { progress in
      progress.made.count == unitCount ? nil : progress.failure ?? Self.lacksBackdrop
    }
  }
}
