// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore

/// The requested form of a picture file.
struct StillRequest: Sendable {
  /// The picture that is shown, or the map of it that lies beside it; a file without one is a map as a
  /// whole.
  enum Content: Hashable, Sendable {
    case picture
    case map
    /// The picture with its alpha; one without is a map as a whole.
    case mask

    init(_ content: ReadOptions.Content) {
      switch content {
      case .picture: self = .picture
      case .disparity: self = .map
      case .mask: self = .mask
      }
    }
  }

  var content = Content.picture
  /// The layer of an OpenEXR file that the picture is in.
  var layer: String?
  /// The channel of an OpenEXR file that the map is.
  var channel: String?
  /// Whether light of an OpenEXR file stays light of the file's own primaries, whichever they are.
  var keepsChromaticities = false
  /// Whether the caller says which transfer the codes have, whatever the file says.
  var statesTransfer = false
  /// Whether all pixels are converted beside the decoded ones; strips are converted one by one.
  var isConvertedWhole = true
  /// The response to damage.
  var damage = DamageResponse.standard
  /// The file's name, for messages.
  var path: String

  init(_ path: String, _ content: Content = .picture) {
    self.path = path
    self.content = content
  }
}

/// A picture to be written, and what its file is to say.
struct StillPicture {
  var buffer: PixelBuffer
  var metadata = PictureMetadata()
  /// 1 to 100, for kinds that lose something.
  var quality: Int?
  /// The file's name, for messages.
  var path: String
  /// The segments of a JPEG beside ``metadata``: markers and contents.
  var segments: [(marker: Int32, content: [UInt8])] = []

  /// The profile to store: that of the source while codes are by it, else one of the colours that
  /// viewers do not assume.
  var storedProfile: ColorProfile? {
    let isGray = metadata.isGray || PixelRows.channels(of: buffer.format) == 1
    if let profile = metadata.profile, profile.isGray == isGray {
      switch profile.meaning {
      case .tags(let tags):
        if tags.primaries == buffer.tags.primaries, tags.transfer == buffer.tags.transfer {
          return profile
        }
      case .converted: return profile
      case .other: break
      }
    }
    return isGray ? nil : ColorProfile(buffer.tags)
  }
}

/// How one kind of picture file is read and written: ``StillKind/format`` lists them all.
protocol StillFormat {
  /// The picture that a file shows, with what the file says about it.
  ///
  /// - Throws: `malformed` for a damaged or truncated file.
  static func picture(
    in bytes: [UInt8], _ request: StillRequest
  ) throws(CinematicError) -> PictureFrame

  /// The disparity map that lies beside the picture, as it is stored; `nil` if there is none.
  ///
  /// - Throws: `malformed` for a damaged one.
  static func embeddedMap(
    in bytes: [UInt8], _ request: StillRequest
  ) throws(CinematicError) -> PictureFrame?

  /// The gain map that lies beside the picture; `nil` if there is none whose codes are explained.
  ///
  /// - Throws: `malformed` for a damaged one.
  static func gainMap(
    in bytes: [UInt8], _ request: StillRequest
  ) throws(CinematicError) -> GainMap?

  /// A whole file.
  ///
  /// - Throws: `invalidParameter` for what the kind cannot hold, `unwritable`.
  static func file(_ picture: StillPicture) throws(CinematicError) -> [UInt8]
}

extension StillFormat {
  static func embeddedMap(
    in bytes: [UInt8], _ request: StillRequest
  ) throws(CinematicError) -> PictureFrame? {
    nil
  }

  static func gainMap(
    in bytes: [UInt8], _ request: StillRequest
  ) throws(CinematicError) -> GainMap? {
    nil
  }
}
