// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalEditing
import FocalMedia

/// Texts of the libraries and of commands in the words of a page: it has controls, and no options of a shell.
struct PageWords: Sendable {
  /// The control that lets a result take the place of a file.
  static let replacing = "\"Replace a file of this name\""

  /// As ``Editor/Settings/parameterName``.
  let name: @Sendable (CinematicError.Parameter) -> String

  /// What a page calls a parameter; `nil` for one that neither a control of it sets nor an option of the editor.
  private func control(_ parameter: CinematicError.Parameter) -> String? {
    switch parameter {
    case .overwrite: Self.replacing
    case .changes, .folders, .journalPath, .port: name(parameter)
    default: nil
    }
  }

  func message(of error: CinematicError) -> String { error.message(naming: name) }

  /// What a page can do; `nil` where the remedy is none of its controls.
  func remedy(of error: CinematicError) -> String? {
    var isPossible = true
    let remedy = error.remedy { parameter in
      if let control = control(parameter) { return control }
      isPossible = false
      return ""
    }
    return isPossible ? remedy : nil
  }

  /// The message, then the remedy.
  func text(of error: CinematicError) -> String {
    ([message(of: error)] + [remedy(of: error)].compactMap { $0 }).joined(separator: "; ")
  }

  /// What a command said. Of what would help, the parts are left out that name options of which a page has no control.
  func said(_ text: String) -> String {
    let parts = text.replacing(name(.overwrite), with: Self.replacing).split(separator: "; ")
    let helpful = parts.dropFirst().filter { !$0.contains(/(?:^|\s)--[a-z]/) }
    return (parts.prefix(1) + helpful).joined(separator: "; ")
  }
}
