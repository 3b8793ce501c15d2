// SPDX-License-Identifier: Apache-2.0

import FocalCore
import ShaderTypes
import Synchronization

/// A picture that is rendered tile by tile: what its tiles have in common.
///
/// ``ImageRenderingSession`` makes it, and tells how it is used.
public final class TiledPicture: Sendable {
  /// The size of the whole picture.
  public let size: Dimensions
  public let frameAttributes: RenderingSession.FrameAttributes
  /// How the colours of a source with alpha are stored; `nil` for opaque ones.
  public let alpha: AlphaMode?

  let session: RenderingSession
  /// `nil` where nothing is blurred.
  let blur: FramePasses.Blur?
  /// The surfaces behind in the whole picture, coarsely: the levels of each part.
  let backdrop: [[any DeviceMemory]]
  private let added = Mutex(Set<Int>())

  /// Rows of the picture to one of the layers.
  let layerScale: Int
  /// Tiles of the backdrop begin at its multiples.
  var unit: Int { layerScale * BackPyramid.unit }

  init(
    _ size: Dimensions, _ frameAttributes: RenderingSession.FrameAttributes, _ alpha: AlphaMode?,
    _ session: RenderingSession, _ blur: FramePasses.Blur?
  ) throws(CinematicError) {
    self.size = size
    layerScale = blur.map { Int($0.settings.scale) * ($0.size == size ? 1 : 2) } ?? 1
    self.frameAttributes = frameAttributes
    self.alpha = alpha
    self.session = session
    self.blur = blur
    let backend = session.commandQueue.device.backend
    var backdrop: [[any DeviceMemory]] = []
    if let blur {
      let layers = Dimensions(
        width: (size.width + layerScale - 1) / layerScale,
        height: (size.height + layerScale - 1) / layerScale)
      for _ in 0..<(alpha == nil ? 1 : 2) {
        guard let counts = BackPyramid.coarseByteCounts(of: layers, blur) else { break }
        var levels: [any DeviceMemory] = []
        for count in counts { levels.append(try backend.makeMemory(byteCount: count)) }
        backdrop.append(levels)
      }
    }
    self.backdrop = backdrop
  }

  /// Whether the backdrop must be made before the first tile. A picture without blur has none, and a very
  /// small one needs none.
  public var needsBackdrop: Bool { !backdrop.isEmpty }

  /// Whether the backdrop has been encoded as a whole.
  public var hasBackdrop: Bool {
    let count = (size.height + unit - 1) / unit
    return !needsBackdrop || added.withLock { $0.count } == count
  }

  /// Strips of about so many rows, over the whole width, from top to bottom: tiles as they cost least, and
  /// as the backdrop takes them.
  public func strips(rows: Int) -> [PixelRect] {
    let step = max(rows / unit, 1) * unit
    return FrameCut.pieces(of: 0..<size.height, step: step).map {
      PixelRect(columns: 0..<size.width, rows: $0)
    }
  }

  /// The part of the source that a tile is made of: what the lens and the refinement of the map reach.
  ///
  /// It always has the picture's width, so that strips cost least. How high it is depends on f-number,
  /// quality and the size of the map.
  public func minimumTileExtendRect(forTileRect rect: PixelRect) -> PixelRect {
    guard blur == nil || needsBackdrop else { return PixelRect(size) }
    let rows = rect.rows.clamped(to: 0..<size.height)
    let nothing = StoredPicture(planes: [.none], parameters: parameters)
    let passes = passes(nothing, nothing, rows, FrameCut(tilesAtOnce: 1))
    return PixelRect(columns: 0..<size.width, rows: passes.readRows ?? rows)
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
      source: source, destination: destination, turn: .identity, frameAttributes,
      session.sessionAttributes,
      alpha: alpha.map {
        FramePasses.Alpha(source: $0, destination: destinationAlpha ?? .straight)
      },
      largestBindingByteCount: session.commandQueue.device.backend.largestBindingByteCount)
    if let blur { frame.size = blur.size }
    return frame
  }

  private var parameters: FocalPixelParameters {
    var parameters = FocalPixelParameters()
    parameters.width = Int32(size.width)
    parameters.height = Int32(size.height)
    return parameters
  }

  /// Notes rows of the backdrop as encoded; whether they were the last that lacked.
  func add(_ rows: Range<Int>) -> Bool {
    let units = rows.lowerBound / unit..<(rows.upperBound + unit - 1) / unit
    let count = (size.height + unit - 1) / unit
    return added.withLock { added in
      added.formUnion(units)
      return added.count == count
    }
  }
}
