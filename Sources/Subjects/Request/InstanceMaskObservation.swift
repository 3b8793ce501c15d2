// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Foundation
import Synchronization

/// The subjects of a picture: which pixels are theirs, and the picture with only them.
///
/// Masks of several subjects are made together, so that where they touch there is no gap. All calls may come from several
/// threads; what is worked out for a set of subjects is kept for the next call.
public final class InstanceMaskObservation: Sendable {
  /// Labels at the size of the analysis, as the picture is shown: `gray8`, 0 for the background, subjects from 1 on without
  /// gaps, those that stand out most first.
  public let instanceMask: PixelBuffer
  /// All subjects: 1 to their number.
  public let allInstances: IndexSet
  /// From the picture as stored to the picture as shown.
  public var turn: QuarterTurn { view.turn }
  /// The picture's size as it is shown.
  public var shownDimensions: Dimensions { view.shown }

  let view: SubjectView
  /// Of the request.
  let disparity: PixelBuffer?
  let labels: [UInt8]
  /// As ``FoundSubjects/pointedAt``.
  private let pointedAt: [UInt8]
  /// What the request's mask provider gave, at the size of the analysis.
  let givenMask: [Float]?
  /// As ``FoundSubjects/standings``, of every subject.
  let standings: [Float]
  private let confidences: [Float]
  private let extents: [PixelRect]
  private let areas: [Int]
  /// The last few, the newest last.
  private let mattes = Mutex<[(instances: IndexSet, matte: SubjectMatte)]>([])
  private static let heldMattes = 4

  init(
    view: SubjectView, found: FoundSubjects, disparity: PixelBuffer? = nil,
    givenMask: [Float]? = nil
  ) throws(CinematicError) {
    (self.view, self.disparity, self.givenMask) = (view, disparity, givenMask)
    (labels, pointedAt) = (found.labels, found.pointedAt)
    confidences = found.confidences
    standings = found.standings.isEmpty ? confidences.map { _ in 1 } : found.standings
    allInstances = IndexSet(1...found.confidences.count)
    instanceMask = try PixelBuffer(
      dimensions: view.analysis, format: .gray8, tags: .linearBT709, values: found.labels)
    var extents: [PixelRect?] = Array(repeating: nil, count: found.confidences.count)
    var areas = [Int](repeating: 0, count: found.confidences.count)
    for y in 0..<view.analysis.height {
      for x in 0..<view.analysis.width {
        let label = Int(found.labels[y * view.analysis.width + x])
        guard label > 0 else { continue }
        areas[label - 1] += 1
        let pixel = PixelRect(x: x, y: y, width: 1, height: 1)
        extents[label - 1] = extents[label - 1].map { $0.union(pixel) } ?? pixel
      }
    }
    self.extents = extents.map { $0 ?? PixelRect(x: 0, y: 0, width: 0, height: 0) }
    self.areas = areas
  }

  // MARK: Subjects

  /// The subject at a point of the picture as shown; `nil` on the background and outside the picture.
  public func instance(at point: NormalizedPoint) -> Int? {
    guard (0...1).contains(point.x), (0...1).contains(point.y) else { return nil }
    let (x, y) = point.pixel(in: view.analysis)
    let label = Int(labels[y * view.analysis.width + x])
    return label > 0 ? label : nil
  }

  /// The subjects that show in a box of the picture as shown, by a pixel at least.
  public func instances(in box: NormalizedRect) -> IndexSet {
    guard let box = box.pixels(in: view.analysis) else { return [] }
    var found = IndexSet()
    for y in box.rows {
      for x in box.columns where labels[y * view.analysis.width + x] != 0 {
        found.insert(Int(labels[y * view.analysis.width + x]))
      }
    }
    return found
  }

  /// Where a subject is in the picture as shown; `nil` for a number that no subject has.
  public func bounds(of instance: Int) -> NormalizedRect? {
    guard allInstances.contains(instance) else { return nil }
    let (rect, size) = (extents[instance - 1], view.analysis)
    return NormalizedRect(
      x: Double(rect.x) / Double(size.width), y: Double(rect.y) / Double(size.height),
      width: Double(rect.width) / Double(size.width),
      height: Double(rect.height) / Double(size.height))
  }

