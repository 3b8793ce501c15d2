// SPDX-License-Identifier: Apache-2.0

import ShaderTypes

/// The work that each quality spends on refining the map.
///
/// The changes of PSNR, in dB at export quality with maps of 320x180, are measured as `focal_blur.h` says.
struct RefinementSettings {
  /// Passes that each bring a plateau's disparity FOCAL_LABEL_STEPS cells farther into a blurred edge. At export
  /// half: no difference. Twice: sample -0.28.
  var spreads: Int
  /// How many neighbours each way say to which side a pixel belongs, FOCAL_MOST_NEIGHBOURS at the most. At export 4,
  /// all of them dense: layered scene with a true mask -0.4, its near things -0.7.
  var neighbours: Int
  /// How many of them follow each other closely. At export 1: traced -0.15.
  var denseNeighbours: Int
  /// Whether pixels are decided at half the picture's size, where a cell is four pixels or more. At export
  /// quality: sample -0.10.
  var halvesDecision: Bool

  init(_ quality: RenderingQuality) {
    switch quality {
    case .thumbnail: self.init(spreads: 1, neighbours: 3, dense: 1, halvesDecision: true)
    case .preview: self.init(spreads: 1, neighbours: 4, dense: 2, halvesDecision: true)
    case .export: self.init(spreads: 2, neighbours: 4, dense: 2, halvesDecision: false)
    case .exportHigh:
      let most = Int(FOCAL_MOST_NEIGHBOURS)
      self.init(spreads: 2, neighbours: most, dense: most, halvesDecision: false)
    }
  }

  private init(spreads: Int, neighbours: Int, dense: Int, halvesDecision: Bool) {
    self.spreads = spreads
    self.neighbours = neighbours
    denseNeighbours = dense
    self.halvesDecision = halvesDecision
  }
}
