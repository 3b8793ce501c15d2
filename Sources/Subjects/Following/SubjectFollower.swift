// SPDX-License-Identifier: Apache-2.0

import EyeKernels
import FocalCore
import FocalEyes
import FocalRendering
import Foundation
import SubjectKernels
import Synchronization

/// The subjects of a clip's frame that are followed.
public struct FollowedSubjects: Sendable {
  /// `nil` where none of them is to be seen.
  public let observation: InstanceMaskObservation?
  /// Those that are followed, by their numbers in the observation. Numbers stay the same in the whole clip; of a subject
  /// that is lost there is no pixel.
  public let instances: IndexSet
  /// Those of them that are to be seen.
  public var seenInstances: IndexSet {
    guard let observation else { return [] }
    return IndexSet(instances.filter { (observation.area(of: $0) ?? 0) > 0 })
  }
  /// Whether a scene begins with the frame: the first one, or another one behind a cut.
  public let beginsScene: Bool
  private let turn: QuarterTurn

  init(
    _ observation: InstanceMaskObservation?, _ instances: IndexSet, turn: QuarterTurn,
    beginsScene: Bool
  ) {
    (self.observation, self.instances, self.turn) = (observation, instances, turn)
    self.beginsScene = beginsScene
  }

  /// Their mask at the picture's size, as shown: `disparityFloat`.
  ///
  /// - Throws: as ``InstanceMaskObservation/generateScaledMask(for:scaledToImageFrom:)``.
  public func mask(of picture: PixelBuffer) throws(CinematicError) -> PixelBuffer {
    guard let observation else {
      return try PixelBuffer(
        dimensions: turn.applied(to: picture.dimensions), format: .disparityFloat,
        tags: .linearBT709)
    }
    return try observation.generateScaledMask(for: instances, scaledToImageFrom: picture)
  }

  /// The picture with an effect around them, as
  /// ``InstanceMaskObservation/generateImage(for:imageFrom:effect:renderer:)`` gives it. Without them all is background.
  ///
  /// - Throws: as that.
  public func picture(
    of picture: PixelBuffer, effect: SubjectEffect, renderer: FrameRenderer? = nil
  ) throws(CinematicError) -> PixelBuffer {
    if let observation {
      return try observation.generateImage(
        for: instances, imageFrom: picture, effect: effect, renderer: renderer)
    }
    try effect.validate()
    var tags = picture.tags
    tags.transfer = .linear
    let empty = try PixelBuffer(
      dimensions: turn.applied(to: picture.dimensions), format: .rgbaFloat, tags: tags,
      bytesPerRowAlignment: 16)
    if case .transparent = effect.background { return empty }
    var effect = effect
    effect.accent = .none
    return try EffectPainter(effect, matte: .empty, renderer: renderer)
      .paint(empty, over: picture, turn: turn, disparity: nil)
  }

  /// The subjects alone, as ``InstanceMaskObservation/generateMaskedImage(for:imageFrom:croppedToInstancesExtent:)`` gives
  /// them, some rows at a time: from several threads at once and in no order. Nothing is given without subjects.
  ///
  /// - Parameters:
  ///   - part: of the picture as shown, of which all rows are given.
  ///   - body: is given rows of the part, and the number of the first of them.
  /// - Throws: as ``mask(of:)``, and what `body` throws.
  package func strips(
    of picture: PixelBuffer, part: PixelRect,
    _ body: @Sendable (PixelBuffer, Int) throws(CinematicError) -> Void
  ) throws(CinematicError) {
    try observation?.strips(for: instances, imageFrom: picture, part: part, body)
  }
}

/// Follows subjects through a clip, frame by frame.
///
/// Where each subject was is carried along the optical flow, and found anew in every frame: in the frame's map, if there is
/// one, by its colours, and by the request's mask provider. So errors do not add up. With colours alone, what does not move as
/// a subject does is left out again. Where nothing moves, outlines stay as they were. A subject that is lost is taken up
/// again where something like it appears.
///
/// Behind a cut, subjects are looked for anew, but for points and boxes: those belong to the scene that the clip begins with.
/// In another one nothing is at them, and subjects are followed on where a frame looks like the last one of their scene.
///
/// ```swift
/// let follower = SubjectFollower(request, choice: .foremost)
/// for … { let found = try await follower.observation(of: frame, disparity: map) }
/// ```
public final class SubjectFollower: Sendable {
  /// Which subjects of the first frame that has some are followed.
  public enum Choice: Hashable, Sendable {
    /// The one that stands out most.
    case foremost
    /// All of them; of a request with points, those at the points.
    case all
  }

