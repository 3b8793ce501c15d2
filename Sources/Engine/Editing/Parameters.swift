// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// What remedies of journals point at.
extension CinematicError.Parameter {
  /// The place of a journal, which is that of its changes file.
  public static let journalPath = Self(rawValue: "EditJournal.init(path:)")
}
