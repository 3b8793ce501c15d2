// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Where the disparity of ordinary footage comes from: a second eye, a model, a program of the caller's.
///
/// ```swift
/// let provider: any DisparityProvider = StereoProvider()
/// let pair = EstimationInput(picture: left, otherEye: right)
/// let estimate = try await provider.estimate(pair)
/// ```
///
/// A type of the caller's own conforms to this protocol and is taken wherever one of these is.
public protocol DisparityProvider: Sendable {
  /// The name of the way in messages: `stereo`, `model`, ….
  var name: String { get }

  /// Gets ready for a clip. Called once, before ``estimate(_:)``, with pictures from all over the clip, in order;
  /// of a photograph with that alone.
  ///
  /// - Returns: what the caller should know, a clause each.
  /// - Throws: as ``estimate(_:)``.
  func prepare(for samples: [EstimationInput]) async throws(CinematicError) -> [String]

  /// The disparity of a picture. A map that is neither `disparityFloat` nor `disparityHalf` is refused as `unsupported`
  /// where it is used.
  ///
  /// - Throws: `incomplete` for an input without a second eye where one is needed, `incompatible` for
  ///   pictures that do not fit each other, and what the provider's own work throws.
  func estimate(_ input: EstimationInput) async throws(CinematicError) -> DisparityEstimate
}

extension DisparityProvider {
  public func prepare(for samples: [EstimationInput]) async throws(CinematicError) -> [String] {
    []
  }
}

/// A picture, or a pair, whose disparity is wanted.
public struct EstimationInput: Sendable {
  /// In any format but those of disparity. The map is this picture's.
  public var picture: PixelBuffer
  /// The other eye's picture at the same moment, of the same shape.
  public var otherEye: PixelBuffer?
  /// Whether ``picture`` is what the right eye sees, and not the left one.
  public var isRightEye = false
  /// From the pictures as stored to the pictures as shown: providers see them upright.
  public var turn: QuarterTurn

  public init(picture: PixelBuffer, otherEye: PixelBuffer? = nil, turn: QuarterTurn = .identity) {
    self.picture = picture
    self.otherEye = otherEye
    self.turn = turn
  }
}

/// A map that a provider made.
public struct DisparityEstimate: Sendable {
  /// The meaning of a map's numbers. Larger is nearer in all of them.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Scale and offset are unknown and may change from picture to picture.
    case relative
    /// How far a point moves between both eyes, as a share of the picture's width: the same measure in every
    /// picture of a clip.
    case shift
    /// 1/m.
    case metric
  }

  /// `disparityFloat` or `disparityHalf`, as the picture is shown, of its shape and of any size; not a number where nothing
  /// is known.
  public var map: PixelBuffer
  /// How certain each disparity is, 0 to 1, as `disparityFloat` of the map's size; `nil` where the provider
  /// cannot tell.
  public var confidence: PixelBuffer?
  public var kind: Kind

  public init(map: PixelBuffer, confidence: PixelBuffer? = nil, kind: Kind) {
    self.map = map
    self.confidence = confidence
    self.kind = kind
  }

  /// - Parameters:
  ///   - kind: of the clip's other maps.
  ///   - name: the provider's.
  /// - Throws: `incompatible` for an estimate of another kind: its numbers mean something else.
  package func check(_ kind: Kind, by name: String) throws(CinematicError) {
    guard self.kind != kind else { return }
    throw CinematicError(
      .incompatible,
      "\(name) made a map of \(self.kind.rawValue) disparity after one of \(kind.rawValue) disparity",
      remedy: "make every map of a clip of one kind")
  }
}
