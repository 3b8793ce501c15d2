// SPDX-License-Identifier: Apache-2.0

import FocalRendering
import FocalScript

extension RenderingSession.Attributes {
  /// These attributes with the values of a look in place of their own. Values that this version does
  /// not know have no effect; those outside their ranges are refused by the renderer.
  public func with(_ look: Look) -> RenderingSession.Attributes {
    var result = self
    if let version = look.renderingVersion { result.renderingVersion = version }
    if let scale = look.blurScale { result.blurScale = scale }
    if let count = look.apertureBlades { result.apertureShape.bladeCount = count }
    if let rotation = look.apertureRotation { result.apertureShape.rotation = rotation }
    return result
  }
}

extension Look {
  /// A look that gives just these attributes.
  public init(_ attributes: RenderingSession.Attributes) {
    self.init()
    renderingVersion = attributes.renderingVersion
    blurScale = attributes.blurScale
    apertureBlades = attributes.apertureShape.bladeCount
    apertureRotation = attributes.apertureShape.rotation
  }
}
