// SPDX-License-Identifier: Apache-2.0

/// What each quality spends on refining the map.
struct RefinementSettings {
  /// How many cells a plateau's disparity reaches into a blurred edge; even.
  var spreads: Int
  /// How often the colour models are fitted and the pixels decided.
  var fits: Int
  /// Passes of the mean over like-coloured neighbours after each decision.
  var smooths: Int
  /// Cells around an edge's whose colours count.
  var radius: Int32
  /// Whether pixels are decided at half the picture's size, where a cell is four pixels or more.
  var halvesDecision: Bool

  init(_ quality: RenderingQuality) {
    switch quality {
    case .thumbnail:
      self.init(spreads: 6, fits: 1, smooths: 0, radius: 1, halvesDecision: true)
    case .preview:
      self.init(spreads: 6, fits: 1, smooths: 0, radius: 1, halvesDecision: true)
    case .export:
      self.init(spreads: 12, fits: 2, smooths: 1, radius: 2, halvesDecision: false)
    case .exportHigh:
      self.init(spreads: 16, fits: 2, smooths: 1, radius: 2, halvesDecision: false)
    }
  }

  private init(spreads: Int, fits: Int, smooths: Int, radius: Int32, halvesDecision: Bool) {
    self.spreads = spreads
    self.fits = fits
    self.smooths = smooths
    self.radius = radius
    self.halvesDecision = halvesDecision
  }
}
