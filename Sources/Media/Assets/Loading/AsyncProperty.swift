// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Synchronization

/// A property that is loaded when it is asked for: `.duration` of an ``Asset``, say.
public struct AsyncProperty<Root: AsyncPropertyLoading, Value: Sendable>: Sendable {
  /// The property's name; two properties of one root have different names.
  public let name: String
  let load: @Sendable (Root) async throws(CinematicError) -> Value

  init(
    _ name: String, _ load: @escaping @Sendable (Root) async throws(CinematicError) -> Value
  ) {
    self.name = name
    self.load = load
  }
}

/// An object whose properties load on demand.
///
/// Nothing is read before the first load. A loaded value is kept: loading it again, from any number
/// of tasks, reads nothing. After a failure the next load tries again: a connection may be back.
public protocol AsyncPropertyLoading: AnyObject, Sendable {
  /// The loaded values.
  var loadedProperties: PropertyStore { get }
}

extension AsyncPropertyLoading {
  /// Loads a property and waits for its value.
  ///
  /// ```swift
  /// let duration = try await asset.load(.duration)
  /// ```
  ///
  /// - Throws: the error of a property that cannot be loaded; `cancelled` where the calling task is
  ///   cancelled, which disturbs no other task's load.
  public func load<Value: Sendable>(
    _ property: AsyncProperty<Self, Value>
  ) async throws(CinematicError) -> Value {
    try await loadedProperties.value(of: property, root: self)
  }

  /// Loads several properties and waits for their values.
  ///
  /// ```swift
  /// let (tracks, metadata) = try await asset.load(.tracks, .metadata)
  /// ```
  ///
  /// - Throws: as for one property, the first error.
  public func load<First: Sendable, Second: Sendable, each Other: Sendable>(
    _ first: AsyncProperty<Self, First>, _ second: AsyncProperty<Self, Second>,
    _ other: repeat AsyncProperty<Self, each Other>
  ) async throws(CinematicError) -> (First, Second, repeat each Other) {
    (
      try await loadedProperties.value(of: first, root: self),
      try await loadedProperties.value(of: second, root: self),
      repeat try await loadedProperties.value(of: each other, root: self)
    )
  }

  /// How far a property has been loaded; never waits. Behind a failure it is
  /// ``PropertyStatus/failed(_:)`` until the next load begins.
  public func status<Value: Sendable>(of property: AsyncProperty<Self, Value>) -> PropertyStatus<
    Value
  > {
    loadedProperties.load(of: property).status
  }
}

/// The loaded properties of one root.
public final class PropertyStore: Sendable {
  private let loads = Mutex<[String: any Sendable]>([:])

  init() {}

  func load<Root, Value>(of property: AsyncProperty<Root, Value>) -> SharedLoad<Value> {
    loads.withLock { loads in
      if let load = loads[property.name] as? SharedLoad<Value> { return load }
      let load = SharedLoad<Value>()
      loads[property.name] = load
      return load
    }
  }

  func value<Root, Value>(
    of property: AsyncProperty<Root, Value>, root: Root
  ) async throws(CinematicError) -> Value {
    // The load keeps the root alive, not the other way round: a finished load holds its value only.
    try await load(of: property).value { () async throws(CinematicError) -> Value in
      try await property.load(root)
    }
  }
}
