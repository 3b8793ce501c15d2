// SPDX-License-Identifier: Apache-2.0

import FocalCore

extension PictureFrame {
  /// Leaves out a profile that is not for the picture's pixels, and says so among the assumptions: codes are taken for
  /// what the file says otherwise, or sRGB's.
  func leaveOutUnusedProfile(_ request: StillRequest) {
    // The caller knows better than the file.
    guard !request.statesTransfer, let profile = metadata.profile,
      let layout = PixelLayout(pixelFormat)
    else { return }
    let tags = FrameColor(
      self, isStill: true, isFloatingPoint: layout.isFloatingPoint,
      isRGB: layout.isRGB || !layout.isFloatingPoint
    ).tags
    guard let reason = profile.reasonAgainst(layout, tags) else { return }
    metadata.profile = nil
    metadata.assumption =
      "has \(reason): the profile is not used or kept, and the"
      + " \(layout.isFloatingPoint ? "light is" : "codes are") taken for \(tags.primaries) with \(tags.transfer)"
  }
}

extension ColorProfile {
  /// What keeps pixels from being read by the profile, in words; `nil` for those that it is for.
  ///
  /// - Parameter assumed: the meaning of the pixels without it.
  fileprivate func reasonAgainst(_ layout: PixelLayout, _ assumed: ColorTags) -> String? {
    if case .other(let space) = meaning {
      return space.map { "an ICC profile of \($0)" } ?? "a damaged ICC profile"
    }
    if isGray, !layout.isGray { return "an ICC profile of gray, and pixels of colours" }
    if let tags, tags.primaries == assumed.primaries, tags.transfer == assumed.transfer {
      return nil
    }
    if layout.isFloatingPoint { return "an ICC profile of codes, and floats" }
    return isGray == layout.isGray ? nil : "an ICC profile of colours, and gray pixels"
  }
}
