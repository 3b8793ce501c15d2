// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalRendering
import FocalSample

/// How near a rendering of a traced scene comes to the picture of its lens.
struct SceneResult: Encodable {
  var device: String
  var scene: String
  var quality: String
  var psnr: Double
  var ssim: Double

  static let header = "device        scene      quality        PSNR    SSIM"

  var row: String {
    [padded(device, 13), padded(scene, 10), padded(quality, 12)].joined(separator: " ")
      + formatted(" %6.2f  %.4f", psnr, ssim)
  }
}

/// A traced scene: its pinhole picture and exact map, and what a lens makes of it.
struct SceneTest {
  static let dimensions = Dimensions(width: 1280, height: 720)
  /// Focus on the lead, who stands in the middle of the depths.
  private static let time = Time.zero

  private let kind: SampleScene.Kind
  private let attributes: RenderingSession.FrameAttributes
  private let source: PixelBuffer
  private let disparity: PixelBuffer
  private let truth: PixelBuffer

  /// - Parameters:
  ///   - fNumber: the smaller, the larger the discs.
  ///   - lensPoints: rays a pixel of the truth.
  init(
    _ kind: SampleScene.Kind, seed: UInt64, dimensions: Dimensions = Self.dimensions,
    fNumber: Double = 1.4, lensPoints: Int
  ) throws(CinematicError) {
    let scene = SampleScene(kind, seed: seed)
    let frame = try scene.frame(at: Self.time, dimensions: dimensions, samplesPerPixel: 16)
    let lead = scene.subjects(at: Self.time).first {
      $0.groupID == SampleScene.Group.lead.rawValue
    }
    let focus = lead?.focusDisparity ?? 0.5
    self.kind = kind
    source = frame.image
    disparity = frame.disparity
    attributes = RenderingSession.FrameAttributes(
      focusDisparity: Float(focus), fNumber: Float(fNumber))
    truth = try PictureComparison.displayPicture(
      ofLinear: scene.groundTruth(
        at: Self.time, dimensions: dimensions, focusDisparity: focus, fNumber: fNumber,
        lensSamples: lensPoints))
  }

  func measure(_ quality: RenderingQuality, on device: Device) throws -> SceneResult {
    let session = try RenderingSession(
      commandQueue: CommandQueue(device: device),
      sessionAttributes: .init(blurScale: Float(SampleScene.suggestedBlurScale)),
      quality: quality)
    let destination = try PixelBuffer(
      dimensions: source.dimensions, format: .rgbaFloat, tags: .linearBT709)
    let buffer = session.commandQueue.makeCommandBuffer()
    try session.encodeRender(
      to: buffer, frameAttributes: attributes, sourceImage: source, sourceDisparity: disparity,
      destinationImage: destination)
    buffer.commit()
    buffer.waitUntilCompleted()
    if let error = buffer.error { throw error }
    let comparison = try PictureComparison(
      PictureComparison.displayPicture(ofLinear: destination), reference: truth)
    return SceneResult(
      device: device.identifier, scene: kind.rawValue, quality: quality.description,
      psnr: comparison.psnr, ssim: comparison.ssim)
  }
}
