// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// The lens that a film was meant for, apart from focus and f-number: named values, as the script and
/// the movie carry them.
///
/// Values that this version does not know are kept as they are, so that a script of a newer version
/// loses nothing on its way through this one.
public struct Look: Hashable, Sendable {
  /// A value's name.
  public enum Name {
    /// The blur scale S: a circle of confusion's diameter is width · S/N · |d - focus| pixels.
    public static let blurScale = "blurScale"
    /// Straight blades of the aperture, 0 for a disc.
    public static let apertureBlades = "apertureBlades"
    /// By how much the aperture is turned, in radians.
    public static let apertureRotation = "apertureRotation"
    /// How far the aperture's blades are bent: 0 straight, 1 a circle.
    public static let apertureRoundness = "apertureRoundness"
    /// How much higher than wide highlights are, as of an anamorphic lens.
    public static let apertureSqueeze = "apertureSqueeze"
    /// An aperture of any shape: a table of codes, in base 64.
    public static let apertureImage = "apertureImage"
    /// The strength of the blur in front of the focus, 1 for the f-number's own.
    public static let nearStrength = "nearStrength"
    /// The same behind the focus.
    public static let farStrength = "farStrength"
    /// How highlights behind the focus are lit: from -1, soft, to 1, a ring.
    public static let bokehProfile = "bokehProfile"
    /// Axial colour, 0 to 1.
    public static let colorFringes = "colorFringes"
    /// How far the barrel's round rim cuts highlights towards the corners, 0 to 1.
    public static let catEye = "catEye"
    /// The same of straight edges.
    public static let barnDoors = "barnDoors"
    /// Astigmatism towards the corners, 0 to 1.
    public static let swirl = "swirl"
    /// The camera's curve of the pictures' codes, by its name, such as "vlog".
    public static let logCurve = "logCurve"
    /// By how many stops light that was clipped at white is lifted before the blur.
    public static let highlights = "highlights"
    /// The linear light from which on it is lifted.
    public static let highlightThreshold = "highlightThreshold"
    /// Whether the map's edges are exact ("sharp"), to be found in the picture ("soft"), or measured ("auto").
    public static let mapEdges = "mapEdges"
    /// The version of the rendering.
    public static let renderingVersion = "renderingVersion"

    /// Those that are numbers, not whole ones.
    static let numbers: Set<String> = [
      blurScale, apertureRotation, apertureRoundness, apertureSqueeze, nearStrength, farStrength,
      bokehProfile, colorFringes, catEye, barnDoors, swirl, highlights, highlightThreshold,
    ]
    static let wholeNumbers: Set<String> = [apertureBlades, renderingVersion]
    static let texts: Set<String> = [apertureImage, logCurve, mapEdges]
    static let known = numbers.union(wholeNumbers).union(texts)
  }

  /// A value under its name.
  public struct Field: Hashable, Sendable {
    public let name: String
    /// The value as JSON.
    public let json: String
  }

  /// In the order of their names.
  public private(set) var fields: [Field] = []

  /// A look that says nothing: the renderer's settings hold.
  public init() {}

  /// Of several values under a name, the last one holds.
  init(_ fields: [Field]) {
    let held = Dictionary(fields.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
    self.fields = held.values.sorted { $0.name < $1.name }
  }

  public var isEmpty: Bool { fields.isEmpty }

  /// The names of values that this version does not know.
  public var unknownNames: [String] {
    fields.map(\.name).filter { !Name.known.contains($0) }
  }

  /// The names of values that no script and no changes can hold: numbers that are not finite, and what is no JSON of its
  /// kind, or more than one value of it.
  package var unwritableNames: [String] {
    fields.filter { field in
      let alone = ScriptWriter.object(Look([field]))
      let isRead = (try? ScriptParser.look(Array(alone.utf8))) != nil
      // A text that ends its value could begin others.
      return !isRead || !ScriptParser.isValue(field.json)
    }.map(\.name)
  }

  /// The values that scripts and changes can hold.
  var writable: Look {
    let names = Set(unwritableNames)
    return names.isEmpty ? self : Look(fields.filter { !names.contains($0.name) })
  }

  /// A value as JSON, in the form in which scripts and changes give it back: 5.0 blades are 5. `nil` where there is none.
  ///
  /// What is no value of its kind stays as it is, and no script and no changes hold it.
  public subscript(name: String) -> String? {
    get {
      let (place, isTaken) = place(of: name)
      return isTaken ? fields[place].json : nil
    }
    set {
      let (place, isTaken) = place(of: name)
      let field = newValue.map { json in
        [Field(name: name, json: ScriptParser.lookValue(name, json) ?? json)]
      }
      fields.replaceSubrange(place..<(isTaken ? place + 1 : place), with: field ?? [])
    }
  }

  /// Where the value of a name is, or would be.
  private func place(of name: String) -> (place: Int, isTaken: Bool) {
    let place = fields.partitionPoint { $0.name < name }
    return (place, place < fields.count && fields[place].name == name)
  }

  /// This look with the values of another one in place of its own.
  public func overridden(by other: Look) -> Look {
    other.isEmpty ? self : Look(fields + other.fields)
  }
}
