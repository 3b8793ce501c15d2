// SPDX-License-Identifier: Apache-2.0

extension Look {
  /// See ``Name/blurScale``.
  public var blurScale: Float? {
    get { number(Name.blurScale) }
    set { set(Name.blurScale, newValue) }
  }
  /// See ``Name/apertureBlades``.
  public var apertureBlades: Int? {
    get { wholeNumber(Name.apertureBlades) }
    set { set(Name.apertureBlades, newValue) }
  }
  /// See ``Name/apertureRotation``.
  public var apertureRotation: Float? {
    get { number(Name.apertureRotation) }
    set { set(Name.apertureRotation, newValue) }
  }
  /// See ``Name/apertureRoundness``.
  public var apertureRoundness: Float? {
    get { number(Name.apertureRoundness) }
    set { set(Name.apertureRoundness, newValue) }
  }
  /// See ``Name/apertureSqueeze``.
  public var apertureSqueeze: Float? {
    get { number(Name.apertureSqueeze) }
    set { set(Name.apertureSqueeze, newValue) }
  }
  /// See ``Name/apertureImage``.
  public var apertureImage: String? {
    get { text(Name.apertureImage) }
    set { set(Name.apertureImage, newValue) }
  }
  /// See ``Name/nearStrength``.
  public var nearStrength: Float? {
    get { number(Name.nearStrength) }
    set { set(Name.nearStrength, newValue) }
  }
  /// See ``Name/farStrength``.
  public var farStrength: Float? {
    get { number(Name.farStrength) }
    set { set(Name.farStrength, newValue) }
  }
  /// See ``Name/bokehProfile``.
  public var bokehProfile: Float? {
    get { number(Name.bokehProfile) }
    set { set(Name.bokehProfile, newValue) }
  }
  /// See ``Name/colorFringes``.
  public var colorFringes: Float? {
    get { number(Name.colorFringes) }
    set { set(Name.colorFringes, newValue) }
  }
  /// See ``Name/catEye``.
  public var catEye: Float? {
    get { number(Name.catEye) }
    set { set(Name.catEye, newValue) }
  }
  /// See ``Name/barnDoors``.
  public var barnDoors: Float? {
    get { number(Name.barnDoors) }
    set { set(Name.barnDoors, newValue) }
  }
  /// See ``Name/swirl``.
  public var swirl: Float? {
    get { number(Name.swirl) }
    set { set(Name.swirl, newValue) }
  }
  /// See ``Name/logCurve``. "none" is no curve, in place of another look's.
  public var logCurve: String? {
    get { text(Name.logCurve) }
    set { set(Name.logCurve, newValue) }
  }
  /// See ``Name/highlights``.
  public var highlights: Float? {
    get { number(Name.highlights) }
    set { set(Name.highlights, newValue) }
  }
  /// See ``Name/highlightThreshold``.
  public var highlightThreshold: Float? {
    get { number(Name.highlightThreshold) }
    set { set(Name.highlightThreshold, newValue) }
  }
  /// See ``Name/mapEdges``.
  public var mapEdges: String? {
    get { text(Name.mapEdges) }
    set { set(Name.mapEdges, newValue) }
  }
  /// See ``Name/renderingVersion``.
  public var renderingVersion: Int? {
    get { wholeNumber(Name.renderingVersion) }
    set { set(Name.renderingVersion, newValue) }
  }

  /// The word that stands for no image and no curve, in place of another look's.
  public static let absent = "none"

  /// The names of values that have no effect beside the others: a rotation or a roundness of no blades, a threshold of
  /// no highlights.
  public var idleNames: [String] {
    let hasBlades = (apertureBlades ?? 0) > 0
    let hasImage = apertureImage.map { $0 != Self.absent } ?? false
    return [
      (Name.apertureRotation, (apertureRotation ?? 0) != 0 && !hasBlades && !hasImage),
      (Name.apertureRoundness, (apertureRoundness ?? 0) != 0 && !hasBlades),
      (Name.highlightThreshold, highlightThreshold != nil && (highlights ?? 0) == 0),
    ].filter(\.1).map(\.0)
  }

  private func number(_ name: String) -> Float? { self[name].flatMap { Float($0) } }
  private func wholeNumber(_ name: String) -> Int? { self[name].flatMap { Int($0) } }
  private func text(_ name: String) -> String? {
    self[name].flatMap { json in
      Array(json.utf8).withUnsafeBufferPointer { bytes in
        var scanner = JSONScanner(bytes)
        return try? scanner.string()
      }
    }
  }

  private mutating func set(_ name: String, _ value: (some Numeric)?) {
    self[name] = value.map { "\($0)" }
  }
  private mutating func set(_ name: String, _ value: String?) {
    self[name] = value.map(ScriptWriter.quoted)
  }
}
