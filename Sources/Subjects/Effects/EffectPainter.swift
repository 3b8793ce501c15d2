// SPDX-License-Identifier: Apache-2.0

import EyeKernels
import FocalCore
import FocalEyes
import FocalRendering
import Foundation
import SubjectKernels

extension InstanceMaskObservation {
  /// The picture with an effect around some subjects: `rgbaFloat` in linear light, alpha straight, as it is shown.
  ///
  /// Of no subject, everything is background.
  ///
  /// - Parameters:
  ///   - picture: as in ``generateScaledMask(for:scaledToImageFrom:)``.
  ///   - renderer: of any quality and look, for a lens blur.
  /// - Throws: as ``generateMaskedImage(for:imageFrom:croppedToInstancesExtent:)``; `invalidParameter` for an effect whose
  ///   numbers are out of range, `unsupported` for a lens blur without a renderer, and what rendering throws.
  public func generateImage(
    for instances: IndexSet, imageFrom picture: PixelBuffer, effect: SubjectEffect,
    renderer: FrameRenderer? = nil
  ) throws(CinematicError) -> PixelBuffer {
    try effect.validate()
    let subject = try generateMaskedImage(for: instances, imageFrom: picture)
    if case .transparent = effect.background, effect.accent == .none { return subject }
    return try EffectPainter(effect, matte: matte(for: instances), renderer: renderer)
      .paint(subject, over: picture, turn: turn, disparity: disparity)
  }
}

/// Puts subjects, what lies under them and a background together.
struct EffectPainter {
  private let effect: SubjectEffect
  private let under: [Float]?
  private let underSize: Dimensions
  private let matte: SubjectMatte
  private let renderer: FrameRenderer?

  init(
    _ effect: SubjectEffect, matte: SubjectMatte, renderer: FrameRenderer?
  ) throws(CinematicError) {
    guard effect.lensBlur == nil || renderer != nil else {
      throw CinematicError(
        .unsupported, "a lens blur is rendered, and there is no renderer",
        remedy: "give a FrameRenderer")
    }
    (self.effect, self.matte, self.renderer) = (effect, matte, renderer)
    underSize = matte.dimensions
    let longer = Float(max(underSize.width, underSize.height))
    switch effect.accent {
    case .none: under = nil
    case .shadow(let x, let y, let softness, let strength):
      under = Self.shadow(
        matte, right: Int((x * longer).rounded()), down: Int((y * longer).rounded()),
        reach: Int((softness * longer).rounded()), strength: strength)
    case .outline(let width):
      let size = matte.dimensions
      var distance = [Float](repeating: 0, count: size.count)
      let hard = matte.alpha.map { $0 > 0.5 ? UInt8(1) : 0 }
      try kernel(size) {
        focal_edge_distance(hard, Int32(size.width), Int32(size.height), &distance)
      }
      let reach = width * longer
      // An edge of a pixel and a half.
      under = reach > 0 ? distance.map { max(0, min(1, (reach + $0) / 1.5 + 0.5)) } : nil
    }
  }

  /// Alpha moved, blurred by three boxes and weakened.
  private static func shadow(
    _ matte: SubjectMatte, right: Int, down: Int, reach: Int, strength: Float
  ) -> [Float] {
    let (width, height) = (matte.dimensions.width, matte.dimensions.height)
    var values = [Float](repeating: 0, count: width * height)
    for y in 0..<height where (0..<height).contains(y - down) {
      for x in 0..<width where (0..<width).contains(x - right) {
        values[y * width + x] = matte.alpha[(y - down) * width + x - right] * strength
      }
    }
    guard reach > 0 else { return values }
    var line = [Float](repeating: 0, count: max(width, height))
    func blur(_ start: Int, _ step: Int, _ count: Int) {
      var sum: Float = 0
      for k in -reach..<count {
        if k + reach < count { sum += values[start + (k + reach) * step] }
        if k < 0 { continue }
        line[k] = sum / Float(2 * reach + 1)
        if k - reach >= 0 { sum -= values[start + (k - reach) * step] }
      }
      for k in 0..<count { values[start + k * step] = max(0, line[k]) }
    }
    for _ in 0..<3 {
      for y in 0..<height { blur(y * width, 1, width) }
      for x in 0..<width { blur(x, width, height) }
    }
    return values
  }

