// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FocalCore
import FocalRendering
import FocalSample
import FocalSubjects
import Synchronization

/// How near one rendering comes to the true lens picture.
struct QualityResult: Encodable {
  var device: String
  var test: String
  var quality: String
  var psnr: Double
  var ssim: Double
  /// PSNR inside the sharp subject, in the band around its outline, around near things, and in the
  /// plain far background.
  var focus: Double
  var outline: Double
  var near: Double
  var far: Double

  static let header =
    "device        test             quality        PSNR    SSIM   focus  outline  near    far"

  var row: String {
    [padded(device, 13), padded(test, 16), padded(quality, 12)].joined(separator: " ")
      + formatted(
        " %6.2f  %.4f  %6.1f  %6.1f  %6.1f  %6.1f", psnr, ssim, focus, outline, near, far)
  }
}

/// The layered scene with one kind of lights and map.
struct QualityTest {
  static let exactMap = "exact map"
  static let blurredMap = "blurred 320x180"
  /// The size of the scene's pictures, and its largest radius there.
  static let dimensions = Dimensions(width: 1920, height: 1080)
  static let radius: Float = 32

  private let name: String
  private let scene: LayeredScene
  let source: PixelBuffer
  let disparity: PixelBuffer
  private let truth: PixelBuffer
  /// Of the head, whose outline the map gets; `nil` for a map that stays as it is.
  var mask: PixelBuffer?

  /// Exact and blurred map, that with the head's own mask and with the one that is found of it, and exact map with lights above display white: against all of them, and against those that
  /// the sharp picture shows.
  static func all(seed: UInt64, lensPoints: Int) throws(CinematicError) -> [QualityTest] {
    func shown(_ scene: LayeredScene) throws(CinematicError) -> PixelBuffer {
      try PictureComparison.displayPicture(ofLinear: scene.groundTruth(lensPoints: lensPoints))
    }
    let plain = try LayeredScene(seed: seed, dimensions: dimensions)
    let source = try plain.image()
    let truth = try shown(plain)
    let bright = try LayeredScene(
      seed: seed, dimensions: dimensions, lights: .highDynamicRange)
    let brightSource = try bright.image()
    let map = try plain.disparity()
    let blurred = try plain.blurredDisparity()
    return [
      QualityTest(
        name: exactMap, scene: plain, source: source, disparity: map, truth: truth),
      QualityTest(
        name: blurredMap, scene: plain, source: source,
        disparity: blurred, truth: truth),
      QualityTest(
        name: "… true mask", scene: plain, source: source, disparity: blurred, truth: truth,
        mask: try plain.headMask()),
      QualityTest(
        name: "… found mask", scene: plain, source: source, disparity: blurred, truth: truth,
        mask: try foundMask(of: source, blurred)),
      QualityTest(
        name: "HDR highlights", scene: bright, source: brightSource, disparity: map,
        truth: try shown(bright)),
      QualityTest(
        name: "HDR, seen lights", scene: bright, source: brightSource, disparity: map,
        truth: try shown(bright.withoutHiddenLights())),
    ]
  }

  /// As a tap on the head finds it.
  private static func foundMask(
    of picture: PixelBuffer, _ map: PixelBuffer
  ) throws(CinematicError) -> PixelBuffer {
    var request = GenerateForegroundInstanceMaskRequest()
    request.points = [LayeredScene.headPoint]
    request.disparity = map
    guard let found = try waiting(for: request, picture) else {
      throw CinematicError(.incomplete, "the head was not found")
    }
    return try found.generateScaledMask(for: found.allInstances, scaledToImageFrom: picture)
  }

  /// On the program's main thread, which no task runs on.
  private static func waiting(
    for request: GenerateForegroundInstanceMaskRequest, _ picture: PixelBuffer
  ) throws(CinematicError) -> InstanceMaskObservation? {
    let done = DispatchSemaphore(value: 0)
    let result = Mutex<Result<InstanceMaskObservation?, CinematicError>>(.success(nil))
    Task {
      do throws(CinematicError) {
        let found = try await request.perform(on: picture)
        result.withLock { $0 = .success(found) }
      } catch {
        result.withLock { $0 = .failure(error) }
      }
      done.signal()
    }
    done.wait()
    return try result.withLock { $0 }.get()
  }

  func measure(_ quality: RenderingQuality, on device: Device) throws -> QualityResult {
    let session = try RenderingSession(
      commandQueue: CommandQueue(device: device),
      sessionAttributes: .init(blurScale: Float(LayeredScene.blurScale)), quality: quality)
    var map = disparity
    if let mask {
      map = try DisparityHolder(
        renderer: FrameRenderer(devices: [device], quality: quality)
      ).held(disparity, of: source, mask: mask).map
    }
    let destination = try PixelBuffer(
      dimensions: source.dimensions, format: .rgbaFloat, tags: .linearBT709)
    let buffer = session.commandQueue.makeCommandBuffer()
    try session.encodeRender(
      to: buffer,
      frameAttributes: .init(
        focusDisparity: Float(LayeredScene.focusDisparity), fNumber: Float(LayeredScene.fNumber)),
      sourceImage: source, sourceDisparity: map, destinationImage: destination)
    buffer.commit()
    buffer.waitUntilCompleted()
    if let error = buffer.error { throw error }
    return try result(
      of: PictureComparison.displayPicture(ofLinear: destination), device: device.identifier,
      quality: quality.description)
  }

  /// How near a picture in display codes comes to the truth.
  func result(
    of shown: PixelBuffer, device: String, quality: String
  ) throws(CinematicError) -> QualityResult {
    let whole = try PictureComparison(shown, reference: truth)
    func psnr(_ region: LayeredScene.Region) throws(CinematicError) -> Double {
      try PictureComparison(
        shown, reference: truth, mask: scene.mask(region), includesSSIM: false
      ).psnr
    }
    return QualityResult(
      device: device, test: name, quality: quality, psnr: whole.psnr,
      ssim: whole.ssim,
      focus: try psnr(.focus), outline: try psnr(.outline), near: try psnr(.near),
      far: try psnr(.far))
  }
}
