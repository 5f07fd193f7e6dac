import Foundation
import Logging
import OnsideAPI
import OnsideCommerce
package import StoreBase
package import StoreWeb

/// A message about the safety of an account, to one of its own numbers or addresses.
package struct AccountNotice: Sendable {
  /// The kind of its outbox rows.
  package static let kind = "account.notice"

  /// The subject of a notice.
  package enum Subject: String, Codable, Sendable {
    /// A streak of wrong codes has reached ``CodeLimits/failures``.
    case wrongCodes
    /// A login method was added to the account.
    case loginAdded
    /// A login method was removed from the account.
    case loginRemoved

    fileprivate var texts: (subject: TextKey, text: TextKey) {
      switch self {
      case .wrongCodes: (.guessSubject, .guessText)
      case .loginAdded: (.loginAddedSubject, .loginAddedText)
      case .loginRemoved: (.loginRemovedSubject, .loginRemovedText)
      }
    }
  }

  /// Seconds after which a notice is not sent any more.
  private static let lifetime: TimeInterval = 86_400

  /// The payload of an outbox row.
  private struct Row: Codable {
    let subject: Subject
    /// The receiver; of wrong codes the number or address for which they were entered, with or without an account.
    let contact: String
    /// The language of the account's owner; nil where the row's writer does not know it.
    var language: String?
    /// The masked login method.
    var login: String?
    /// The id of the message, the same in each try.
    let id: String
    let queuedAt: Date
  }

  package let dependencies: BaseDependencies
  package let senders: MessageSenders
  package let storeName: String

  package init(dependencies: BaseDependencies, senders: MessageSenders, storeName: String) {
    self.dependencies = dependencies
    self.senders = senders
    self.storeName = storeName
  }

  /// Queues a notice of wrong codes for a number or address. It reads no account, so that its time reveals none.
  static func queueWrongCodes(for attempt: LoginAttempt, in transaction: StoreTransaction) throws {
    guard let contact = attempt.contact else { return }
    try queue(
      Row(
        subject: .wrongCodes, contact: contact.text, id: id("\(attempt.id) \(contact.text)"),
        queuedAt: transaction.now), in: transaction)
  }

  /// Queues notices that a login method was added or removed, to the numbers and addresses that an account had before.
  ///
  /// - Parameters:
  ///   - language: that of the browser, for an account without recognized browsers.
  ///   - event: an id of the change.
  package static func queue(
    _ subject: Subject, about proved: ProvedIdentity, to account: Account, language: Language, event: String,
    in transaction: StoreTransaction
  ) throws {
    let language = try RecognizedBrowserRecords.language(of: account.id, in: transaction) ?? language
    for contact in account.contacts {
      let row = Row(
        subject: subject, contact: contact.text, language: language.rawValue, login: proved.masked,
        id: id("\(event) \(contact.text)"), queuedAt: transaction.now)
      try queue(row, in: transaction)
    }
  }

  private static func queue(_ row: Row, in transaction: StoreTransaction) throws {
    try OutboxRecords().add(kind, payload: try OutboxPayload.text(row), due: transaction.now, in: transaction)
  }

  private static func id(_ event: String) -> String { "notice-" + event.sha256Base64URL }

  /// Sends a notice. The outbox may call it repeatedly.
  package func send(_ payload: String) async throws {
    let row: Row = try OutboxPayload.value(payload)
    guard row.queuedAt + Self.lifetime > dependencies.clock.now(),
      let (contact, sender, language) = try await target(row)
    else { return }
    let texts = Texts(language ?? .english)
    let values = ["store": storeName, "login": row.login ?? ""]
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

  /// The receiver of a notice, with its sender and language; nil if there is no account, or no sender.
  private func target(_ row: Row) async throws -> (Contact, any MessageSender, Language?)? {
    guard let contact = Contact(stored: row.contact) else { return nil }
    guard row.subject == .wrongCodes else {
      return sender(to: contact).map { (contact, $0, row.language.flatMap(Language.init(rawValue:))) }
    }
    let found = try await dependencies.database.read { connection -> (Account, Language?)? in
      guard let account = try AccountRecords.account(identity: .contact(contact), in: connection) else { return nil }
      return (account, try RecognizedBrowserRecords.language(of: account.id, in: connection))
    }
    guard let (account, language) = found else { return nil }
    // E-mail costs nothing, so it comes first; the contact that was proved last is the likeliest to be read.
    for contact in account.contacts.filter(\.isEmail).reversed() + account.contacts.filter({ !$0.isEmail }).reversed() {
      if let sender = sender(to: contact) { return (contact, sender, language) }
    }
    dependencies.logger.warning("a notice is not sent: the store has no sender for the account's contacts")
    return nil
  }

  private func sender(to contact: Contact) -> (any MessageSender)? {
    if contact.isEmail { return senders.email }
    return senders.phone.flatMap { $0.takesText ? $0 : nil }
  }
}
