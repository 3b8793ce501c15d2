// SPDX-License-Identifier: Apache-2.0

/// The work that each quality spends on refining the map.
///
/// The changes of PSNR, in dB at export quality with maps of 320x180, are measured as `focal_blur.h` says.
struct RefinementSettings {
  /// Passes that each bring a plateau's disparity FOCAL_LABEL_STEPS cells farther into a blurred edge. At export
  /// half: no difference. Twice: sample -0.28.
  var spreads: Int
  /// How often the colour models are fitted and the pixels decided. Once: traced -0.20, sample -1.40. Three
  /// times: traced -0.10, sample -0.71.
  var fits: Int
  /// Passes of the mean over like-coloured neighbours after each decision. None: traced +0.08. Two: traced
  /// +0.03.
  var smooths: Int
  /// Cells around an edge's whose colours count. 1: traced -0.12, sample -0.47. 3: traced -0.07.
  var radius: Int32
  /// Whether pixels are decided at half the picture's size, where a cell is four pixels or more. At export
  /// quality: sample -0.10.
  var halvesDecision: Bool

  init(_ quality: RenderingQuality) {
    switch quality {
    case .thumbnail:
      self.init(spreads: 1, fits: 1, smooths: 0, radius: 1, halvesDecision: true)
    case .preview:
      // One fit takes a twelfth less time: bench with a small map -0.61, less than a thumbnail has.
      self.init(spreads: 1, fits: 2, smooths: 0, radius: 1, halvesDecision: true)
    case .export:
      self.init(spreads: 2, fits: 2, smooths: 1, radius: 2, halvesDecision: false)
    case .exportHigh:
      self.init(spreads: 2, fits: 2, smooths: 1, radius: 2, halvesDecision: false)
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