  /// The share of the picture that a subject covers; `nil` for a number that no subject has.
  public func area(of instance: Int) -> Double? {
    guard allInstances.contains(instance) else { return nil }
    return Double(areas[instance - 1]) / Double(view.analysis.count)
  }

  /// How far colours and disparities agree with a subject's outline, 0 to 1; at most 0.6 where nothing but the picture's
  /// colours says where it is. It is less where what a point asked for, or colours alone have found, hardly stands out from what
  /// is around it, as a patch of a texture does, and by the share of a subject that lies outside the box that asked for it, or much nearer or farther than the point; of clips, in the frame that it was
  /// first found in. `nil` for a number that no subject has.
  public func confidence(of instance: Int) -> Float? {
    guard allInstances.contains(instance) else { return nil }
    return confidences[instance - 1]
  }

  // MARK: Masks

  /// A soft mask of some subjects at the size of the analysis, as the picture is shown: `disparityFloat`, a float of 0 to 1 a
  /// pixel. Of no subject it is 0 everywhere.
  ///
  /// - Throws: `invalidParameter` for a number that no subject has, `outOfMemory`, `cancelled`.
  public func generateMask(for instances: IndexSet) throws(CinematicError) -> PixelBuffer {
    let matte = try matte(for: instances)
    return try PixelBuffer.map(matte.alpha, matte.dimensions).resizedMap(to: view.analysis)
  }

  /// A soft mask of some subjects at a picture's size, as that is shown: `disparityFloat`, a float of 0 to 1 a pixel. The
  /// outline follows the picture's own pixels; a pixel's own alpha is part of it.
  ///
  /// - Parameter picture: the picture of the request, or another of the same view and shape at any size, stored alike.
  /// - Throws: as ``generateMask(for:)``; `incompatible` for a picture of another shape, `unsupported` for one in a
  ///   format of disparity.
  public func generateScaledMask(
    for instances: IndexSet, scaledToImageFrom picture: PixelBuffer
  ) throws(CinematicError) -> PixelBuffer {
    try check(picture)
    return try MattePainter(matte: try matte(for: instances), turn: turn).mask(of: picture)
  }

  /// The picture with some subjects, and everything else transparent: `rgbaFloat` in linear light, alpha straight, as the
  /// picture is shown. Light is not clamped. At soft edges the light is the subject's own, without that of the background.
  ///
  /// - Parameters:
  ///   - picture: as in ``generateScaledMask(for:scaledToImageFrom:)``.
  ///   - cropped: whether only the subjects' extent is given, else the whole picture's.
  /// - Throws: as ``generateScaledMask(for:scaledToImageFrom:)``; `invalidParameter` for the extent of no subject.
  public func generateMaskedImage(
    for instances: IndexSet, imageFrom picture: PixelBuffer,
    croppedToInstancesExtent cropped: Bool = false
  ) throws(CinematicError) -> PixelBuffer {
    try check(picture)
    let matte = try matte(for: instances)
    let size = turn.applied(to: picture.dimensions)
    var part = PixelRect(size)
    if cropped {
      guard let extent = matte.extent(in: size) else {
        throw CinematicError(
          .invalidParameter, "the extent of no subject holds no picture",
          remedy: "name subjects, or take the whole picture")
      }
      part = extent
    }
    return try MattePainter(matte: matte, turn: turn).image(of: picture, part: part)
  }

  /// The light of ``generateMaskedImage(for:imageFrom:croppedToInstancesExtent:)`` some rows at a time, from several threads
  /// at once and in no order.
  ///
  /// - Parameters:
  ///   - part: of the picture as shown, of which all rows are given.
  ///   - body: is given rows of the part, and the number of the first of them.
  /// - Throws: as ``generateScaledMask(for:scaledToImageFrom:)``, and what `body` throws.
  func strips(
    for instances: IndexSet, imageFrom picture: PixelBuffer, part: PixelRect,
    _ body: @Sendable (PixelBuffer, Int) throws(CinematicError) -> Void
  ) throws(CinematicError) {
    try check(picture)
    try MattePainter(matte: try matte(for: instances), turn: turn)
      .strips(of: picture, part: part, body)
  }