  struct Memory {
    var luma: [UInt8]
    var size: Dimensions
    /// A soft mask of each followed subject at the analysis' size.
    var masks: [[Float]]
    /// Where each was last seen, and how large it was.
    var labels: [[UInt8]]
    /// How far each is believed at most, as it was when it was found first.
    var standings: [Float]
    var matte: SubjectMatte?
    /// Of each, for frames in which nothing but its movement says where it is.
    var traces: [SubjectTrace?]
    /// What the mask provider said, carried along and averaged; `nil` without one.
    var givenMask: [Float]?
    /// How many frames ago it was asked.
    var framesSinceMask = 0
  }

  private struct State {
    /// What is followed; `nil` until something is found.
    var memory: Memory?
    /// Of the frame before.
    var colors: SceneColors?
    /// Of the last frame of the scene that points and boxes belong to, while another one is shown.
    var left: SceneColors?
  }

  private let request: GenerateForegroundInstanceMaskRequest
  private let choice: Choice
  private let turn: QuarterTurn
  private let state = Mutex(State())

  /// What is known of the first frame, until that has come.
  private let known: Mutex<InstanceMaskObservation?>
  private let isStill: Bool

  /// - Parameters:
  ///   - request: for the first frame; its disparity is not used. Its points and boxes are looked at in the scene that the clip
  ///     begins with, behind cuts where that comes back. How it takes maps counts for all frames.
  ///   - turn: from the pictures as stored to the pictures as shown.
  ///   - first: what is known of the first frame already, with outlines as fine as a photograph's.
  ///   - isStill: whether there is one frame only, whose outlines are as fine as a photograph's.
  public init(
    _ request: GenerateForegroundInstanceMaskRequest = .init(), choice: Choice = .foremost,
    turn: QuarterTurn = .identity, first: InstanceMaskObservation? = nil, isStill: Bool = false
  ) {
    (self.request, self.choice, self.turn) = (request, choice, turn)
    known = Mutex(first)
    self.isStill = isStill
  }

  /// The subjects of the next frame. Frames come in order, one call after the other.
  ///
  /// - Parameter disparity: the frame's, as in ``GenerateForegroundInstanceMaskRequest/disparity``.
  /// - Throws: as ``GenerateForegroundInstanceMaskRequest/perform(on:turn:)``; `incompatible` for a frame of another size.
  public func observation(
    of picture: PixelBuffer, disparity: PixelBuffer? = nil
  ) async throws(CinematicError) -> FollowedSubjects {
    var request = request
    request.disparity = disparity
    if !isStill {
      request.outlineSide = Self.outlineSide
      request.analysisSize = min(request.analysisSize, Self.analysisSide)
    }
    try request.check(picture)
    try GenerateForegroundInstanceMaskRequest.checkCancellation()
    let known = known.withLock { known in
      defer { known = nil }
      return known
    }
    if let known {
      return try begin(
        known, State(colors: SceneColors(known.view.codes, known.view.analysis)), beginsScene: true)
    }
    var state = state.withLock { $0 }
    var view = try view(of: picture, request, after: state.memory)
    if let memory = state.memory, view.analysis != memory.size {
      throw CinematicError(
        .incompatible, "a frame of \(view.shown) does not follow one of another shape",
        remedy: "follow clips of one size")
    }
    let colors = SceneColors(view.codes, view.analysis)
    let isCut = state.colors.map { colors.beginScene(after: $0) } ?? true
    if !request.points.isEmpty || !request.boxes.isEmpty {
      if let last = state.left ?? state.colors {
        state.left = colors.beginScene(after: last) ? last : nil
      }
    } else if isCut, state.memory != nil {
      // Another scene has other subjects.
      state.memory = nil
      view = try self.view(of: picture, request, after: nil)
    }
    state.colors = colors
    guard let before = state.memory, state.left == nil else {
      // Nothing is remembered of a frame that throws: asked for again, it begins its scene again.
      guard state.left == nil, let found = try await request.observation(of: picture, in: view)
      else {
        self.state.withLock { [state] in $0 = state }
        return FollowedSubjects(nil, [], turn: turn, beginsScene: isCut)
      }
      return try begin(found, state, beginsScene: isCut)
    }
    let map = try disparity.map { map throws(CinematicError) in
      try AnalysisMap(map, turn: turn, dimensions: view.analysis)
    }
    var mask: [Float]?
    if before.framesSinceMask + 1 >= request.maskInterval,
      let given = try await request.mask(of: picture, turn: turn)
    {
      mask = try given.unitValues(at: view.analysis)
    }
    try GenerateForegroundInstanceMaskRequest.checkCancellation()
    return try step(
      FollowingStep(view: view, map: map, mask: mask, before: before), disparity, state,
      beginsScene: isCut)
  }

