// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Which channels of an OpenEXR file are meant.
///
/// A channel's layer is what stands before the last dot of its name, after the name of its part in files
/// of several: `Z` of the part `depth` is `depth.Z`, as compositors call it.
struct OpenEXRSelection {
  let part: OpenEXRFile.Part
  /// Red, green, blue and perhaps alpha, or one channel.
  let channels: [OpenEXRFile.Channel]
  var hasAlpha: Bool { channels.count > 3 }

  /// A channel and what it is called.
  private struct Candidate {
    var part: OpenEXRFile.Part
    var channel: OpenEXRFile.Channel
    /// Without the part's name; empty for none.
    var layer: String
    /// The last part of the name.
    var component: String

    var name: String { [part.name, channel.name].compactMap { $0 }.joined(separator: ".") }

    /// Whether the layer is called so, with or without the name of the part.
    func isIn(_ wanted: String) -> Bool {
      layer == wanted || part.name == wanted
        || [part.name ?? "", layer].filter { !$0.isEmpty }.joined(separator: ".") == wanted
    }
  }

  private static func candidates(_ file: OpenEXRFile) -> [Candidate] {
    file.parts.filter { !$0.isDeep }.flatMap { part in
      part.channels.map { channel in
        let cut = channel.name.lastIndex(of: ".")
        return Candidate(
          part: part, channel: channel, layer: cut.map { String(channel.name[..<$0]) } ?? "",
          component: cut.map { String(channel.name[channel.name.index(after: $0)...]) }
            ?? channel.name)
      }
    }
  }

  /// The picture: that of the layer that is named, else the one without a layer's name, else that of the
  /// only layer with colours.
  ///
  /// - Throws: `invalidParameter` for a layer that is not in the file, `incomplete` for a file of which
  ///   it is not clear what is meant, `unsupported` for deep pixels or chroma of a lower resolution.
  init(picture layer: String?, of file: OpenEXRFile) throws(CinematicError) {
    let all = Self.candidates(file)
    try Self.check(all, file)
    var pictures = Self.pictures(all)
    if let layer {
      pictures = pictures.filter { $0.0.isIn(layer) }
      // The layer itself goes before those below it.
      if let whole = pictures.first(where: { $0.0.layer.isEmpty || $0.0.layer == layer }) {
        pictures = [whole]
      }
    } else if let main = pictures.first(where: { $0.0.layer.isEmpty && $0.1.count >= 3 })
      ?? pictures.first(where: { $0.0.layer.isEmpty })
    {
      pictures = [main]
    }
    guard pictures.count == 1, let (first, channels) = pictures.first else {
      throw Self.unclear(
        layer, pictures.isEmpty ? all.map(\.name) : pictures.map { Self.layerName($0.0) },
        isEmpty: pictures.isEmpty, file)
    }
    try Self.checkSampling(channels, file)
    part = first.part
    self.channels = channels.map(\.channel)
  }

  /// The map: the channel that is named, else the one whose name says depth or disparity, else the only
  /// one there is.
  ///
  /// - Throws: as ``init(picture:of:)``.
  init(map channel: String?, layer: String?, of file: OpenEXRFile) throws(CinematicError) {
    var all = Self.candidates(file)
    try Self.check(all, file)
    if let layer { all = all.filter { $0.isIn(layer) } }
    var found: [Candidate]
    if let channel {
      found = all.filter { $0.name == channel }
      if found.isEmpty { found = all.filter { $0.channel.name == channel } }
      if found.isEmpty { found = all.filter { $0.component == channel } }
    } else {
      found = Self.maps(all)
    }
    guard found.count == 1, let map = found.first else {
      guard channel == nil, found.isEmpty, let gray = Self.grayMap(all) else {
        throw Self.unclearMap(channel ?? layer, found.isEmpty ? all : found, found.isEmpty, file)
      }
      part = gray[0].part
      channels = gray.map(\.channel)
      try Self.checkSampling(gray, file)
      return
    }
    try Self.checkSampling([map], file)
    part = map.part
    channels = [map.channel]
  }

  /// The layers that hold pictures, in the order of the file; an empty name is that of channels without one.
  static func layers(of file: OpenEXRFile) -> [String] {
    pictures(candidates(file)).map { layerName($0.0) }
  }

  /// The first channel of each layer with colours, and the colours, in the order of the file.
  private static func pictures(_ all: [Candidate]) -> [(Candidate, [Candidate])] {
    var groups: [(key: String, members: [Candidate])] = []
    for candidate in all {
      let key = "\(candidate.part.number)/\(candidate.layer)"
      if let index = groups.firstIndex(where: { $0.key == key }) {
        groups[index].members.append(candidate)
      } else {
        groups.append((key, [candidate]))
      }
    }
    return groups.compactMap { group in
      colors(group.members).map { (group.members[0], $0) }
    }
  }

  /// The names of the channels that a picture does not have.
  func others(in file: OpenEXRFile) -> [String] {
    Self.candidates(file).filter { candidate in
      candidate.part.number != part.number || !channels.contains(candidate.channel)
    }.map(\.name)
  }

  /// Whether a file has a channel that is called as maps are.
  static func hasMap(_ file: OpenEXRFile) -> Bool { !maps(candidates(file)).isEmpty }

  /// Whether a channel is called depth, which grows with the distance.
  static func isDepth(_ name: String) -> Bool {
    let parts = name.lowercased().split(separator: ".").suffix(2).map(String.init)
    return parts.contains { depthNames.contains($0) }
  }

