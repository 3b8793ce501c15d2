// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalEyes

/// Masks by a model of the caller's that tells people, or any subject, from what is behind: described as one of
/// ``FocalEyes/ModelDescription/Output/people``.
public final class ModelMaskProvider: SubjectMaskProvider {
  private let provider: PeopleProvider

  /// The model's file.
  public var path: String { provider.path }
  public var description: ModelDescription { provider.description }

  /// - Throws: as ``FocalEyes/PeopleProvider/init(_:library:threads:)``.
  public init(_ path: String, library: RuntimeLibrary) throws(CinematicError) {
    provider = try PeopleProvider(path, library: library)
  }

  public func mask(
    of picture: PixelBuffer, turn: QuarterTurn
  ) async throws(CinematicError) -> PixelBuffer {
    try provider.shares(of: picture, turn: turn)
  }
}
