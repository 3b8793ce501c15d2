// SPDX-License-Identifier: Apache-2.0

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
    /// The camera's curve of the pictures' codes, by its name, such as "vlog".
    public static let logCurve = "logCurve"
    /// By how many stops light that was clipped at white is lifted before the blur.
    public static let highlights = "highlights"
    /// Whether the map's edges are exact ("sharp"), to be found in the picture ("soft"), or measured ("auto").
    public static let mapEdges = "mapEdges"
    /// The version of the rendering.
    public static let renderingVersion = "renderingVersion"

    static let known: Set<String> = [
      blurScale, apertureBlades, apertureRotation, logCurve, highlights, mapEdges,
      renderingVersion,
    ]
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

  public var isEmpty: Bool { fields.isEmpty }

  /// The names of values that this version does not know.
  public var unknownNames: [String] {
    fields.map(\.name).filter { !Name.known.contains($0) }
  }

  /// A value as JSON; `nil` where there is none.
  public subscript(name: String) -> String? {
    get { fields.first { $0.name == name }?.json }
    set {
      fields.removeAll { $0.name == name }
      guard let newValue else { return }
      let place = fields.partitionPoint { $0.name <= name }
      fields.insert(Field(name: name, json: newValue), at: place)
    }
  }

  /// See ``Name/blurScale``.
  public var blurScale: Float? {
    get { self[Name.blurScale].flatMap { Float($0) } }
    set { self[Name.blurScale] = newValue.map { "\($0)" } }
  }
  /// See ``Name/apertureBlades``.
  public var apertureBlades: Int? {
    get { self[Name.apertureBlades].flatMap { Int($0) } }
    set { self[Name.apertureBlades] = newValue.map { "\($0)" } }
  }
  /// See ``Name/apertureRotation``.
  public var apertureRotation: Float? {
    get { self[Name.apertureRotation].flatMap { Float($0) } }
    set { self[Name.apertureRotation] = newValue.map { "\($0)" } }
  }
  /// See ``Name/logCurve``. "none" is no curve, in place of another look's.
  public var logCurve: String? {
    get { self[Name.logCurve].map { String($0.dropFirst().dropLast()) } }
    set { self[Name.logCurve] = newValue.map(ScriptWriter.quoted) }
  }
  /// See ``Name/highlights``.
  public var highlights: Float? {
    get { self[Name.highlights].flatMap { Float($0) } }
    set { self[Name.highlights] = newValue.map { "\($0)" } }
  }
  /// See ``Name/mapEdges``.
  public var mapEdges: String? {
    get { self[Name.mapEdges].map { String($0.dropFirst().dropLast()) } }
    set { self[Name.mapEdges] = newValue.map(ScriptWriter.quoted) }
  }
  /// See ``Name/renderingVersion``.
  public var renderingVersion: Int? {
    get { self[Name.renderingVersion].flatMap { Int($0) } }
    set { self[Name.renderingVersion] = newValue.map { "\($0)" } }
  }

  /// This look with the values of another one in place of its own.
  public func overridden(by other: Look) -> Look {
    var result = self
    for field in other.fields { result[field.name] = field.json }
    return result
  }
}
