import Foundation
import OnsideCommerce
import StoreBase

extension CodeLimits {
  /// The reached limit with the longest wait; nil when a code may be sent now.
  ///
  /// - Parameter isRecognized: whether the browser is recognized for the contact.
  func reached(
    contact: Contact, source: CodeSource, isRecognized: Bool, in transaction: StoreTransaction
  ) throws -> CodeLimitReached? {
    var windows = [
      Window(.number, group: .unused(contact), maximum: perNumber),
      Window(.numberDaily, group: .contact(contact), maximum: perNumberDaily, seconds: Self.day),
      Window(.range, group: .range(contact.range), maximum: perRange),
      Window(.device, group: .device(source.device), maximum: perDevice),
      Window(.network, group: .network(source.network), maximum: perNetwork),
    ]
    if !isRecognized {
      windows.append(Window(.unrecognized, group: .kind(of: contact), maximum: unrecognized))
      if let country = contact.codeCountry {
        windows.append(Window(.country, group: .country(country), maximum: perCountry))
      }
    }
    // Text messages and e-mails differ in cost: each kind has a total of its own.
    let total = Window(.total, group: .kind(of: contact), maximum: total)
    let failures = CodeFailures(contact: contact.text, recognized: isRecognized ? source.device : nil)
    let reached =
      try [
        resendWait(contact: contact, isRecognized: isRecognized, in: transaction)
          .map { CodeLimitReached(limit: .delay, wait: $0) },
        failures.limit(self, in: transaction), total.reached(isRecognized: nil, in: transaction),
      ] + windows.map { try $0.reached(isRecognized: isRecognized, in: transaction) }
    return reached.compactMap(\.self).max { $0.wait < $1.wait }
  }

  /// Seconds until the same number may get another code; nil when it may now. A code that was entered does not count,
  /// so that a person who logs out may log in again at once.
  func resendWait(contact: Contact, isRecognized: Bool, in transaction: StoreTransaction) throws -> TimeInterval? {
    let sent = try CodeRecords.unused(
      contact, isRecognized: isRecognized, since: transaction.now - Self.hour, in: transaction)
    guard let last = sent.first else { return nil }
    let delay = resendDelay * Double(1 << min(sent.count - 1, 5))
    let wait = last.addingTimeInterval(delay).timeIntervalSince(transaction.now)
    return wait > 0 ? wait : nil
  }

  /// A rate limit: at most `maximum` codes of a group in `seconds`.
  private struct Window {
    let limit: CodeLimitReached.Limit
    let group: CodeRecords.Group
    let maximum: Int
    let seconds: TimeInterval

    init(
      _ limit: CodeLimitReached.Limit, group: CodeRecords.Group, maximum: Int, seconds: TimeInterval = CodeLimits.hour
    ) {
      (self.limit, self.group, self.maximum, self.seconds) = (limit, group, maximum, seconds)
    }

    /// The limit with the wait, when the window is full. It is full when it has a `maximum`th newest code, until that
    /// code leaves it.
    ///
    /// - Parameter isRecognized: counts the codes of recognized or of unrecognized browsers only; nil counts all.
    func reached(isRecognized: Bool?, in transaction: StoreTransaction) throws -> CodeLimitReached? {
      let oldest = try CodeRecords.newest(
        maximum, of: group, isRecognized: isRecognized, since: transaction.now - seconds, in: transaction)
      guard let oldest else { return nil }
      return CodeLimitReached(limit: limit, wait: oldest.addingTimeInterval(seconds).timeIntervalSince(transaction.now))
    }
  }
}
