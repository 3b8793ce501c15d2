// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalRendering

/// Frames of other openings and lenses, of lifted light, of halves and pieces, and of views.
extension FrameCases {
  /// Thumbnails of pictures that are worked on at half their size: odd ones, turned, with chroma, with alpha.
  static var halved: [FrameCase] {
    let formats: [PixelFormat] = [.rgba8, .yuv420Video8, .rgbaHalf]
    return formats.enumerated().map { index, format in
      make("halved/\(format)") {
        $0.quality = .thumbnail
        $0.size = Dimensions(width: 1151, height: 701)
        $0.mapSize = Dimensions(width: 96, height: 54)
        $0.sourceFormat = format
        $0.sourceTags = tags(format)
        $0.target = .picture(format, tags(format))
        $0.turn = QuarterTurn.allCases[(2 * index) % 4]
        $0.sourceAlpha = index == 2 ? .straight : nil
        $0.destinationAlpha = index == 2 ? .straight : nil
        $0.setRadius(30)
      }
    }
  }

  /// Thumbnails that are worked on at half their size although they are small.
  static var drafts: [FrameCase] {
    let formats: [PixelFormat] = [.rgba8, .yuv420Video8, .rgbaHalf]
    return formats.enumerated().map { index, format in
      make("drafts/\(format)") {
        $0.quality = .thumbnail
        $0.halvesThumbnails = true
        $0.size = Dimensions(width: 251, height: 173)
        $0.mapSize = Dimensions(width: 48, height: 32)
        $0.sourceFormat = format
        $0.sourceTags = tags(format)
        $0.target = .picture(format, tags(format))
        $0.turn = QuarterTurn.allCases[(3 * index) % 4]
        $0.sourceAlpha = index == 2 ? .premultiplied : nil
        $0.destinationAlpha = index == 2 ? .straight : nil
        $0.setRadius(14)
      }
    }
  }

  /// Halves that are enlarged where they are packed: to every format, by turns, whole and in pieces.
  static var detail: [FrameCase] {
    let formats = RenderingSession.destinationPixelFormats
    return formats.enumerated().map { index, format in
      make("detail/\(format)") {
        $0.quality = .thumbnail
        $0.halvesThumbnails = true
        $0.size = Dimensions(width: 253 + index, height: 173 + index)
        $0.mapSize = Dimensions(width: 48, height: 32)
        $0.map = .sharp
        $0.sourceFormat =
          RenderingSession.sourcePixelFormats[
            index % RenderingSession.sourcePixelFormats.count]
        $0.sourceTags = tags($0.sourceFormat, index)
        $0.target = .picture(format, tags(format, index))
        $0.turn = QuarterTurn.allCases[index % 4]
        $0.workingMemoryLimit = index % 3 == 2 ? 1 : nil
        $0.setRadius(8)
      }
    }
  }

  /// Frames in as many pieces as they can be cut to, in chroma and with alpha.
  static var cut: [FrameCase] {
    RenderingQuality.allCases.enumerated().flatMap { index, quality in
      [PixelFormat.yuv420Video8, .rgbaHalf].map { format in
        make("cut/\(quality)/\(format)") {
          $0.workingMemoryLimit = 1
          $0.quality = quality
          $0.size = Dimensions(width: 48, height: 260)
          $0.mapSize = Dimensions(width: 12, height: 65)
          $0.map = index % 2 == 0 ? .blurred : .sharp
          $0.turn = QuarterTurn.allCases[index % 4]
          $0.sourceFormat = format
          $0.sourceTags = tags(format)
          $0.target = .picture(format, tags(format))
          $0.sourceAlpha = format.hasAlpha ? .straight : nil
          $0.destinationAlpha = format.hasAlpha ? .premultiplied : nil
        }
      }
    }
  }

  /// Planes that OpenCL and Vulkan copy in several pieces, of 8 MiB, with padded rows that lie across their borders:
  /// thumbnails of a small radius, which cost little.
  static var large: [FrameCase] {
    let kinds: [(PixelFormat, Int, Int)] = [(.rgbaFloat, 1920, 1081), (.yuv420Video10, 2731, 1601)]
    return kinds.map { format, width, height in
      make("large/\(format)") {
        $0.quality = .thumbnail
        $0.size = Dimensions(width: width, height: height)
        $0.mapSize = Dimensions(width: 96, height: 54)
        $0.sourceFormat = format
        $0.sourceTags = tags(format)
        $0.target = .picture(format, tags(format))
        $0.padding = 5
        $0.setRadius(4)
      }
    }
  }

