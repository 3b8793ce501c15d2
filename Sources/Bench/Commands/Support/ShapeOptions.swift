// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalRendering

/// The shape of the lens opening and the faults of the lens. A value that is not given stays as it is.
package struct ShapeOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Aperture blades, 3 to 16; 0 for a disc. (default: 0, or what the script says in commands that read one;"
        + " so for all of these)", valueName: "n"))
  package var blades: Int?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "By how much the blades or the image are turned, counter-clockwise.", valueName: "degrees"))
  package var bladeRotation: Float?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How far the blades are bent: 0 straight, 1 a circle.", valueName: "0…1"))
  package var bladeRoundness: Float?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Anamorphic squeeze: highlights are so many times higher than wide, 1 to 2, such as 1.33.",
      valueName: "factor"))
  package var squeeze: Float?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How strong the blur in front of the focus is, 0 to 4; 1 is the f-number's own.",
      valueName: "factor"))
  package var nearStrength: Float?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The same behind the focus.", valueName: "factor"))
  package var farStrength: Float?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How highlights behind the focus are lit, from -1, soft, to 1, rings; in front of it the other"
        + " way round.", valueName: "-1…1"))
  package var profile: Float?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Axial colour: green rims behind the focus, magenta ones in front, 0 to 1.",
      valueName: "0…1"))
  package var fringes: Float?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How far the barrel's rim cuts highlights towards the corners, 0 to 1.", valueName: "0…1"))
  package var catEye: Float?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The same by the edges of a square.", valueName: "0…1"))
  package var barnDoors: Float?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Astigmatism: towards the corners highlights swirl around the middle, 0 to 1.",
      valueName: "0…1"))
  package var swirl: Float?

  package init() {}

  package func validate() throws {
    guard blades.map({ $0 == 0 || (3...16).contains($0) }) ?? true else {
      throw ValidationError("--blades takes 3 to 16, or 0 for a disc")
    }
    guard bladeRotation?.isFinite ?? true else {
      throw ValidationError("--blade-rotation takes a finite number of degrees")
    }
    try check("--squeeze", squeeze, 1...ApertureShape.maximumSqueeze)
    let strengths = 0...RenderingSession.Attributes.maximumStrength
    try check("--near-strength", nearStrength, strengths)
    try check("--far-strength", farStrength, strengths)
    try check("--profile", profile, -1...1)
    for (name, value) in [
      ("--blade-roundness", bladeRoundness), ("--fringes", fringes), ("--cat-eye", catEye),
      ("--barn-doors", barnDoors), ("--swirl", swirl),
    ] {
      try check(name, value, 0...1)
    }
    guard blades != 0 || (bladeRoundness ?? 0) == 0 else {
      throw ValidationError("--blade-roundness bends blades: give 3 to 16 of them, not --blades 0")
    }
  }

  private func check(_ name: String, _ value: Float?, _ range: ClosedRange<Float>) throws {
    guard let value, !range.contains(value) else { return }
    throw ValidationError("\(name) takes a number from \(range.lowerBound) to \(range.upperBound)")
  }

  /// The names of those that are given.
  var given: [String] {
    [
      ("--blades", blades != nil), ("--blade-rotation", bladeRotation != nil),
      ("--blade-roundness", bladeRoundness != nil), ("--squeeze", squeeze != nil),
      ("--near-strength", nearStrength != nil), ("--far-strength", farStrength != nil),
      ("--profile", profile != nil), ("--fringes", fringes != nil), ("--cat-eye", catEye != nil),
      ("--barn-doors", barnDoors != nil), ("--swirl", swirl != nil),
    ].filter(\.1).map(\.0)
  }

  /// Attributes with what is given in place of theirs.
  package func applied(
    to attributes: RenderingSession.Attributes
  ) -> RenderingSession.Attributes {
    var result = attributes
    if let blades { result.apertureShape.bladeCount = blades }
    if let bladeRotation { result.apertureShape.rotation = bladeRotation * .pi / 180 }
    if let bladeRoundness { result.apertureShape.roundness = bladeRoundness }
    if let squeeze { result.apertureShape.squeeze = squeeze }
    if let nearStrength { result.nearStrength = nearStrength }
    if let farStrength { result.farStrength = farStrength }
    if let profile { result.lensCharacter.profile = profile }
    if let fringes { result.lensCharacter.fringes = fringes }
    if let catEye { result.lensCharacter.catEye = catEye }
    if let barnDoors { result.lensCharacter.barnDoors = barnDoors }
    if let swirl { result.lensCharacter.swirl = swirl }
    return result
  }
}
