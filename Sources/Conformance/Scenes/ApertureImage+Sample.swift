// SPDX-License-Identifier: Apache-2.0

import FocalRendering

extension ApertureImage {
  /// An opening without any symmetry: a comma with a half transparent tail.
  package static let sample: ApertureImage = {
    let side = ApertureImage.side
    let codes = (0..<side * side).map { index -> UInt8 in
      let x = Float(index % side) / Float(side) * 2 - 1
      let y = Float(index / side) / Float(side) * 2 - 1
      let isHead = (x - 0.2) * (x - 0.2) + (y + 0.3) * (y + 0.3) < 0.3
      let isTail = x > -0.6 && x < 0.1 && y > 0 && y < 0.7
      return isHead ? 255 : isTail ? 120 : 0
    }
    do {
      return try ApertureImage(codes: codes)
    } catch {
      preconditionFailure("the sample aperture is a table: \(error)")
    }
  }()
}
