// SPDX-License-Identifier: Apache-2.0

import FocalCommands
import FocalCore
import FocalMedia

/// A picture, or numbered ones, as `focal info` describes them.
struct PictureDescription: Encodable {
  var kind: String
  var name: String
  /// As shown.
  var width: Int
  var height: Int
  /// Degrees clockwise from stored to shown.
  var rotation: Int
  var frames: Int
  var format: String
  /// Of a component in the file.
  var bitDepth: Int
  var isFloatingPoint: Bool
  /// Of the codes, unless an ICC profile says it.
  var primaries: String?
  var transfer: String?
  var hasProfile: Bool
  /// Further pictures in the file, such as a map of disparity.
  var companions: [String]
  /// Channels beside those of the picture.
  var channels: [String]
  /// The layers of which one has to be chosen.
  var layers: [String]
  /// Whether it is no picture in colours, but a map.
  var isMap: Bool

  /// - Parameters:
  ///   - layers: those of which one has to be chosen; the first one is described.
  ///   - isMap: whether it is read as a map of disparity.
  /// - Returns: `nil` for a movie, also for one that cannot be decoded.
  init?(_ asset: Asset, layers: [String] = [], isMap: Bool = false) async {
    var options = isMap ? ReadOptions(content: .disparity(.unit)) : ReadOptions()
    options.layer = layers.first
    guard let properties = (try? await FrameReader(asset, options: options))?.properties,
      properties.kind != .clip
    else { return nil }
    self.init(properties, name: asset.name, layers: layers, isMap: isMap)
  }

  /// - Parameter properties: of a picture, or of numbered ones.
  init(_ properties: SourceProperties, name: String, layers: [String] = [], isMap: Bool = false) {
    self.layers = layers
    self.isMap = isMap
    let metadata = properties.pictureMetadata
    let thing = isMap ? "map" : "picture"
    kind = properties.kind == .still ? thing : "numbered \(thing)s"
    self.name = name
    (width, height) = (properties.shownDimensions.width, properties.shownDimensions.height)
    rotation = properties.preferredTransform.rawValue
    frames = properties.frameCount
    format = properties.codecDescription
    bitDepth = properties.bitDepth
    isFloatingPoint = properties.holdsFloats
    hasProfile = metadata.profile != nil
    if !hasProfile, !isMap {
      primaries = "\(properties.tags.primaries)"
      transfer = "\(properties.tags.transfer)"
    }
    companions = PictureMetadata.Companion.allCases.filter(metadata.companions.contains)
      .map(\.name)
    channels = layers.isEmpty ? metadata.leftOutChannels : []
  }

  var lines: [String] {
    var size = "  \(width)x\(height)" + MovieDescription.turned(by: rotation)
    if frames > 1 { size += ", \(frames) of them" }
    let light = [primaries, transfer].compactMap { $0 }.joined(separator: " ")
    var lines = [
      "\(name): \(kind)", size,
      "  \(format), \(isFloatingPoint ? "floats" : "codes") of \(bitDepth) bits"
        + (isMap ? "" : hasProfile ? ", an ICC profile" : ", " + light),
    ]
    if !companions.isEmpty { lines.append("  with \(companions.joined(separator: ", "))") }
    if !channels.isEmpty { lines.append("  further channels: \(channels.joined(separator: ", "))") }
    if !layers.isEmpty {
      lines.append("  layers: \(layers.joined(separator: ", ")); --layer chooses one")
    }
    if isMap {
      lines.append("  no red, green and blue: focal render takes it with --disparity")
      return lines
    }
    let map = companions.contains(PictureMetadata.Companion.disparity.name)
    lines.append(
      map
        ? "  focal render takes its map of disparity"
        : "  focal render takes a map of disparity for it with --disparity")
    return lines
  }
}
