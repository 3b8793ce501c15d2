// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalRendering
import FocalScript
import Testing

/// Looks as settings of a session, and back.
@Suite struct LookTests {
  /// Settings of which every one that a look holds is another than the default.
  private static func attributes() throws -> RenderingSession.Attributes {
    var attributes = RenderingSession.Attributes(blurScale: 0.3)
    let codes = (0..<(ApertureImage.side * ApertureImage.side)).map {
      UInt8(truncatingIfNeeded: $0 * 7)
    }
    attributes.apertureShape = ApertureShape(
      bladeCount: 7, rotation: 0.2, roundness: 0.6, squeeze: 1.33)
    attributes.apertureShape.image = try ApertureImage(codes: codes)
    attributes.nearStrength = 0.7
    attributes.farStrength = 1.4
    attributes.lensCharacter.profile = -0.35
    attributes.lensCharacter.fringes = 0.15
    attributes.lensCharacter.catEye = 0.45
    attributes.lensCharacter.barnDoors = 0.55
    attributes.lensCharacter.swirl = 0.65
    attributes.highlights = 2.1
    attributes.highlightThreshold = 0.8
    attributes.mapEdges = .soft
    return attributes
  }

  @Test func attributesAreALook() throws {
    let attributes = try Self.attributes()
    let look = Look(attributes)
    #expect(look.unknownNames.isEmpty)
    // All but the curve of the pictures' codes, which is no setting of the renderer.
    #expect(look.fields.count == 17)
    #expect(look.logCurve == nil)
    let given = try RenderingSession.Attributes().with(look)
    #expect(given == attributes)
    #expect(Look(given) == look)
  }

  /// Every value of a look holds, the absence of an aperture's picture too.
  @Test func aLookTakesThePlaceOfOtherAttributes() throws {
    let plain = RenderingSession.Attributes()
    #expect(try Self.attributes().with(Look(plain)) == plain)
  }
}
