// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// How the codes of a disparity file become disparities.
public struct DisparityScale: Hashable, Sendable {
  /// The meaning of the file's values.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Larger is nearer.
    case disparity
    /// Larger is farther; the disparity is the reciprocal, 0 of an infinite depth; depths that are not
    /// positive are invalid (not a number).
    case depth
  }

  /// The value of code 0 (black), unit of the file's choice; finite.
  public var low: Float
  /// The value of the largest code (white): finite, and not that of code 0. It may be the smaller one.
  public var high: Float
  public var kind: Kind

  /// Code 0 is disparity 0, the largest code disparity 1.
  public static let unit = DisparityScale(low: 0, high: 1, kind: .disparity)

  /// A scale; whatever reads by it checks it (``validate()``).
  public init(low: Float, high: Float, kind: Kind = .disparity) {
    self.low = low
    self.high = high
    self.kind = kind
  }

  /// Whether codes become values by it.
  ///
  /// - Throws: `invalidParameter` for values that are not finite, are the same, or lie farther apart than a number holds.
  public func validate() throws(CinematicError) {
    guard (high - low).isFinite, low != high else {
      throw CinematicError(
        .invalidParameter, "a disparity range from \(low) to \(high) has no extent",
        remedy: "give two different finite numbers")
    }
  }
}

/// The treatment of interlaced pictures, whose even and odd rows are of two moments.
public enum Interlacing: Hashable, Sendable {
  /// They are delivered as they are: right where both moments are the same one.
  case keep
  /// They are an error.
  case refuse
  /// They become pictures of the first of the two moments.
  case deinterlace
}

/// How a source is read.
public struct ReadOptions: Sendable {
  /// Pictures, maps or masks.
  public enum Content: Hashable, Sendable {
    case picture
    /// Delivered as ``FocalCore/PixelFormat/disparityFloat``.
    case disparity(DisparityScale)
    /// How much of each pixel is a subject's, delivered as ``FocalCore/PixelFormat/disparityFloat``: the alpha of pictures of
    /// which the first is not opaque throughout, else their gray, 0 for black and 1 for white.
    case mask

    /// What is beside pictures, in words.
    var noun: String { self == .mask ? "mask" : "map" }

    /// - Throws: `invalidParameter` for a scale of maps that is none (``DisparityScale/validate()``).
    func validate() throws(CinematicError) {
      if case .disparity(let scale) = self { try scale.validate() }
    }
  }

  public var content: Content
  /// The frames to deliver; all by default. Of numbered pictures by the numbers of their files, of others
  /// by number from 0. A range that reaches beyond the last frame ends there, one that holds none is an
  /// error.
  public var frames: ClosedRange<Int>?
  /// The treatment of gaps between numbered files. Gaps between maps are found when a frame needs one.
  public var missing = MissingFiles.fail
  /// The treatment of a movie's interlaced pictures.
  public var interlacing = Interlacing.keep
  /// How long a still or a frame of a numbered pattern is shown.
  public var stillDuration: Time
  /// The response to damaged pictures.
  public var damage = DamageResponse.standard
  /// A transfer function instead of the file's.
  public var transfer: ColorTags.Transfer?
  /// The meaning of the pictures' codes, if no tag tells.
  public var workingSpace: WorkingSpace?
  /// The layer of an OpenEXR file to read the picture from; by default the one without a name.
  public var layer: String?
  /// Whether light of OpenEXR files whose primaries have no name here stays as it is, for a file that says them
  /// again; it becomes light of BT.709 otherwise.
  public var keepsChromaticities = false
  /// Whether the transfer is given, by name or with a camera's curve or a table.
  var statesTransfer: Bool { transfer != nil || workingSpace != nil }
  /// The half of each picture that is delivered, where both eyes lie in one; the whole by default.
  public var half: PictureHalf?
  /// The change made to the edges of maps.
  public var shaping = MapShaping()
  /// The channel of an OpenEXR file to read the map from, such as `depth.Z`; by default the one whose
  /// name says depth or disparity.
  public var channel: String?

  public init(
    content: Content = .picture, frames: ClosedRange<Int>? = nil,
    stillDuration: Time = Time(value: 1, timescale: 30), transfer: ColorTags.Transfer? = nil
  ) {
    self.content = content
    self.frames = frames
    self.stillDuration = stillDuration
    self.transfer = transfer
  }
}
