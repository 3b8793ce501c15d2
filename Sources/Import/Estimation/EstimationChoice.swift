// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCore
import FocalEyes
import FocalMedia

/// The way by which disparity is estimated.
package struct EstimationChoice: Sendable {
  package var provider: any DisparityProvider
  var eyes: EstimationSource.Eyes
  var exchanged: Bool
  /// As given.
  var interval: Int?
  /// All that decides about the maps beside the input.
  var signature: [String]

  /// - Parameter holdsMap: whether the input has a map of its own, `nil` where that is of no use; asked where no model is found.
  /// - Throws: `incomplete`, naming all that is missing for the way that is asked for, or for any;
  ///   `invalidParameter` for options that do not go together.
  init(
    way: Estimation.Way, eyes: EstimationSource.Eyes, exchanged: Bool, model: String?,
    helper: String?, timeLimit: Double, interval: Int?, input: String, to note: Notes,
    holdsMap: () async -> Bool?
  ) async throws(CinematicError) {
    (self.eyes, self.interval) = (eyes, interval)
    self.exchanged = exchanged
    var hasTwoEyes = true
    if case .one = eyes { hasTwoEyes = false }
    guard hasTwoEyes || !exchanged else { throw Self.needsEyes }
    var way = way
    if way == .auto {
      way = hasTwoEyes ? .stereo : model == nil && helper != nil ? .command : .auto
    }
    if way == .stereo, !hasTwoEyes { throw Self.needsEyes }
    let parameters: [(parameter: CinematicError.Parameter, isSurplus: Bool)] = [
      (.estimationModel, model != nil && ![.auto, .model, .people].contains(way)),
      (.estimationHelper, helper != nil && way != .command),
      (.estimationInterval, interval != nil && way == .stereo),
    ]
    if let surplus = parameters.first(where: { $0.isSurplus })?.parameter {
      throw CinematicError(
        .invalidParameter,
        worded: "\(parameter: surplus) says nothing for disparity by \(way.rawValue)",
        remedy: "leave it out, or choose another way with \(parameter: .estimationWay)")
    }
    let every = "every \(interval.map { "\($0)" } ?? "-")"
    switch way {
    case .stereo:
      provider = StereoProvider()
      signature = ["stereo", "\(exchanged)"]
      switch eyes {
      case .one: break
      case .file(let path): signature.append(path)
      case .layout(let layout): signature.append(layout.rawValue)
      }
      return
    case .command:
      guard let helper else {
        throw CinematicError(
          .invalidParameter,
          worded: """
            \(parameter: .estimationWay, to: "command") needs the program that makes the maps
            """,
          remedy: "give it with \(parameter: .estimationHelper)")
      }
      provider = HelperProvider(command: helper, timeLimit: timeLimit)
      signature = ["command", helper, every] + EstimatedMaps.files(of: helper)
      return
    case .auto, .model, .people: break
    }
    let (found, output) = try await Self.model(
      model, for: way, of: input, to: note, holdsMap: holdsMap)
    signature = [way.rawValue, every, found.path, ModelDescription.path(for: found.path)]
    if output == .people {
      let provider = try PeopleProvider(found.path, library: found.library)
      found.tell(provider.description, to: note)
      self.provider = provider
    } else {
      let provider = try ModelProvider(found.path, library: found.library)
      found.tell(provider.description, to: note)
      self.provider = provider
    }
  }

  /// The model to use, and what it gives: of depth, or else of people.
  private static func model(
    _ given: String?, for way: Estimation.Way, of input: String, to note: Notes,
    holdsMap: () async -> Bool?
  ) async throws(CinematicError) -> (FoundModel, ModelDescription.Output) {
    let depth = ModelDescription.depth
    let outputs: Set<ModelDescription.Output> =
      way == .model ? depth : way == .people ? [.people] : depth.union([.people])
    // One of depth is preferred, wherever it lies.
    let path =
      given == nil && way == .auto ? ModelSearch().usableModel(giving: depth, to: note) : given
    let found: FoundModel
    do throws(CinematicError) {
      found = try FoundModel(path, giving: outputs, to: note)
    } catch {
      guard error.code == .incomplete else { throw error }
      let known: CinematicError.Wording = error.structuredRemedy.map { "\($0); " } ?? ""
      let name = PipePath.inputName(input)
      let isThere = await holdsMap()
      let subject =
        way == .auto ? "the disparity of \(name)" : "disparity by \(way.rawValue)"
      let message =
        way == .auto && isThere == false
        ? "\(name) holds no disparity map, and none can be estimated"
        : "\(subject) cannot be estimated"
      if isThere == true {
        throw CinematicError(
          .incomplete, "\(message): \(error.message)",
          remedy: "\(known)or leave out \(parameter: .estimationWay): \(name) holds a map")
      }
      throw CinematicError(
        .incomplete, "\(message): \(error.message)",
        remedy: """
          \(known)or do without: \(parameter: .givenMap) takes a map, \(parameter: .otherEye) the \
          other eye's pictures, \(parameter: .stereoLayout) both in one picture, \
          \(parameter: .estimationHelper) a program of yours
          """)
    }
    return (found, try ModelDescription(ofModel: found.path).output)
  }

  private static var needsEyes: CinematicError {
    CinematicError(
      .invalidParameter, "disparity by stereo needs a second eye's pictures",
      remedy: "give them with \(parameter: .otherEye)")
  }
}