  /// - Parameters:
  ///   - subject: as shown, `rgbaFloat`, of the whole picture.
  ///   - picture: as stored, like its `disparity`.
  func paint(
    _ subject: PixelBuffer, over picture: PixelBuffer, turn: QuarterTurn, disparity: PixelBuffer?
  ) throws(CinematicError) -> PixelBuffer {
    let size = subject.dimensions
    let light = try turn == .identity ? nil : picture.linearRGBA().turnedLight(by: turn)
    var background = try background(size, primaries: subject.tags)
    if let blur = effect.lensBlur, let renderer {
      let isOwn = background == nil
      var shownMap = disparity
      if let disparity, turn != .identity { shownMap = try disparity.turnedDisparity(by: turn) }
      // A background that is given was made for this picture, and may be changed.
      var backdrop = background ?? light
      if backdrop == nil { backdrop = try picture.linearRGBA() }
      guard let backdrop else { preconditionFailure("there is no light to blur") }
      background = try BackdropBlur(blur: blur, renderer: renderer).blurred(
        backdrop, behind: subject, matte: matte, isOwn: isOwn,
        disparity: shownMap)
    }
    let behind = background
    let result = try PixelBuffer(
      dimensions: size, format: .rgbaFloat, tags: subject.tags, bytesPerRowAlignment: 16)
    let failures = FirstError()
    let rows = 32
    let strips = (size.height + rows - 1) / rows
    parallelFor(strips, threads: nil) { index in
      let range = index * rows..<min(size.height, (index + 1) * rows)
      do throws(CinematicError) {
        let strip: PixelBuffer
        if let light {
          strip = light.part(columns: 0..<size.width, rows: range)
        } else {
          strip = try picture.part(columns: 0..<size.width, rows: range).linearRGBA()
        }
        compose(strip, subject, behind, to: result, rows: range)
      } catch {
        failures.add(error)
      }
    }
    try failures.throwIfAny()
    return result
  }

  private func compose(
    _ light: PixelBuffer, _ subject: PixelBuffer, _ background: PixelBuffer?,
    to result: PixelBuffer, rows: Range<Int>
  ) {
    let size = subject.dimensions
    var look = FocalSubjectLook()
    look.gain = 1
    switch effect.look {
    case .natural: break
    case .highlight(let stops): look.gain = exp2(-stops)
    case .monochrome: look.grayness = 1
    case .posterized(let levels): look.levels = Int32(levels)
    }
    if case .kept = effect.background { look.keepsBackground = 1 }
    if case .outline = effect.accent { look.underColour = (1, 1, 1) }
    var covered = [Float](repeating: 0, count: size.width)
    func row(_ buffer: PixelBuffer, _ bytes: UnsafeRawPointer, _ y: Int) -> UnsafePointer<Float> {
      (bytes + y * buffer.planes[0].bytesPerRow).assumingMemoryBound(to: Float.self)
    }
    light.withUnsafeBytes { light_ in
      subject.withUnsafeBytes { subject_ in
        result.withUnsafeMutableBytes { result_ in
          for y in rows {
            let target = (result_.baseAddress! + y * result.planes[0].bytesPerRow)
              .assumingMemoryBound(to: Float.self)
            let from = row(light, light_.baseAddress!, y - rows.lowerBound)
            let front = row(subject, subject_.baseAddress!, y)
            if let under { fill(&covered, under, y, size) }
            func run(_ background: UnsafePointer<Float>?) {
              covered.withUnsafeBufferPointer { covered in
                focal_subject_compose(
                  &look, from, front, background, under == nil ? nil : covered.baseAddress,
                  Int32(size.width), target)
              }
            }
            if let background {
              background.withUnsafeBytes { run(row(background, $0.baseAddress!, y)) }
            } else {
              run(nil)
            }
          }
        }
      }
    }
  }

