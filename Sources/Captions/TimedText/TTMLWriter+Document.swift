// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Regions and the file around the captions.
extension TTMLWriter {
  // MARK: Regions

  /// Where a caption stands. TTML has those of no region at the top, and regions that say no place are the whole
  /// screen; elsewhere both leave it to the screen, which is the bottom.
  static func region(of caption: Caption) -> CaptionRegion {
    guard var region = caption.region else { return .appleITTBottom }
    if !isWritable(region.origin) { region.origin = nil }
    if !isWritable(region.size) { region.size = nil }
    guard region.origin == nil else { return region }
    let isVertical = region.writingMode == .topToBottomAndRightToLeft
    let usual = isVertical ? CaptionRegion.appleITTRight : .appleITTBottom
    region.textAlignment = region.textAlignment ?? (region.size == nil ? .center : nil)
    (region.origin, region.size) = (usual.origin, usual.size)
    region.displayAlignment = usual.displayAlignment
    return region
  }

  /// Whether a place is one that TTML has words for: numbers, in hundredths of the screen.
  static func isWritable(_ origin: CaptionPoint?) -> Bool {
    origin.map { isWritable($0.x) && isWritable($0.y) } ?? true
  }

  /// Likewise a size, which is none below zero.
  static func isWritable(_ size: CaptionSize?) -> Bool {
    guard let size else { return true }
    return [size.width, size.height].allSatisfy { isWritable($0) && $0.value >= 0 }
  }

  private static func isWritable(_ dimension: CaptionDimension) -> Bool {
    dimension.units == .percent && dimension.value.isFinite && abs(dimension.value) < 1e6
  }

  /// A name as XML has them.
  static func identifier(_ name: String) -> String {
    var result = ""
    for scalar in name.unicodeScalars {
      let isLetter = scalar == "_" || scalar.properties.isAlphabetic
      let isInside = isLetter || ("0"..."9").contains(scalar) || scalar == "-" || scalar == "."
      if result.isEmpty, !isLetter { result = "r" }
      result.unicodeScalars.append(isInside ? scalar : "_")
    }
    return result.isEmpty ? "region" : result
  }

  private func element(_ name: String, _ region: CaptionRegion) -> String {
    var text = "\n      <region xml:id=\"\(name)\""
    func length(_ dimension: CaptionDimension) -> String {
      // Smaller ones would have an exponent, which TTML has not.
      let value = abs(dimension.value) < 1e-4 ? 0 : dimension.value
      return value == value.rounded() ? "\(Int(value))%" : "\(value)%"
    }
    if let origin = region.origin {
      text += " tts:origin=\"\(length(origin.x)) \(length(origin.y))\""
    }
    if let extent = region.size {
      text += " tts:extent=\"\(length(extent.width)) \(length(extent.height))\""
    }
    switch region.displayAlignment {
    case .before: text += " tts:displayAlign=\"before\""
    case .center: text += " tts:displayAlign=\"\(isITT ? "after" : "center")\""
    case .after: text += " tts:displayAlign=\"after\""
    }
    if let alignment = region.textAlignment {
      text += " tts:textAlign=\"\(Self.text(alignment))\""
    }
    if region.writingMode == .topToBottomAndRightToLeft { text += " tts:writingMode=\"tbrl\"" }
    return text + "/>"
  }

  static func text(_ alignment: Caption.TextAlignment) -> String {
    ["start", "end", "center", "left", "right"][alignment.rawValue]
  }

  // MARK: Document

  mutating func text(language: String?) -> String {
    // Frames a second over the whole number that labels count.
    let numerator = Int64(rate.frameDuration.timescale)
    let denominator = rate.frameDuration.value * Int64(rate.framesPerSecond)
    let divisor = Int64(
      Time.greatestCommonDivisor(numerator.magnitude, denominator.magnitude))
    let multiplier = "\(numerator / divisor) \(denominator / divisor)"
    var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<tt xmlns=\"\(TTMLNames.tt)\""
    text += " xmlns:ttp=\"\(TTMLNames.parameter)\" xmlns:tts=\"\(TTMLNames.styling)\""
    if isITT {
      text += " xmlns:ry=\"\(TTMLNames.ruby)\" xmlns:vt=\"\(TTMLNames.vertical)\""
    }
    let tag = language.map { escaped($0, of: "language") } ?? (isITT ? "und" : "")
    text += " xml:lang=\"\(tag)\""
    if isITT {
      text += " ttp:timeBase=\"smpte\""
    } else {
      // Ruby and characters side by side came with version 1.1.
      let profile = "http://www.w3.org/ns/ttml/profile/imsc1"
      text +=
        needsIMSC11
        ? " ttp:contentProfiles=\"\(profile).1/text\"" : " ttp:profile=\"\(profile)/text\""
      text += " ttp:timeBase=\"media\""
    }
    if countsFrames {
      text += " ttp:frameRate=\"\(rate.framesPerSecond)\" ttp:frameRateMultiplier=\"\(multiplier)\""
      if isITT { text += " ttp:dropMode=\"\(rate.dropMode.rawValue)\"" }
    }
    text += ">\n  <head>"
    if let title {
      text += "\n    <metadata><ttm:title xmlns:ttm=\"\(TTMLNames.metadata)\">"
      text += "\(escaped(title, of: "title"))</ttm:title></metadata>"
    }
    text += "\n    <styling>\n      <style xml:id=\"normal\""
    text += " tts:fontFamily=\"\(isITT ? "sansSerif" : "proportionalSansSerif")\""
    text += " tts:fontSize=\"100%\"/>\n    </styling>\n    <layout>"
    for (name, region) in regions { text += element(name, region) }
    text += "\n    </layout>\n  </head>\n  <body style=\"normal\">\n    <div>"
    return text + body + "\n    </div>\n  </body>\n</tt>\n"
  }
}
