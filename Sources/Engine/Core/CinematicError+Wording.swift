// SPDX-License-Identifier: Apache-2.0

extension CinematicError {
  /// A parameter of the API that a text points at.
  ///
  /// Each module declares its own ones in extensions. Programs that have other names for them, such as options, word
  /// texts with those: ``FocalCore/CinematicError/Wording/description(naming:)``.
  public struct Parameter: RawRepresentable, Hashable, Sendable {
    /// The name in the API, such as `ReadOptions.frames`, or what is written in a call, such as `overwrite: true`.
    public let rawValue: String
    /// A parameter by its name in the API, or what is written in a call; any text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The memory that inputs may take: ``FocalCore/MemoryBudget/byteCount``.
    public static let memoryLimit = Self(rawValue: "MemoryBudget.byteCount")
  }

  /// Text that points at parameters: messages, remedies and notes. String literals are such texts:
  ///
  /// ```swift
  /// remedy: "make it smaller, or raise the limit (\(parameter: .memoryLimit))"
  /// ```
  public struct Wording: Hashable, Sendable, ExpressibleByStringInterpolation,
    CustomStringConvertible
  {
    fileprivate enum Piece: Hashable, Sendable {
      case text(String)
      case parameter(Parameter, value: String?)
    }

    /// Takes the pieces of an interpolated string.
    public struct StringInterpolation: StringInterpolationProtocol {
      fileprivate var pieces: [Piece] = []

      /// Nothing yet; the numbers are hints that are not needed.
      public init(literalCapacity: Int, interpolationCount: Int) {}

      /// Text that is the same whatever parameters are called.
      public mutating func appendLiteral(_ literal: String) { append(.text(literal)) }

      /// A value in words, as strings have it.
      public mutating func appendInterpolation<Value>(_ value: Value) {
        append(.text("\(value)"))
      }

      /// Another text, with the parameters that it points at.
      public mutating func appendInterpolation(_ text: Wording) {
        for piece in text.pieces { append(piece) }
      }

      /// A parameter.
      ///
      /// - Parameter value: what it is to be set to, by a name that the API and programs share.
      public mutating func appendInterpolation(parameter: Parameter, to value: String? = nil) {
        append(.parameter(parameter, value: value))
      }

      // Texts side by side are one: what reads the same is the same, however its literal was cut.
      private mutating func append(_ piece: Piece) {
        guard case .text(let text) = piece else { return pieces.append(piece) }
        guard !text.isEmpty else { return }
        if case .text(let before)? = pieces.last {
          pieces[pieces.count - 1] = .text(before + text)
        } else {
          pieces.append(piece)
        }
      }
    }

    private let pieces: [Piece]

    /// Text that points at no parameter.
    public init(stringLiteral text: String) { pieces = text.isEmpty ? [] : [.text(text)] }

    /// The text and the parameters of an interpolated string.
    public init(stringInterpolation: StringInterpolation) { pieces = stringInterpolation.pieces }

    /// The words, with the API's names: `ReadOptions.missing = skip` for a parameter and its value.
    public var description: String {
      words { parameter, value in parameter.rawValue + (value.map { " = \($0)" } ?? "") }
    }

    /// The words, with a program's names: `--on-missing skip` for an option and its value.
    ///
    /// - Parameter name: what the program calls a parameter.
    public func description(naming name: (Parameter) -> String) -> String {
      words { parameter, value in name(parameter) + (value.map { " \($0)" } ?? "") }
    }

    private func words(_ word: (Parameter, String?) -> String) -> String {
      var words = ""
      for piece in pieces {
        switch piece {
        case .text(let text): words += text
        case .parameter(let parameter, let value): words += word(parameter, value)
        }
      }
      return words
    }
  }

  /// The message with a program's names of parameters.
  ///
  /// - Parameter name: what the program calls a parameter, such as `--frames`.
  public func message(naming name: (Parameter) -> String) -> String {
    structuredMessage.description(naming: name)
  }

  /// The remedy with a program's names of parameters; `nil` where nothing can be done.
  ///
  /// - Parameter name: what the program calls a parameter, such as `--frames`.
  public func remedy(naming name: (Parameter) -> String) -> String? {
    structuredRemedy?.description(naming: name)
  }

  /// One line with a program's names of parameters: the message, then the remedy.
  ///
  /// - Parameter name: what the program calls a parameter, such as `--frames`.
  public func description(naming name: (Parameter) -> String) -> String {
    wording.description(naming: name)
  }

  /// One line with the parameters that it points at: the message, then the remedy.
  package var wording: Wording {
    guard let remedy = structuredRemedy else { return structuredMessage }
    return "\(structuredMessage); \(remedy)"
  }

  /// An error with another message, and the same remedy.
  ///
  /// - Parameters:
  ///   - message: what is wrong, and with which thing.
  ///   - code: its kind; by default the same.
  public func replacing(message: String, code: Code? = nil) -> CinematicError {
    CinematicError(code ?? self.code, message, remedy: structuredRemedy)
  }
}

extension [CinematicError.Wording] {
  /// All of them in one, with the parameters that they point at.
  package func joined(separator: String) -> CinematicError.Wording {
    guard var text = first else { return "" }
    for next in dropFirst() { text = "\(text)\(separator)\(next)" }
    return text
  }
}
