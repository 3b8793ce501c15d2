// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCore
import FocalRendering

/// `--quality`.
package enum QualityArgument: String, ExpressibleByArgument, CaseIterable {
  case thumbnail, preview, export
  case exportHigh = "export-high"

  package var quality: RenderingQuality {
    switch self {
    case .thumbnail: .thumbnail
    case .preview: .preview
    case .export: .export
    case .exportHigh: .exportHigh
    }
  }
}

/// `WxH`.
package struct SizeArgument: CustomStringConvertible, Sendable {
  package var dimensions: Dimensions

  package init(dimensions: Dimensions) { self.dimensions = dimensions }

  /// - Throws: what is wrong with the text, for the person who wrote it.
  package init(parsing text: String) throws {
    let parts = text.split(separator: "x", omittingEmptySubsequences: false)
    let valid = 1...PixelBuffer.maximumDimension
    guard parts.count == 2, let width = Int(parts[0]), let height = Int(parts[1]) else {
      throw ValidationError("write a width and a height, such as 1280x720")
    }
    guard valid.contains(width), valid.contains(height) else {
      throw ValidationError("width and height must be 1 to \(PixelBuffer.maximumDimension)")
    }
    dimensions = Dimensions(width: width, height: height)
  }

  package var description: String { dimensions.description }
}
