// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Asks for the subjects of a picture: objects in the foreground, or several that belong together, of any kind.
///
/// ```swift
/// var request = GenerateForegroundInstanceMaskRequest()
/// request.disparity = map
/// guard let observation = try await request.perform(on: picture) else { return }   // no subject
/// let cutOut = try observation.generateMaskedImage(for: observation.allInstances, imageFrom: picture)
/// ```
///
/// Further data makes the masks better: the picture's disparity most of all, a tap, boxes of detections, a mask of a
/// model. Without any, subjects are looked for in the picture's colours alone, and ``InstanceMaskObservation/confidence(of:)``
/// says how far that can be trusted. What is transparent in the picture itself is no subject's, whatever colour it has. A
/// picture a quarter of which is transparent is a cut-out: without any further data its subjects are what is to be seen of it.
public struct GenerateForegroundInstanceMaskRequest: Sendable {
  /// The picture's disparity: `disparityFloat` or `disparityHalf`, as the picture is stored, of any size; larger is nearer.
  public var disparity: PixelBuffer?
  /// Whether a map of another shape covers the same view and is stretched over the picture; else it is refused.
  public var stretchesDisparity = false
  /// Points of wanted subjects, as the picture is shown. If there are some, nothing else is looked for. People who touch are told
  /// apart where the map has a step or a neck between them.
  public var points: [NormalizedPoint] = []
  /// Boxes of detections, as the picture is shown: each is a subject, and none of the others' parts. Of what goes on far beyond
  /// its box, a subject is what lies in the box.
  public var boxes: [NormalizedRect] = []
  /// Whether what hangs together in the map is several subjects where large things in it end at steps of the map, as someone
  /// before someone else does; else it is one. Of no effect with points and boxes, which say so themselves.
  public var dividesAtSteps = false
  /// Gives a mask to begin with, as a model of the caller's does.
  public var maskProvider: (any SubjectMaskProvider)?
  /// Of clips, the mask provider sees every so many frames: 1 for all. Masks are carried to those between by the flow,
  /// which costs far less than most models.
  public var maskInterval = 5
  /// The longer side of the picture as it is analysed; 128 to 1024.
  public var analysisSize = Self.usualAnalysisSize
  /// The longer side at which outlines are worked out.
  var outlineSide = SubjectView.outlineSide

  /// Finer analyses find no more: the outline is found again at a finer size anyway.
  public static let usualAnalysisSize = 448

  public init() {}

  /// Looks for subjects. Takes tenths of a second, away from the caller's thread.
  ///
  /// - Parameters:
  ///   - picture: in any format but those of disparity.
  ///   - turn: from the picture as stored to the picture as shown.
  /// - Returns: `nil` if there is no subject.
  /// - Throws: `cancelled` with the task, `unsupported` for a picture or a map in the wrong format,
  ///   `incompatible` for a map of another shape that is not stretched, `invalidParameter` for points and boxes that are not finite, and what
  ///   the mask provider throws.
  @inline(never)
  public func perform(
    on picture: PixelBuffer, turn: QuarterTurn = .identity
  ) async throws(CinematicError) -> InstanceMaskObservation? {
    // Never inlined: Swift 6.3.1 crashes where it splits callers that have this in them.
    try check(picture)
    let view = try SubjectView(
      picture, turn: turn, analysisSize: analysisSize, outlineSide: outlineSide)
    return try await observation(of: picture, in: view)
  }

  /// The same of a picture that was checked and whose view was made.
  func observation(
    of picture: PixelBuffer, in view: SubjectView
  ) async throws(CinematicError) -> InstanceMaskObservation? {
    let turn = view.turn
    let given = try await mask(of: picture, turn: turn)
    try Self.checkCancellation()
    let map = try disparity.map { map throws(CinematicError) in
      try AnalysisMap(map, turn: turn, dimensions: view.analysis)
    }
    let mask = try given.map { mask throws(CinematicError) in
      try mask.unitValues(at: view.analysis)
    }
    let found = try Segmenter(view: view, map: map).subjects(
      points: points, boxes: boxes, mask: mask, dividesAtSteps: dividesAtSteps)
    guard !found.isEmpty else { return nil }
    return try InstanceMaskObservation(
      view: view, found: found, disparity: disparity, givenMask: mask)
  }

