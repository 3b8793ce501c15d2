// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalEyes
import FocalMedia

/// A camera, or a file, both of whose eyes lie in one picture: the left eye's half is the picture, the other one is what a
/// provider of disparity by stereo compares it with.
public struct StereoSource: CaptureSource {
  public var name: String { source.name }
  public let properties: SourceProperties
  public var soundFormat: SoundFormat? { source.soundFormat }

  private let source: any CaptureSource
  private let layout: StereoLayout
  private let exchanged: Bool

  /// - Parameters:
  ///   - layout: as the picture is shown.
  ///   - exchanged: whether the right eye comes first.
  /// - Throws: `incompatible` for pictures that have no two halves.
  public init(
    _ source: any CaptureSource, layout: StereoLayout, exchanged: Bool = false
  ) throws(CinematicError) {
    (self.source, self.layout, self.exchanged) = (source, layout, exchanged)
    var properties = source.properties
    // A picture of the kind tells whether it can be halved.
    let whole = try PixelBuffer(
      dimensions: properties.dimensions, format: properties.pixelFormat, tags: properties.tags)
    properties.dimensions = try layout.eyes(
      of: whole, turn: properties.preferredTransform, exchanged: exchanged
    ).picture.dimensions
    self.properties = properties
  }

  public func next() async throws(CinematicError) -> CaptureSample? {
    guard let sample = try await source.next() else { return nil }
    guard case .picture(var picture) = sample else { return sample }
    let eyes = try layout.eyes(
      of: picture.pixelBuffer, turn: properties.preferredTransform, exchanged: exchanged)
    (picture.pixelBuffer, picture.otherEye) = (eyes.picture, eyes.otherEye)
    return .picture(picture)
  }
}
