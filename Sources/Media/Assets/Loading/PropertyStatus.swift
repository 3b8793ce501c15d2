// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// How far a property has been loaded.
public enum PropertyStatus<Value: Sendable>: Sendable {
  case notYetLoaded
  case loading
  case loaded(Value)
  case failed(CinematicError)

  /// The value, once it is there.
  public var value: Value? {
    if case .loaded(let value) = self { value } else { nil }
  }
}

extension SharedLoad {
  var status: PropertyStatus<Value> {
    let progress = progress
    return switch progress.outcome {
    case .success(let value): .loaded(value)
    case _ where progress.isLoading: .loading
    case .failure(let error): .failed(error)
    case nil: .notYetLoaded
    }
  }
}