  /// A row of what lies under the subjects, at the picture's size.
  private func fill(_ values: inout [Float], _ under: [Float], _ y: Int, _ size: Dimensions) {
    func place(_ k: Int, _ length: Int, _ coarse: Int) -> (Int, Int, Float) {
      let at = max(
        0,
        min(Float(coarse - 1), (Float(k) + 0.5) * Float(coarse) / Float(length) - 0.5))
      let first = Int(at)
      return (first, min(coarse - 1, first + 1), at - Float(first))
    }
    let width = underSize.width
    let (top, bottom, t) = place(y, size.height, underSize.height)
    for x in 0..<size.width {
      let (left, right, s) = place(x, size.width, width)
      let above = under[top * width + left] * (1 - s) + under[top * width + right] * s
      let below = under[bottom * width + left] * (1 - s) + under[bottom * width + right] * s
      values[x] = above * (1 - t) + below * t
    }
  }

  /// The background that is given, at the picture's size; `nil` for the picture's own one, or none.
  private func background(
    _ size: Dimensions, primaries tags: ColorTags
  ) throws(CinematicError) -> PixelBuffer? {
    switch effect.background {
    case .kept, .transparent: return nil
    case .plain(let red, let green, let blue):
      let result = try PixelBuffer(
        dimensions: size, format: .rgbaFloat, tags: tags, bytesPerRowAlignment: 16)
      let pixel = SIMD4(red, green, blue, 1)
      result.withUnsafeMutableBytes { bytes in
        for y in 0..<size.height {
          let row = (bytes.baseAddress! + y * result.planes[0].bytesPerRow)
            .assumingMemoryBound(to: SIMD4<Float>.self)
          for x in 0..<size.width { row[x] = pixel }
        }
      }
      return result
    case .picture(let picture):
      // The part of its middle that has the shape of the frame.
      let scale = min(
        Double(picture.width) / Double(size.width), Double(picture.height) / Double(size.height))
      let width = max(1, min(picture.width, Int((Double(size.width) * scale).rounded())))
      let height = max(1, min(picture.height, Int((Double(size.height) * scale).rounded())))
      // Planes may be subsampled.
      let (x, y) = ((picture.width - width) / 4 * 2, (picture.height - height) / 4 * 2)
      let part = picture.part(columns: x..<x + width, rows: y..<y + height)
      let light = try EyePicture.light(of: part, at: size)
      guard light.tags.primaries != tags.primaries else { return light }
      return try PrimariesConversion(from: light.tags.primaries, to: tags.primaries)
        .convert(light, to: tags.primaries)
    }
  }
}

extension PixelBuffer {
  /// The picture as it is shown: itself, or its light, turned.
  ///
  /// - Throws: `unsupported` for a disparity format, `outOfMemory`.
  package func upright(_ turn: QuarterTurn) throws(CinematicError) -> PixelBuffer {
    turn == .identity ? self : try linearRGBA().turnedLight(by: turn)
  }

  /// A picture of floats, turned.
  ///
  /// - Precondition: `rgbaFloat`.
  func turnedLight(by turn: QuarterTurn) throws(CinematicError) -> PixelBuffer {
    let size = turn.applied(to: dimensions)
    let result = try PixelBuffer(
      dimensions: size, format: .rgbaFloat, tags: tags, bytesPerRowAlignment: 16)
    let (from, to) = (planes[0].bytesPerRow / 16, result.planes[0].bytesPerRow / 16)
    withUnsafeBytes { source in
      result.withUnsafeMutableBytes { target in
        let pixels = source.bindMemory(to: SIMD4<Float>.self)
        let shown = target.bindMemory(to: SIMD4<Float>.self)
        for y in 0..<size.height {
          for x in 0..<size.width {
            let (i, j) = turn.stored(x, y, width: width, height: height)
            shown[y * to + x] = pixels[j * from + i]
          }
        }
      }
    }
    return result
  }
}