  /// Light that was clipped, lifted from far below white on and from just below it on, in chroma and with alpha.
  static var lifted: [FrameCase] {
    let thresholds: [Float] = [0.1, 0.99]
    let modes: [AlphaMode] = [.straight, .premultiplied]
    return RenderingQuality.allCases.enumerated().flatMap { index, quality in
      [PixelFormat.rgba8, .yuv420Video8].enumerated().map { place, format in
        make("highlights/\(quality)/\(format)") {
          $0.highlights = 3
          $0.highlightThreshold = thresholds[(index / 2 + place) % 2]
          $0.content = .bright
          $0.quality = quality
          $0.sourceFormat = format
          // Of standard range.
          $0.sourceTags = tags(format, index % 3)
          $0.target = .picture(format, $0.sourceTags)
          $0.sourceAlpha = format.hasAlpha ? modes[index % 2] : nil
          $0.destinationAlpha = format.hasAlpha ? modes[(index + 1) % 2] : nil
        }
      }
    }
  }

  /// Edges of maps that are taken for what they do not look like.
  static var edges: [FrameCase] {
    let kinds: [(RenderingSession.Attributes.MapEdges, MapContent)] = [
      (.sharp, .blurred), (.soft, .sharp),
    ]
    return kinds.map { edges, content in
      make("edges/\(edges.rawValue)") {
        $0.mapEdges = edges
        $0.map = content
        $0.mapSize = $0.size
      }
    }
  }

  /// How the blur was decided, blurred and sharp.
  static var views: [FrameCase] {
    RenderingSession.DebugView.allCases.enumerated().map { index, view in
      make("views/\(view.rawValue)") {
        $0.view = view
        $0.quality = RenderingQuality.allCases[index % 4]
        $0.map = index % 3 == 0 ? .sharp : .blurred
        $0.turn = QuarterTurn.allCases[index % 4]
        $0.sourceFormat = index % 2 == 0 ? .yuv420Video8 : .rgbaHalf
        $0.sourceTags = tags($0.sourceFormat)
        $0.target = index % 2 == 0 ? .picture(.rgba8, .sRGB) : .picture(.yuv420Full10, .bt709)
      }
    }
      + [
        make("views/peaking/sharp") {
          $0.view = .peaking
          $0.fNumber = .infinity
        }
      ]
  }

  /// Openings of every shape and lenses of every character, at all qualities and so with layers of every size.
  static var shapes: [FrameCase] {
    let lenses: [(String, (inout FrameCase) -> Void)] = [
      ("rounded", { $0.aperture = ApertureShape(bladeCount: 7, rotation: 0.4, roundness: 0.5) }),
      ("squeezed", { $0.aperture = ApertureShape(bladeCount: 0, squeeze: 1.5) }),
      ("image", { $0.aperture = ApertureShape(image: .sample, rotation: 0.3, squeeze: 1.2) }),
      ("ring", { $0.character.profile = 0.8 }),
      ("soft", { ($0.character.profile, $0.character.fringes) = (-0.9, 0.4) }),
      (
        "barrel",
        {
          $0.aperture = ApertureShape(bladeCount: 5, rotation: 0.2)
          ($0.character.catEye, $0.character.barnDoors, $0.character.swirl) = (0.8, 0.5, 0.7)
        }
      ),
      ("strength", { ($0.nearStrength, $0.farStrength) = (0.4, 2) }),
    ]
    return lenses.enumerated().flatMap { index, lens in
      RenderingQuality.allCases.map { quality in
        make("shapes/\(lens.0)/\(quality)") {
          $0.quality = quality
          $0.content = index % 2 == 0 ? .bright : .shapes
          $0.map = index % 3 == 0 ? .sharp : .blurred
          $0.setRadius(14)
          lens.1(&$0)
        }
      }
    }
  }
}