  // MARK: - By name

  private static func colors(_ members: [Candidate]) -> [Candidate]? {
    func member(_ names: [String]) -> Candidate? {
      members.first { names.contains($0.component.lowercased()) }
    }
    if let red = member(["r", "red"]), let green = member(["g", "green"]),
      let blue = member(["b", "blue"])
    {
      return [red, green, blue] + [member(["a", "alpha"])].compactMap { $0 }
    }
    return member(["y"]).map { [$0] }
  }

  private static let disparityNames: Set<String> = ["disparity", "disp"]
  private static let depthNames: Set<String> = ["z", "depth", "zdepth", "depthz"]

  /// Whether a channel is the third of a vector, such as of normals, and not depth.
  private static func isOfVector(_ candidate: Candidate, _ all: [Candidate]) -> Bool {
    guard candidate.component.lowercased() == "z" else { return false }
    let others = all.filter {
      $0.part.number == candidate.part.number && $0.layer == candidate.layer
    }.map { $0.component.lowercased() }
    return others.contains("x") && others.contains("y")
  }

  /// Channels that are called as maps are, best first by rank: those without a layer before the others.
  private static func maps(_ all: [Candidate]) -> [Candidate] {
    func last(_ layer: String) -> String {
      (layer.split(separator: ".").last.map(String.init) ?? "").lowercased()
    }
    let ranks: [(Candidate) -> Bool] = [
      { disparityNames.contains($0.component.lowercased()) && $0.layer.isEmpty },
      { depthNames.contains($0.component.lowercased()) && $0.layer.isEmpty },
      { disparityNames.contains($0.component.lowercased()) },
      { depthNames.contains($0.component.lowercased()) },
      // One value in a layer of that name: depth.V, ZDepth.R.
      { candidate in
        let layer = candidate.layer.isEmpty ? candidate.part.name ?? "" : candidate.layer
        return disparityNames.union(depthNames).contains(last(layer))
          && ["v", "y", "r", "x"].contains(candidate.component.lowercased())
      },
    ]
    for rank in ranks {
      let found = all.filter { rank($0) && !isOfVector($0, all) }
      if !found.isEmpty { return found }
    }
    return []
  }

  /// The only channel there is, or red, green and blue alone, which are a gray map if they are equal.
  private static func grayMap(_ all: [Candidate]) -> [Candidate]? {
    if all.count == 1 { return all }
    guard Set(all.map(\.part.number)).count == 1, Set(all.map(\.layer)).count == 1,
      let colors = colors(all),
      all.count == colors.count
        || all.count == 2 && all.contains(where: { $0.component.lowercased() == "a" })
    else { return nil }
    return Array(colors.prefix(3))
  }

  // MARK: - Errors

  private static func check(
    _ all: [Candidate], _ file: OpenEXRFile
  ) throws(CinematicError) {
    guard all.isEmpty else { return }
    throw CinematicError(
      .unsupported,
      file.parts.contains(where: \.isDeep)
        ? "\(file.path) holds deep pixels, many values each" : "\(file.path) holds no channels",
      remedy: "flatten it to one value a pixel")
  }

  private static func checkSampling(
    _ channels: [Candidate], _ file: OpenEXRFile
  ) throws(CinematicError) {
    let isChroma =
      channels.count == 1 && channels[0].component == "Y"
      && channels[0].part.channels.contains { ["RY", "BY"].contains($0.name) }
    guard isChroma || channels.contains(where: { !$0.channel.isWhole }) else { return }
    throw CinematicError(
      .unsupported, "\(file.path) holds luminance and chroma of a lower resolution",
      remedy: "save it as red, green and blue")
  }

  private static func layerName(_ candidate: Candidate) -> String {
    [candidate.part.name ?? "", candidate.layer].filter { !$0.isEmpty }.joined(separator: ".")
  }

  private static func unclear(
    _ layer: String?, _ names: [String], isEmpty: Bool, _ file: OpenEXRFile
  ) -> CinematicError {
    let list = listed(names)
    if let layer {
      return CinematicError(
        .invalidParameter, "\(file.path) has no picture in a layer “\(layer)”: it has \(list)",
        remedy: "name another with \(parameter: .layer)")
    }
    return isEmpty
      ? CinematicError(
        .incomplete, "\(file.path) has no red, green and blue: it has \(list)",
        remedy: "give a picture with colours")
      : CinematicError(
        .incomplete, "\(file.path) holds several pictures: \(list)",
        remedy: "choose one with \(parameter: .layer)")
  }

  private static func unclearMap(
    _ name: String?, _ candidates: [Candidate], _ isEmpty: Bool, _ file: OpenEXRFile
  ) -> CinematicError {
    let list = listed(candidates.map(\.name))
    if let name, isEmpty {
      return CinematicError(
        .invalidParameter, "\(file.path) has no channel “\(name)”: it has \(list)",
        remedy: "name another with \(parameter: .channel)")
    }
    return CinematicError(
      .incomplete,
      isEmpty
        ? "no channel of \(file.path) is called depth or disparity: it has \(list)"
        : "several channels of \(file.path) may be the map: \(list)",
      remedy: "name one with \(parameter: .channel)")
  }

  /// A few names; how many more there are.
  private static func listed(_ names: [String]) -> String {
    let most = 12
    let shown = names.prefix(most).joined(separator: ", ")
    if names.isEmpty { return "none" }
    return names.count > most ? "\(shown) and \(names.count - most) more" : shown
  }
}
