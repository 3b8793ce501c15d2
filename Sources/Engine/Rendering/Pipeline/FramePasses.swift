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
    source: PixelBuffer, disparity: PixelBuffer, destination: Destination,
    quality: RenderingQuality, sessionAttributes: RenderingSession.Attributes,
    frameAttributes: RenderingSession.FrameAttributes
  ) {
    let linear = list.buffer(of: SIMD4<Float>.self, count: source.dimensions.count)
    let planes = source.planes.indices.map {
      PassList.Argument.external(.pixels(source, plane: $0, access: .read))
    }
    list.add(
      .unpack, [planes[0], planes.count > 1 ? planes[1] : .external(.none), .buffer(linear)],
      source.kernelParameters(), count: source.height)
    pack(linear, to: destination)
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
