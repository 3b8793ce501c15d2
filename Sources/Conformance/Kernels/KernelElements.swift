// SPDX-License-Identifier: Apache-2.0

import FocalRendering
import ShaderTypes

/// What the bytes of a kernel's buffer are.
enum ElementType: Sendable {
  case float
  case byte
  case integer
  /// Sets of 64 bits.
  case set

  var byteCount: Int {
    switch self {
    case .byte: 1
    case .float, .integer: 4
    case .set: 8
    }
  }

  var name: String {
    switch self {
    case .float: "float"
    case .byte: "byte"
    case .integer: "integer"
    case .set: "set"
    }
  }
}

/// What is to be compared of a kernel's buffer.
struct BufferContents: Sendable {
  var type = ElementType.float
  /// The buffer is a workspace: what a kernel leaves there is nobody's business.
  var isWorkspace = false
  /// Elements of one record, and those among them that no kernel reads.
  var recordLength = 1
  var unused: Set<Int> = []

  static let bytes = BufferContents(type: .byte)
  static let integers = BufferContents(type: .integer)
  static let sets = BufferContents(type: .set)
  static let sums = BufferContents(recordLength: 8, unused: [5, 6, 7])
  static let models = BufferContents(recordLength: 8, unused: [7])
}

extension Kernel {
  /// What binding `index` holds; floats unless said otherwise.
  func contents(ofBinding index: Int) -> BufferContents {
    switch self {
    case .findSidesSharp, .seedSides, .spreadSides, .finishSides:
      return index == Int(FocalFindSidesKind) ? .bytes : .init()
    case .markReach: return .bytes
    case .makeGuide:
      return index == Int(FocalMakeGuideReach)
        ? .bytes : index == Int(FocalMakeGuideResult) ? .integers : .init()
    case .sumColours:
      if index == Int(FocalSumColoursKind) || index == Int(FocalSumColoursReach) { return .bytes }
      if index == Int(FocalSumColoursGuide) { return .integers }
      return index == Int(FocalSumColoursSums) ? .sums : .init()
    case .fitSides:
      if index == Int(FocalFitSidesKind) { return .bytes }
      if index == Int(FocalFitSidesSums) { return .sums }
      return index == Int(FocalFitSidesModels) ? .models : .init()
    case .decideSides:
      if index == Int(FocalDecideSidesKind) || index == Int(FocalDecideSidesReach) { return .bytes }
      if index == Int(FocalDecideSidesGuide) { return .integers }
      return index == Int(FocalDecideSidesModels) ? .models : .init()
    case .smoothDecision:
      if index == Int(FocalSmoothDecisionKind) { return .bytes }
      return index == Int(FocalSmoothDecisionGuide) ? .integers : .init()
    case .resolveDisparity:
      if index == Int(FocalResolveDisparityKind) { return .bytes }
      return index == Int(FocalResolveDisparityModels) ? .models : .init()
    case .matte: return index == Int(FocalMatteFlags) ? .bytes : .init()
    case .gatherLayers: return index == Int(FocalGatherLayersFlags) ? .bytes : .init()
    case .classifyBlocks, .classifyTiles:
      if index == Int(FocalClassifyTilesTiles) { return .integers }
      return index == Int(FocalClassifyTilesBlocks) ? .sets : .init()
    case .blurTiles:
      if index == Int(FocalViewsPool) { return .init(isWorkspace: true) }
      if index == Int(FocalViewsTiles) { return .integers }
      return index == Int(FocalViewsBlocks) ? .sets : .init()
    case .composite: return index == Int(FocalCompositeFlags) ? .bytes : .init()
    // Parts of fused kernels are compared where the next common kernel reads what they leave.
    case .assembleSlices, .prefilterSlices, .lensViews, .classifyFocus, .compose:
      return .init(isWorkspace: true)
    default: return .init()
    }
  }
}
