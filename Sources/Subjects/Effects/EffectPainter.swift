// SPDX-License-Identifier: Apache-2.0

import FocalCPU
import FocalCore
import FocalEyes
import FocalRendering
import Foundation

extension InstanceMaskObservation {
  /// The picture with an effect around some subjects: `rgbaFloat` in linear light, alpha straight, as it is shown.
  ///
  /// Of no subject, everything is background. Every device gives the same bits.
  ///
  /// - Parameters:
  ///   - picture: as in ``generateScaledMask(for:scaledToImageFrom:)``.
  ///   - renderer: draws the effect on its devices; quality and look count for a lens blur alone. By default the processor
  ///     does, at the quality of exports.
  /// - Throws: as ``generateMaskedImage(for:imageFrom:croppedToInstancesExtent:)``; `invalidParameter` for an effect whose
  ///   numbers are out of range, and what rendering throws.
  public func generateImage(
    for instances: IndexSet, imageFrom picture: PixelBuffer, effect: SubjectEffect,
    renderer: FrameRenderer? = nil
  ) throws(CinematicError) -> PixelBuffer {
    try effect.validate()
    let subject = try generateMaskedImage(for: instances, imageFrom: picture)
    guard effect.isDrawn else { return subject }
    return try EffectPainter(effect, matte: matte(for: instances), renderer: renderer)
      .paint(subject, over: picture, turn: turn, disparity: disparity)
  }
}

extension SubjectEffect {
  /// Whether there is more than the subjects alone, for which a device is needed.
  public var isDrawn: Bool { !background.isTransparent || accent != .none }

  /// Whether the picture stays as it is.
  fileprivate var changesNothing: Bool {
    background.isKept && look == .natural && accent == .none && lensBlur == nil
  }
}

/// Puts subjects, what lies under them and a background together.
struct EffectPainter {
  private let effect: SubjectEffect
  private let matte: SubjectMatte
  private let renderer: FrameRenderer

  init(
    _ effect: SubjectEffect, matte: SubjectMatte, renderer: FrameRenderer?
  ) throws(CinematicError) {
    (self.effect, self.matte) = (effect, matte)
    if let renderer {
      self.renderer = renderer
    } else {
      self.renderer = try FrameRenderer(devices: [.cpu()], quality: .export)
    }
  }

  /// - Parameters:
  ///   - subject: as shown, `rgbaFloat`, of the whole picture.
  ///   - picture: as stored, like its `disparity`.
  func paint(
    _ subject: PixelBuffer, over picture: PixelBuffer, turn: QuarterTurn, disparity: PixelBuffer?
  ) throws(CinematicError) -> PixelBuffer {
    let size = subject.dimensions
    let shown = try picture.upright(turn)
    if effect.changesNothing { return try shown.linearRGBA() }
    // Before any other background, a subject that light goes through shows that.
    let translucent =
      effect.background.isKept && shown.isTranslucent
      ? try TranslucentSubject(subject, in: shown.linearRGBA()) : nil
    let subject = translucent?.subject ?? subject
    var layers = SubjectLayers(subject: subject, mask: try mask(in: shown))
    layers.background = background(size)
    layers.cover = effect.accent.cover(in: matte.dimensions)
    switch effect.look {
    case .natural: break
    case .highlight(let stops): layers.gain = exp2(-stops)
    case .monochrome: layers.grayness = 1
    case .posterized(let levels): layers.levels = levels
    }
    if let blur = effect.lensBlur {
      layers.background = .picture(
        try blurred(layers.background, blur, behind: subject, of: shown, turn, disparity))
    } else if case .picture(let other) = layers.background {
      layers.background = .picture(try other.reduced(behind: size))
    }
    let result = try PixelBuffer(
      dimensions: size, format: .rgbaFloat, tags: subject.tags, bytesPerRowAlignment: 16)
    let frame = FrameRenderer.Frame(
      number: 0, sourceImage: shown, layers: layers, destination: result)
    do throws(CinematicError) {
      try renderer.finish(renderer.commit(frame))
    } catch {
      throw Self.naming(layers.background, behind: size, error)
    }
    try GenerateForegroundInstanceMaskRequest.checkCancellation()
    translucent?.takeOut(of: result)
    return result
  }

