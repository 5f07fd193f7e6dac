import Foundation

/// Sends a short message to a phone. The store decides what is sent and how often it is tried.
public protocol MessageSender: Sendable {
  /// Returns once the message was accepted for sending; throws when it was not, and it will be tried again with the
  /// same id.
  func send(_ message: OutgoingMessage) async throws
}

/// A message with a one-time code. Printing one shows nothing of it.
public struct OutgoingMessage: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The same in each try, so that a gateway can tell a second try from a second message.
  public let id: String
  /// Where it goes.
  public let phone: PhoneNumber
  /// The code in it.
  public let code: String
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
  private let write: @Sendable (String) -> Void

  /// A sender that writes lines with `write`; standard output unless told otherwise.
  public init(write: @escaping @Sendable (String) -> Void = ConsoleMessageSender.standardOutput) {
    self.write = write
  }

  /// Writes the line.
  public func send(_ message: OutgoingMessage) async throws {
    write("onside code for \(message.phone.e164) : \(message.code)\n")
  }

  /// Writes to standard output at once, without a buffer between.
  public static let standardOutput: @Sendable (String) -> Void = { FileHandle.standardOutput.write(Data($0.utf8)) }
}
