import Foundation

/// A sender of messages to people. The store decides what is sent and how often it is tried.
public protocol MessageSender: Sendable {
  /// Whether the gateway is idempotent: after a delivered first try, a second try with the same id delivers nothing.
  /// When false, a code is sent again only when it was certainly not accepted: a missing code costs the person a
  /// press on “Send a new code”, an extra message costs money.
  var recognisesRepeats: Bool { get }

  /// Whether the gateway delivers any text. When false it delivers codes alone, in words of its own.
  var takesText: Bool { get }

  /// Returns once the message was accepted for sending; throws a ``MessageFailure`` when it was not.
  func send(_ message: OutgoingMessage) async throws

  /// Checks whether messages would be accepted, without sending one; throws the reason when they would not.
  func check() async throws
}

extension MessageSender {
  /// The default: repeats are recognised.
  public var recognisesRepeats: Bool { true }
  /// The default: any text.
  public var takesText: Bool { true }
  /// The default: no check, for a sender without a connection to the outside.
  public func check() async throws {}
}

/// Why a message was not sent. The texts hold no part of the message, so that they may be logged.
public enum MessageFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// It was certainly not accepted; a later try may be.
  case notAccepted(String)
  /// It was refused for good.
  case refused(String)
  /// It may have been accepted: there was no answer.
  case unclear(String)

  /// The expected and the actual result.
  public var description: String {
    switch self {
    case .notAccepted(let text), .refused(let text), .unclear(let text): text
    }
  }
}

/// A message to a person, such as one with a one-time code. Printing one shows nothing of it.
public struct OutgoingMessage: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The message's id, the same in each try: a gateway uses it to tell a second try from a second message.
  public let id: String
  /// The receiver.
  public let to: Contact
  /// The code in it; empty in a message without one.
  public let code: String
  /// The subject of an e-mail.
  public let subject: String
  /// The whole text, in the person's language.
  public let text: String

  package init(id: String, to: Contact, code: String, subject: String, text: String) {
    self.id = id
    self.to = to
    self.code = code
    self.subject = subject
    self.text = text
  }

  /// Nothing of the message.
  public var description: String { "message \(id)" }
  /// Nothing of the message.
  public var debugDescription: String { description }
  /// Nothing of the message.
  public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}

/// Writes messages to standard output, for development: `onside code for +31612345689 : 123456`, one line for each
/// code; of a mail its subject and, indented, its text; of another message to a phone its text.
///
/// It is the one place where a number and a code are readable, and it says so in its name and in the documentation.
public struct ConsoleMessageSender: MessageSender {
  private let write: @Sendable (String) throws -> Void

  /// A sender that writes lines with `write`, to standard output by default.
  public init(write: @escaping @Sendable (String) throws -> Void = { try LineOutput.standardOutput.write($0) }) {
    self.write = write
  }

  /// Writes the message; one that cannot be written was not accepted.
  public func send(_ message: OutgoingMessage) async throws {
    do {
      try write(Self.lines(of: message) + "\n")
    } catch {
      throw MessageFailure.notAccepted("expected standard output to take a line, but: \(error.localizedDescription)")
    }
  }

  private static func lines(of message: OutgoingMessage) -> String {
    let to = message.to.text
    if !message.code.isEmpty { return "onside code for \(to) : \(message.code)" }
    guard message.to.isEmail else { return "onside text for \(to) : \(message.text)" }
    let text = message.text.split(separator: "\n", omittingEmptySubsequences: false).map { "\n  \($0)" }.joined()
    return "onside mail for \(to) : \(message.subject)" + text
  }
}
