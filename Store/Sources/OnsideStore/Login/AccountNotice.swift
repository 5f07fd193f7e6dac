import Foundation
import Logging
import OnsideAPI
import OnsideCommerce

/// A message about the safety of an account, to one of its own numbers or addresses.
struct AccountNotice: Sendable {
  /// The kind of its outbox rows.
  static let kind = "account.notice"

  /// The subject of a notice.
  enum Subject: String, Codable, Sendable {
    /// Ten wrong codes in a row.
    case wrongCodes

    fileprivate var texts: (subject: TextKey, text: TextKey) {
      switch self {
      case .wrongCodes: (.guessSubject, .guessText)
      }
    }
  }

  /// The payload of an outbox row.
  private struct Row: Codable {
    let subject: Subject
    let account: String
    let contact: String
    let language: String
    /// The message's id, the same in each try.
    let id: String
  }

  let dependencies: StoreDependencies

  /// Queues a notice for the owner of a number or address that a login has named: to the e-mail address that was
  /// proved last, else to the phone. Does nothing without an account.
  static func queueWrongCodes(of attempt: LoginAttempt, in transaction: StoreTransaction) throws {
    guard let identity = attempt.identity,
      let account = try AccountRecords.account(identity: identity, in: transaction), !account.isRemoved,
      let contact = account.contacts.last(where: \.isEmail) ?? account.contacts.last
    else { return }
    try queue(.wrongCodes, of: account, to: contact, language: attempt.language, login: attempt.id, in: transaction)
  }

  private static func queue(
    _ subject: Subject, of account: Account, to contact: Contact, language: Language, login: String,
    in transaction: StoreTransaction
  ) throws {
    let row = Row(
      subject: subject, account: account.id.description, contact: contact.text, language: language.rawValue,
      id: "notice-" + "\(subject.rawValue) \(login) \(contact.text)".sha256Base64URL)
    try OutboxRecords().add(kind, payload: try OutboxPayload.text(row), due: transaction.now, in: transaction)
  }

  /// Sends a notice. The outbox may call it repeatedly.
  func send(_ payload: String) async throws {
    let row: Row = try OutboxPayload.value(payload)
    let account = try await dependencies.database.read { connection in
      try AccountID(row.account).flatMap { try AccountRecords.account(id: $0, in: connection) }
    }
    guard let account, !account.isRemoved, let contact = account.contacts.first(where: { $0.text == row.contact }),
      let sender = sender(to: contact)
    else { return }
    let texts = Texts(Language(rawValue: row.language) ?? .english)
    let values = ["store": dependencies.configuration.name]
    let message = OutgoingMessage(
      id: row.id, to: contact, code: "", subject: texts(row.subject.texts.subject, values),
      text: texts(row.subject.texts.text, values))
    do {
      try await sender.send(message)
    } catch MessageFailure.refused(let reason) {
      dependencies.logger.warning("a notice was rejected", metadata: ["reason": "\(reason)"])
    } catch MessageFailure.unclear(let reason) where !sender.recognisesRepeats {
      dependencies.logger.warning("a notice is not sent again", metadata: ["reason": "\(reason)"])
    }
  }

  private func sender(to contact: Contact) -> (any MessageSender)? {
    if contact.isEmail { return dependencies.senders.email }
    return dependencies.senders.phone.flatMap { $0.takesText ? $0 : nil }
  }
}
