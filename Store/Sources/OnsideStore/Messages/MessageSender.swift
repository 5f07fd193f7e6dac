import Foundation

/// Sends a message to a person. The store decides what is sent and how often it is tried.
public protocol MessageSender: Sendable {
  /// Whether a second try with the same id reaches nobody when the first one did. Without it a try is repeated only
  /// when the message was certainly not accepted: a code too few costs a press on “Send a new code”, a message too many
  /// costs money.
  var recognisesRepeats: Bool { get }

  /// Returns once the message was accepted for sending; throws a ``MessageFailure`` when it was not.
  func send(_ message: OutgoingMessage) async throws

  /// Looks whether messages would be accepted, without sending one; throws what stands against it.
  func check() async throws
}

extension MessageSender {
  /// A sender that says nothing about repeats knows them.
  public var recognisesRepeats: Bool { true }
  /// A sender that reaches nothing outside has nothing to look at.
  public func check() async throws {}
}

/// Why a message did not go out. The words hold nothing of the message: they may be logged.
public enum MessageFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// It was certainly not accepted; a later try may be.
  case notAccepted(String)
  /// It was refused for good.
  case refused(String)
  /// It may have been accepted: no answer came.
  case unclear(String)

  /// What was expected and what came.
  public var description: String {
    switch self {
    case .notAccepted(let text), .refused(let text), .unclear(let text): text
    }
  }
}

/// A message with a one-time code. Printing one shows nothing of it.
public struct OutgoingMessage: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The same in each try, so that a gateway can tell a second try from a second message.
  public let id: String
  /// Where it goes.
  public let to: Contact
  /// The code in it.
  public let code: String
  /// What an e-mail has as its subject.
  public let subject: String
  /// The whole text, in the person's language.
  public let text: String

  /// Nothing of the message.
  public var description: String { "message \(id)" }
  /// Nothing of the message.
  public var debugDescription: String { description }
  /// Nothing of the message.
  public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}

/// Writes codes to standard output, for development: `onside code for +31612345689 : 123456`, one line for each.
///
/// It is the one place where a number and a code are readable, and it says so in its name and in the documentation.
public struct ConsoleMessageSender: MessageSender {
  private let write: @Sendable (String) throws -> Void

  /// A sender that writes lines with `write`; standard output unless told otherwise.
  public init(write: @escaping @Sendable (String) throws -> Void = { try LineOutput.standardOutput.write($0) }) {
    self.write = write
  }

  /// Writes the line; one that cannot be written was not accepted.
  public func send(_ message: OutgoingMessage) async throws {
    do {
      try write("onside code for \(message.to.text) : \(message.code)\n")
    } catch {
      throw MessageFailure.notAccepted("expected standard output to take a line, but: \(error.localizedDescription)")
    }
  }
}
