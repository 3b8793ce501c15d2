// SPDX-License-Identifier: Apache-2.0

/// The error that every throwing call of the package throws.
///
/// `message` names the thing that failed (a file, a device, a parameter) and what is wrong with it;
/// `remedy` says what to do about it. Both are complete English clauses without a final full stop.
public struct CinematicError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure. The first eight values are those of Apple's Cinematic framework.
  public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number, which stays the same in later versions.
    public let rawValue: Int
    /// A code of a number; unknown ones are kept.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// A failure without a better name.
    public static let unknown = Code(rawValue: 1)
    /// A file or stream that cannot be opened or read.
    public static let unreadable = Code(rawValue: 2)
    /// A part that should be there is missing.
    public static let incomplete = Code(rawValue: 3)
    /// Data that breaks its own format.
    public static let malformed = Code(rawValue: 4)
    /// Valid input that this build or device cannot handle.
    public static let unsupported = Code(rawValue: 5)
    /// Two valid inputs that do not fit each other.
    public static let incompatible = Code(rawValue: 6)
    /// The caller cancelled the work.
    public static let cancelled = Code(rawValue: 7)
    /// A download that did not finish.
    public static let downloadFailed = Code(rawValue: 8)

    /// A parameter outside its documented range.
    public static let invalidParameter = Code(rawValue: 100)
    /// A file or stream that cannot be created or written.
    public static let unwritable = Code(rawValue: 101)
    /// Host or device memory that could not be had.
    public static let outOfMemory = Code(rawValue: 102)
    /// A device that is not there, or that stopped answering.
    public static let deviceLost = Code(rawValue: 103)
    /// A call that the object's state does not allow (writing to a finished movie, recording in a session that records
    /// already). Calls that are never right, such as committing twice, are preconditions.
    public static let invalidState = Code(rawValue: 104)
    /// The reader of a pipe is gone: no failure, the rest is not wanted.
    public static let pipeClosed = Code(rawValue: 105)

    public var description: String {
      switch self {
      case .unreadable: "unreadable"
      case .incomplete: "incomplete"
      case .malformed: "malformed"
      case .unsupported: "unsupported"
      case .incompatible: "incompatible"
      case .cancelled: "cancelled"
      case .downloadFailed: "downloadFailed"
      case .invalidParameter: "invalidParameter"
      case .unwritable: "unwritable"
      case .outOfMemory: "outOfMemory"
      case .deviceLost: "deviceLost"
      case .invalidState: "invalidState"
      case .pipeClosed: "pipeClosed"
      default: "unknown"
      }
    }
  }

  // One word, so that throwing calls return it in a register.
  private final class Storage: Sendable {
    let code: Code
    let message: Wording
    let remedy: Wording?

    init(_ code: Code, _ message: Wording, _ remedy: Wording?) {
      self.code = code
      self.message = message
      self.remedy = remedy
    }
  }

  private let storage: Storage

  /// The kind of error.
  public var code: Code { storage.code }
  /// The thing that failed, by name, and the reason, with the API's names of parameters. Programs word it with their own:
  /// ``message(naming:)``.
  public var message: String { structuredMessage.description }
  /// The remedy, with the API's names of parameters; `nil` where nothing can be done. Programs word it with their own:
  /// ``remedy(naming:)``.
  public var remedy: String? { structuredRemedy?.description }
  /// The message, with the parameters that it points at.
  package var structuredMessage: Wording { storage.message }
  /// The remedy, with the parameters that it points at.
  package var structuredRemedy: Wording? { storage.remedy }

  /// - Parameters:
  ///   - message: what is wrong, and with which thing.
  ///   - remedy: what the user can do about it; `nil` where nothing helps.
  public init(_ code: Code, _ message: String, remedy: Wording? = nil) {
    self.init(code, worded: Wording(stringLiteral: message), remedy: remedy)
  }

  /// An error whose message points at parameters.
  ///
  /// - Parameters:
  ///   - message: what is wrong, and with which thing.
  ///   - remedy: what the user can do about it; `nil` where nothing helps.
  public init(_ code: Code, worded message: Wording, remedy: Wording? = nil) {
    storage = Storage(code, message, remedy)
  }

  /// An error whose remedy is text that points at no parameter. Literals are of the other kind.
  ///
  /// - Parameters:
  ///   - message: what is wrong, and with which thing.
  ///   - remedy: what the user can do about it; `nil` where nothing helps.
  @_disfavoredOverload
  public init(_ code: Code, _ message: String, remedy: String?) {
    self.init(code, message, remedy: remedy.map { Wording(stringLiteral: $0) })
  }

  public static func == (a: CinematicError, b: CinematicError) -> Bool {
    a.code == b.code && a.message == b.message && a.remedy == b.remedy
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(code)
    hasher.combine(message)
    hasher.combine(remedy)
  }

  /// One line: the message, then the remedy.
  public var description: String { wording.description }
}