  /// Frames of clips are analysed at this longer side at most, and outlines worked out at the other: more costs more than a
  /// frame has time for.
  static let analysisSide = 288
  static let outlineSide = 640

  /// A frame's view, of the size at which subjects are followed already.
  private func view(
    of picture: PixelBuffer, _ request: GenerateForegroundInstanceMaskRequest,
    after memory: Memory?
  ) throws(CinematicError) -> SubjectView {
    let analysis = memory.map { max($0.size.width, $0.size.height) }
    return try SubjectView(
      picture, turn: turn, analysisSize: analysis ?? request.analysisSize,
      outlineSide: memory == nil ? request.outlineSide : Self.outlineSide)
  }

  /// Follows what was found in a frame from there on.
  private func begin(
    _ observation: InstanceMaskObservation, _ state: State, beginsScene: Bool
  ) throws(CinematicError) -> FollowedSubjects {
    let chosen = choice == .all ? observation.allInstances : IndexSet(integer: 1)
    let labels = chosen.map { number in
      observation.labels.map { Int($0) == number ? UInt8(1) : 0 }
    }
    let matte = try observation.matte(for: chosen)
    var state = state
    state.memory = Memory(
      luma: observation.view.luma, size: observation.view.analysis,
      masks: labels.map { $0.map { Float($0) } }, labels: labels,
      standings: chosen.map { observation.standings[$0 - 1] }, matte: matte,
      traces: labels.map { _ in nil }, givenMask: observation.givenMask)
    self.state.withLock { [state] in $0 = state }
    return FollowedSubjects(observation, chosen, turn: turn, beginsScene: beginsScene)
  }

  private func step(
    _ step: FollowingStep, _ disparity: PixelBuffer?, _ state: State, beginsScene: Bool
  ) throws(CinematicError) -> FollowedSubjects {
    let outcome = try step.run()
    let (found, labels, movement) = (outcome.found, outcome.labels, outcome.movement)
    let view = step.view
    var memory = step.before
    memory.givenMask = outcome.givenMask
    memory.traces = outcome.traces
    memory.framesSinceMask = step.mask == nil ? memory.framesSinceMask + 1 : 0
    memory.luma = step.luma
    memory.labels = labels.enumerated().map { index, labels in
      labels.contains(1) ? labels : step.before.labels[index]
    }
    memory.masks = labels.map { $0.map { Float($0) } }
    defer {
      var state = state
      state.memory = memory
      self.state.withLock { [state] in $0 = state }
    }
    guard found.labels.contains(where: { $0 != 0 }) else {
      memory.matte = nil
      return FollowedSubjects(nil, [], turn: turn, beginsScene: beginsScene)
    }
    let observation = try InstanceMaskObservation(view: view, found: found, disparity: disparity)
    var matte = try SubjectMatte(
      view: view, labels: found.labels.map { $0 == 0 ? 0 : 1 }, map: step.map)
    if let last = step.before.matte, last.dimensions == matte.dimensions {
      matte.steady(
        after: last, still: movement.still, was: movement.was, moved: movement.moved,
        size: view.analysis)
    }
    memory.matte = matte
    observation.hold(matte, for: observation.allInstances)
    return FollowedSubjects(
      observation, observation.allInstances, turn: turn, beginsScene: beginsScene)
  }
}
