// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalScript

/// Steps of editing with undo and redo, without an end: a value.
///
/// Equal parts of states are shared, so that a step costs what it changes.
public struct EditDocument: Equatable, Sendable {
  /// Every state that can be reached by undo and redo.
  public private(set) var states: [EditState]
  /// Where the present state stands among them.
  public private(set) var position: Int
  /// The state that the changes file holds; the first state where there is none.
  public private(set) var saved: EditState
  /// The movement of a slider or of a pointer that made the present state.
  private var gesture: String?

  /// - Parameter state: what is in the changes file, or as recorded.
  public init(_ state: EditState) {
    states = [state]
    position = 0
    saved = state
  }

  /// The present state.
  public var current: EditState { states[position] }
  public var canUndo: Bool { position > 0 }
  public var canRedo: Bool { position + 1 < states.count }
  /// Whether the changes differ from those in the file.
  public var hasUnsavedEdits: Bool {
    current.script !== saved.script && current.changes != saved.changes
  }

  /// Takes a step; what was undone before is dropped.
  ///
  /// - Parameter gesture: a name of the movement that the step is part of. Steps of one gesture are undone
  ///   together.
  /// - Returns: whether the step joined the one before it.
  /// - Throws: as ``EditState/after(_:)``; nothing is changed then.
  @discardableResult
  public mutating func perform(
    _ edit: Edit, gesture: String? = nil
  ) throws(CinematicError) -> Bool {
    let next = try current.after(edit)
    let joins = gesture != nil && gesture == self.gesture && canUndo && !canRedo
    record(next, joins: joins)
    self.gesture = gesture
    return joins
  }

  /// Puts a state behind the present one, or in its place.
  mutating func record(_ state: EditState, joins: Bool) {
    states.removeSubrange((position + 1)...)
    if joins { states[position] = state } else { states.append(state) }
    position = states.count - 1
    gesture = nil
  }

  /// Drops every state for another one, which the changes file held then.
  mutating func begin(with state: EditState) { self = EditDocument(state) }

  /// Takes a step to a state; what was undone before is dropped.
  ///
  /// - Parameter state: of the same recording.
  public mutating func take(_ state: EditState) { record(state, joins: false) }

  /// Puts a state before the present one, which it comes after as well: undo leads to it, and from there to where the
  /// present one stands now. What redo leads to stays.
  ///
  /// - Parameter state: of the same recording.
  public mutating func putBefore(_ state: EditState) {
    states.insert(contentsOf: [current, state], at: position)
    position += 2
    gesture = nil
  }

  /// - Returns: whether there was something to undo.
  @discardableResult
  public mutating func undo() -> Bool {
    guard canUndo else { return false }
    position -= 1
    gesture = nil
    return true
  }

  /// - Returns: whether there was something to redo.
  @discardableResult
  public mutating func redo() -> Bool {
    guard canRedo else { return false }
    position += 1
    gesture = nil
    return true
  }

  /// A state is in the file now.
  ///
  /// - Parameter state: by default the present one.
  public mutating func markSaved(_ state: EditState? = nil) {
    saved = state ?? current
    gesture = nil
  }

  public static func == (a: EditDocument, b: EditDocument) -> Bool {
    a.states == b.states && a.position == b.position && a.saved == b.saved
  }
}