  /// What the mask provider says, if there is one.
  func mask(
    of picture: PixelBuffer, turn: QuarterTurn
  ) async throws(CinematicError) -> PixelBuffer? {
    guard let maskProvider else { return nil }
    let mask = try await maskProvider.mask(of: picture, turn: turn)
    try Self.checkCancellation()
    return mask
  }

  /// - Throws: `unsupported`, `incompatible` and `invalidParameter`, as ``perform(on:turn:)``.
  func check(_ picture: PixelBuffer) throws(CinematicError) {
    guard !picture.format.isDisparity else {
      throw CinematicError(
        .unsupported, "a disparity map (\(picture.format)) is no picture",
        remedy: "give the picture, and the map as its disparity")
    }
    guard (128...1024).contains(analysisSize) else {
      throw CinematicError(
        .invalidParameter, "pictures cannot be analysed at a size of \(analysisSize)",
        remedy: "the analysis size must be 128 to 1024")
    }
    guard maskInterval >= 1 else {
      throw CinematicError(
        .invalidParameter, "a mask of every \(maskInterval) frames is none",
        remedy: "the interval must be 1 or more")
    }
    for point in points where !(0...1).contains(point.x) || !(0...1).contains(point.y) {
      throw CinematicError(
        .invalidParameter, "the point \(point.x),\(point.y) is outside the picture",
        remedy: "give shares of its width and height, 0 to 1")
    }
    for box in boxes {
      let isFinite = [box.x, box.y, box.width, box.height].allSatisfy(\.isFinite)
      guard isFinite else {
        throw CinematicError(
          .invalidParameter,
          "a box of \(box.width) x \(box.height) at \(box.x),\(box.y) lies nowhere",
          remedy: "give boxes of finite numbers")
      }
      guard box.width > 0, box.height > 0 else {
        throw CinematicError(
          .invalidParameter, "a box of \(box.width) x \(box.height) holds no subject",
          remedy: "give boxes with sides above 0")
      }
    }
    guard let disparity else { return }
    guard disparity.format.isDisparity else {
      throw CinematicError(
        .unsupported, "\(disparity.format) is not a disparity format",
        remedy: "give the map as disparityFloat or disparityHalf")
    }
    let shape = Double(disparity.width) / Double(disparity.height)
    let wanted = Double(picture.width) / Double(picture.height)
    // Maps are small, and their sides are rounded.
    let rounding = 1.5 / Double(min(disparity.width, disparity.height)) + 0.02
    guard stretchesDisparity || abs(shape / wanted - 1) <= rounding else {
      throw CinematicError(
        .incompatible,
        "the map is \(disparity.dimensions) where the picture is \(picture.dimensions): the shapes differ",
        remedy: "give the map of this picture")
    }
  }

  /// Whether both ask for the same subjects of a picture: by the same map and mask provider, and equal in all else.
  func isSame(as other: Self) -> Bool {
    let areEqual =
      stretchesDisparity == other.stretchesDisparity && points == other.points
      && boxes == other.boxes && dividesAtSteps == other.dividesAtSteps
      && maskInterval == other.maskInterval && analysisSize == other.analysisSize
      && outlineSide == other.outlineSide
    return areEqual && disparity === other.disparity && hasProvider(of: other)
  }

  /// Whether both have the same mask provider, or none. Of one that is no object nothing says that.
  private func hasProvider(of other: Self) -> Bool {
    guard let own = maskProvider, let another = other.maskProvider else {
      return maskProvider == nil && other.maskProvider == nil
    }
    guard type(of: own) is AnyClass, type(of: another) is AnyClass else { return false }
    return (own as AnyObject) === (another as AnyObject)
  }

  /// - Throws: `cancelled` if the task is.
  static func checkCancellation() throws(CinematicError) {
    guard !Task.isCancelled else {
      throw CinematicError(.cancelled, "looking for subjects was cancelled")
    }
  }
}

/// A mask to begin with: a model of the caller's own, or ``ModelMaskProvider``.
public protocol SubjectMaskProvider: Sendable {
  /// How surely each pixel is a subject's, 0 to 1: `disparityFloat` of any size, as the picture is shown and of its shape.
  ///
  /// - Parameter turn: from the picture as stored to the picture as shown.
  func mask(of picture: PixelBuffer, turn: QuarterTurn) async throws(CinematicError) -> PixelBuffer
}
