// SPDX-License-Identifier: Apache-2.0

import FocalCore
import ShaderTypes

/// The passes that make a frame: the one place where their order, the sizes of their buffers and
/// their bindings stand.
///
/// unpack → refine the map → blur → pack. Its extensions hold the middle two.
struct FramePasses {
  /// Where the picture goes.
  struct Destination {
    /// The planes, in the format's order.
    var planes: [Binding]
    /// Size, layout, colour and turn.
    var parameters: FocalPixelParameters

    /// The size that is rendered: the destination's, as the source is oriented.
    func renderedSize(turn: QuarterTurn) -> Dimensions {
      turn.inverse.applied(
        to: Dimensions(width: Int(parameters.width), height: Int(parameters.height)))
    }
  }

  /// The circles of confusion of a frame.
  struct Circles {
    var focusDisparity: Float
    /// Pixels of radius a unit of disparity.
    var radiusScale: Float
    /// The largest radius that a disparity of the map gives, in pixels.
    var largestRadius: Float

    init(
      width: Int, session: RenderingSession.Attributes, frame: RenderingSession.FrameAttributes,
      map: MapAnalysis
    ) {
      focusDisparity = frame.focusDisparity
      // Half a diameter of width * S / N * |d - focus|.
      radiusScale = 0.5 * Float(width) * session.blurScale / frame.fNumber
      let focus = frame.focusDisparity
      let largestStep = map.range.map {
        max(abs($0.upperBound - focus), abs($0.lowerBound - focus))
      }
      largestRadius = min(radiusScale * (largestStep ?? 0), 1e9)
    }

    var areVisible: Bool { largestRadius > BlurSettings.smallestRadius }
  }

  var list = PassList()

  /// A frame that is sharp everywhere: no map is looked at.
  init(sharp source: PixelBuffer, destination: Destination, turn: QuarterTurn) {
    pack(unpack(source, size: destination.renderedSize(turn: turn)), to: destination)
  }

  /// A frame with a blur.
  init(
    source: PixelBuffer, disparity: PixelBuffer, destination: Destination, turn: QuarterTurn,
    quality: RenderingQuality, map: MapAnalysis, circles: Circles, settings: BlurSettings,
    tables: BlurTables, laneCount: Int
  ) {
    let size = destination.renderedSize(turn: turn)
    let linear = unpack(source, size: size)
    let refined = refine(
      disparity, analysis: map, picture: linear, size: size, quality: quality)
    let blurred = blur(
      linear, disparity: refined, size: size, focusDisparity: circles.focusDisparity,
      radiusScale: circles.radiusScale, largestRadius: circles.largestRadius, settings: settings,
      tables: tables, laneCount: laneCount)
    pack(blurred, to: destination)
  }

  /// The source in linear light at `size`.
  private mutating func unpack(_ source: PixelBuffer, size: Dimensions) -> PassList.Buffer {
    let planes = source.planes.indices.map {
      PassList.Argument.external(.pixels(source, plane: $0, access: .read))
    }
    let linear = list.buffer(of: SIMD4<Float>.self, count: source.dimensions.count)
    list.add(
      .unpack, [planes[0], planes.count > 1 ? planes[1] : .external(.none), .buffer(linear)],
      source.kernelParameters(), over: source.dimensions)
    guard size != source.dimensions else { return linear }

    var parameters = FocalResampleParameters()
    parameters.sourceWidth = Int32(source.width)
    parameters.sourceHeight = Int32(source.height)
    parameters.width = Int32(size.width)
    parameters.height = Int32(size.height)
    parameters.scaleX = Float(source.width) / Float(size.width)
    parameters.scaleY = Float(source.height) / Float(size.height)
    parameters.reachX = max(parameters.scaleX, 1)
    parameters.reachY = max(parameters.scaleY, 1)
    parameters.inverseReachX = 1 / parameters.reachX
    parameters.inverseReachY = 1 / parameters.reachY
    let resampled = list.buffer(of: SIMD4<Float>.self, count: size.count)
    list.add(
      .resample, [.buffer(linear), .buffer(resampled)], parameters, over: size)
    return resampled
  }

  private mutating func pack(_ picture: PassList.Buffer, to destination: Destination) {
    let parameters = destination.parameters
    let planes = destination.planes.map { PassList.Argument.external($0) }
    if planes.count > 1 {
      list.add(
        .packBiPlanar, [.buffer(picture), planes[0], planes[1]], parameters,
        over: Dimensions(
          width: (Int(parameters.width) + 1) / 2, height: (Int(parameters.height) + 1) / 2))
    } else {
      list.add(
        .pack, [.buffer(picture), planes[0]], parameters,
        over: Dimensions(width: Int(parameters.width), height: Int(parameters.height)))
    }
  }
}