  /// The extent of some subjects' soft mask in a picture of a size, as shown; `nil` where nothing of them is to be seen.
  ///
  /// - Parameter accent: of the effect that they are drawn with: what it adds around them is in the extent, too.
  /// - Throws: as ``generateMask(for:)``; `invalidParameter` for a size that no picture has, and for an accent whose numbers are
  ///   out of range.
  public func extent(
    of instances: IndexSet, in size: Dimensions, with accent: SubjectEffect.Accent = .none
  ) throws(CinematicError) -> PixelRect? {
    try SubjectEffect(accent: accent).validate()
    let valid = 1...PixelBuffer.maximumDimension
    guard valid.contains(size.width), valid.contains(size.height) else {
      throw CinematicError(
        .invalidParameter, "subjects have no extent in a picture of \(size)",
        remedy: "width and height must be 1 to \(PixelBuffer.maximumDimension)")
    }
    return try matte(for: instances).extent(in: size, with: accent)
  }

  func matte(for instances: IndexSet) throws(CinematicError) -> SubjectMatte {
    if let wrong = instances.first(where: { !allInstances.contains($0) }) {
      throw CinematicError(
        .invalidParameter, "there is no subject \(wrong): there are \(allInstances.count)",
        remedy: "name subjects of allInstances")
    }
    if let held = mattes.withLock({ $0.first { $0.instances == instances }?.matte }) {
      return held
    }
    let chosen = labels.map { instances.contains(Int($0)) ? UInt8(1) : 0 }
    let map = try disparity.map { map throws(CinematicError) in
      try AnalysisMap(
        map, turn: turn, dimensions: view.isFine ? view.outline : view.analysis)
    }
    let certain = pointedAt.map { instances.contains(Int($0)) ? UInt8(1) : 0 }
    let matte = try SubjectMatte(view: view, labels: chosen, certain: certain, map: map)
    mattes.withLock { mattes in
      mattes.append((instances, matte))
      if mattes.count > Self.heldMattes { mattes.removeFirst() }
    }
    return matte
  }

  /// Takes a matte that was made otherwise.
  func hold(_ matte: SubjectMatte, for instances: IndexSet) {
    mattes.withLock { $0.append((instances, matte)) }
  }

  private func check(_ picture: PixelBuffer) throws(CinematicError) {
    guard !picture.format.isDisparity else {
      throw CinematicError(.unsupported, "a disparity map (\(picture.format)) is no picture")
    }
    let size = turn.applied(to: picture.dimensions)
    let ratio =
      Double(size.width) * Double(view.shown.height)
      / (Double(size.height) * Double(view.shown.width))
    // Sides of small pictures are rounded.
    let rounding = 1.5 / Double(min(size.width, size.height)) + 0.01
    guard abs(ratio - 1) <= rounding else {
      throw CinematicError(
        .incompatible,
        "the subjects are those of a picture of \(view.shown), and this one is \(size)",
        remedy: "give a picture of the same shape")
    }
  }
}

extension PixelRect {
  /// What lies in both; `nil` where nothing does.
  func common(_ other: PixelRect) -> PixelRect? {
    let columns = columns.clamped(to: other.columns), rows = rows.clamped(to: other.rows)
    return columns.isEmpty || rows.isEmpty ? nil : PixelRect(columns: columns, rows: rows)
  }

  /// The smallest rectangle that holds both.
  func union(_ other: PixelRect) -> PixelRect {
    PixelRect(
      columns: min(
        columns.lowerBound, other.columns.lowerBound)..<max(
          columns.upperBound, other.columns.upperBound),
      rows: min(
        rows.lowerBound, other.rows.lowerBound)..<max(
          rows.upperBound, other.rows.upperBound))
  }
}
