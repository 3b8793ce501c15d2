// SPDX-License-Identifier: Apache-2.0

import CPUKernels
import FocalRendering

extension Kernel {
  typealias CPUEntryPoint =
    @convention(c) (
      UnsafePointer<UnsafeMutableRawPointer?>?, UnsafeRawPointer?, UInt32, UInt32
    ) -> Void

  /// The C function that runs the kernel over a range of its items.
  var cpuEntryPoint: CPUEntryPoint {
    switch self {
    case .unpack: focal_unpack
    case .unpackDisparity: focal_unpackDisparity
    case .resample: focal_resample
    case .reduceDisparity: focal_reduceDisparity
    case .fillDisparity: focal_fillDisparity
    case .findSidesSharp: focal_findSidesSharp
    case .seedSides: focal_seedSides
    case .spreadSides: focal_spreadSides
    case .finishSides: focal_finishSides
    case .markReach: focal_markReach
    case .makeGuide: focal_makeGuide
    case .sumColours: focal_sumColours
    case .fitSides: focal_fitSides
    case .decideSides: focal_decideSides
    case .smoothDecision: focal_smoothDecision
    case .resolveDisparity: focal_resolveDisparity
    case .circleOfConfusion: focal_circleOfConfusion
    case .matte: focal_matte
    case .gatherLayers: focal_gatherLayers
    case .pyramidBase: focal_pyramidBase
    case .pyramidDown: focal_pyramidDown
    case .pyramidUp: focal_pyramidUp
    case .pyramidStore: focal_pyramidStore
    case .connectSlices: focal_connectSlices
    case .classifyBlocks: focal_classifyBlocks
    case .classifyTiles: focal_classifyTiles
    case .blurTiles: focal_blurTiles
    case .composite: focal_composite
    case .assembleSlices, .prefilterSlices, .lensViews, .classifyFocus, .compose:
      preconditionFailure("\(name) is a part of a kernel that the processor runs fused")
    case .pack: focal_pack
    case .packBiPlanar: focal_packBiPlanar
    }
  }
}
