// SPDX-License-Identifier: Apache-2.0

import FocalCore
import ShaderTypes

/// The passes that make a frame: the one place where their order, the sizes of their buffers and
/// their bindings stand.
struct FramePasses {
  /// Where the picture goes.
  struct Destination {
    /// The planes, in the format's order.
    var planes: [Binding]
    /// Size, layout, colour and turn.
    var parameters: FocalPixelParameters
  }

  private(set) var list = PassList()

  init(
    source: PixelBuffer, disparity: PixelBuffer, destination: Destination, turn: QuarterTurn,
    quality: RenderingQuality, sessionAttributes: RenderingSession.Attributes,
    frameAttributes: RenderingSession.FrameAttributes
  ) {
    // The size that is rendered: the destination's, as the source is oriented.
    let size = turn.inverse.applied(
      to: Dimensions(
        width: Int(destination.parameters.width), height: Int(destination.parameters.height)))
    let linear = unpack(source, size: size)
    pack(linear, to: destination)
  }

  /// The source in linear light at `size`.
  private mutating func unpack(_ source: PixelBuffer, size: Dimensions) -> PassList.Buffer {
    let planes = source.planes.indices.map {
      PassList.Argument.external(.pixels(source, plane: $0, access: .read))
    }
    let linear = list.buffer(of: SIMD4<Float>.self, count: source.dimensions.count)
    list.add(
      .unpack, [planes[0], planes.count > 1 ? planes[1] : .external(.none), .buffer(linear)],
      source.kernelParameters(), count: source.height)
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
      .resample, [.buffer(linear), .buffer(resampled)], parameters, count: size.height)
    return resampled
  }

  private mutating func pack(_ picture: PassList.Buffer, to destination: Destination) {
    let parameters = destination.parameters
    let planes = destination.planes.map { PassList.Argument.external($0) }
    if planes.count > 1 {
      list.add(
        .packBiPlanar, [.buffer(picture), planes[0], planes[1]], parameters,
        count: (Int(parameters.height) + 1) / 2)
    } else {
      list.add(.pack, [.buffer(picture), planes[0]], parameters, count: Int(parameters.height))
    }
  }
}