  /// An error, with the background where that is what takes the memory.
  private static func naming(
    _ background: SubjectLayers.Background, behind size: Dimensions, _ error: CinematicError
  ) -> CinematicError {
    guard error.code == .outOfMemory, case .picture(let other) = background,
      other.dimensions.count > size.count
    else { return error }
    return CinematicError(
      .outOfMemory, "\(error.message), before a background of \(other.dimensions)",
      remedy: "use a smaller background")
  }

  /// A background out of focus.
  private func blurred(
    _ background: SubjectLayers.Background, _ blur: SubjectEffect.LensBlur,
    behind subject: PixelBuffer, of picture: PixelBuffer, _ turn: QuarterTurn,
    _ disparity: PixelBuffer?
  ) throws(CinematicError) -> PixelBuffer {
    var isOwn = false
    let backdrop: PixelBuffer
    switch background {
    case .transparent, .kept:
      isOwn = true
      // The blur changes it.
      backdrop = try picture.linearRGBA()
    case .plain(let red, let green, let blue):
      backdrop = try PixelBuffer(
        dimensions: subject.dimensions, format: .rgbaFloat, tags: subject.tags,
        values: [SIMD4<Float>](
          repeating: SIMD4(red, green, blue, 1), count: subject.dimensions.count))
    case .picture(let other):
      let light = try EyePicture.light(of: other, at: subject.dimensions)
      let (from, to) = (light.tags.primaries, subject.tags.primaries)
      backdrop =
        from == to ? light : try PrimariesConversion(from: from, to: to).convert(light, to: to)
    }
    var map = disparity
    if let disparity, turn != .identity { map = try disparity.turnedDisparity(by: turn) }
    return try BackdropBlur(blur: blur, renderer: renderer).blurred(
      backdrop, behind: subject, matte: matte, isOwn: isOwn, disparity: map)
  }

  /// The subjects' mask, which what lies between is drawn by: what is transparent in the picture itself casts no shadow and
  /// has no outline.
  private func mask(in shown: PixelBuffer) throws(CinematicError) -> PixelBuffer {
    var values = matte.alpha
    if effect.accent != .none, shown.isTranslucent {
      let own = try EyePicture.light(of: shown, at: matte.dimensions).alphas
      for place in values.indices { values[place] *= max(0, min(1, own[place])) }
    }
    return try .map(values, matte.dimensions)
  }

  /// The background that the effect names; of a picture the part of its middle that has the shape of the frame.
  private func background(_ size: Dimensions) -> SubjectLayers.Background {
    switch effect.background {
    case .kept: return .kept
    case .transparent: return .transparent
    case .plain(let red, let green, let blue): return .plain(red: red, green: green, blue: blue)
    case .picture(let picture):
      let scale = min(
        Double(picture.width) / Double(size.width), Double(picture.height) / Double(size.height))
      let width = max(1, min(picture.width, Int((Double(size.width) * scale).rounded())))
      let height = max(1, min(picture.height, Int((Double(size.height) * scale).rounded())))
      // Planes may be subsampled.
      let (x, y) = ((picture.width - width) / 4 * 2, (picture.height - height) / 4 * 2)
      return .picture(picture.part(columns: x..<x + width, rows: y..<y + height))
    }
  }
}

extension PixelBuffer {
  /// The picture as it is shown: itself, or its light, turned.
  ///
  /// - Throws: `unsupported` for a disparity format, `outOfMemory`.
  package func upright(_ turn: QuarterTurn) throws(CinematicError) -> PixelBuffer {
    turn == .identity ? self : try linearRGBA().turnedPixels(by: turn)
  }
}
