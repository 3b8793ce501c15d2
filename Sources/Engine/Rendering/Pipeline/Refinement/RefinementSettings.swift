// SPDX-License-Identifier: Apache-2.0

/// The work that each quality spends on refining the map.
///
/// The changes of PSNR, in dB at export quality with maps of 320x180, are measured as `focal_blur.h` says.
struct RefinementSettings {
  /// Passes that each bring a plateau's disparity FOCAL_LABEL_STEPS cells farther into a blurred edge. At export
  /// half: no difference. Twice: sample -0.28.
  var spreads: Int
  /// How many neighbours each way say to which side a pixel belongs.
  var neighbours: Int
  /// Whether pixels are decided at half the picture's size, where a cell is four pixels or more. At export
  /// quality: sample -0.10.
  var halvesDecision: Bool

  init(_ quality: RenderingQuality) {
    switch quality {
    case .thumbnail: self.init(spreads: 1, neighbours: 2, halvesDecision: true)
    case .preview: self.init(spreads: 1, neighbours: 3, halvesDecision: true)
    case .export: self.init(spreads: 2, neighbours: 4, halvesDecision: false)
    case .exportHigh: self.init(spreads: 2, neighbours: 6, halvesDecision: false)
    }
  }

  private init(spreads: Int, neighbours: Int, halvesDecision: Bool) {
    self.spreads = spreads
    self.neighbours = neighbours
    self.halvesDecision = halvesDecision
  }
}
