// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// The formats of pipes: pictures one after another, without a way back.
public enum StreamFormat: Hashable, Sendable {
  /// YUV4MPEG2: plain luma and chroma at one frame rate. It says neither colours nor sound.
  case y4m
  /// NUT with plain luma and chroma, and a time for every frame. It says neither colours nor sound here.
  case nut
  /// Picture files one behind the other; other kinds than PNG and JPEG one alone.
  case pictures(StillKind)

  /// Every format, in the order of help.
  public static let all: [StreamFormat] = [.y4m, .nut] + StillKind.allCases.map { .pictures($0) }

  /// A format by its name: `y4m`, `nut`, or a picture's ending.
  public init?(named name: String) {
    switch name.lowercased() {
    case "y4m": self = .y4m
    case "nut": self = .nut
    default:
      guard let kind = StillKind(ending: name) else { return nil }
      self = .pictures(kind)
    }
  }

  public var name: String {
    switch self {
    case .y4m: "y4m"
    case .nut: "nut"
    case .pictures(let kind): kind.rawValue
    }
  }

  /// The kind of the pictures; `nil` of films.
  public var stillKind: StillKind? {
    if case .pictures(let kind) = self { kind } else { nil }
  }

  /// Whether one picture can follow another so that readers tell them apart.
  package var holdsSeveral: Bool {
    switch self {
    case .y4m, .nut, .pictures(.png), .pictures(.jpeg): true
    case .pictures: false
    }
  }

  /// The part of a film's colours that the stream does not state, in words; `nil` where readers assume them
  /// anyway.
  ///
  /// - Parameter dimensions: of the film, by which readers of films without tags tell BT.709 from BT.601.
  public func unsaid(of tags: ColorTags, _ dimensions: Dimensions) -> String? {
    guard stillKind == nil else { return nil }
    let assumed = FrameColor.untagged(width: dimensions.width, height: dimensions.height)
    let hasOther = tags.primaries != assumed.primaries || tags.matrix != assumed.matrix
    guard hasOther || !tags.transfer.isStandardRange else { return nil }
    let matrix = tags.matrix == assumed.matrix ? "" : " and the matrix of \(tags.matrix)"
    return
      "\(name) does not say that the colours are \(tags.primaries) with \(tags.transfer)\(matrix)"
  }
}
