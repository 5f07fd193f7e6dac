import Foundation

extension CodeLimits {
  /// The reached limit with the longest wait; nil when a code may be sent now.
  func check(contact: Contact, source: CodeSource, in transaction: StoreTransaction) throws -> CodeLimitReached? {
    let windows = [
      Window(.number, group: .unused(contact), maximum: perNumber, seconds: Self.hour),
      Window(.numberDaily, group: .contact(contact), maximum: perNumberDaily, seconds: Self.day),
      Window(.range, group: .range(contact.range), maximum: perRange, seconds: Self.hour),
      Window(.device, group: .device(source.device), maximum: perDevice, seconds: Self.hour),
      Window(.network, group: .network(source.network), maximum: perNetwork, seconds: Self.hour),
      // Text messages and e-mails differ in cost: each kind has a total of its own.
      Window(.total, group: .kind(of: contact), maximum: total, seconds: Self.hour),
    ]
    let reached =
      try [
        resendWait(contact: contact, in: transaction).map { CodeLimitReached(limit: .delay, wait: $0) },
        failures(contact: contact.text, in: transaction),
      ] + windows.map { try $0.reached(in: transaction) }
    return reached.compactMap(\.self).max { $0.wait < $1.wait }
  }

  /// Seconds until the same number may get another code; nil when it may now. A code that was entered does not count,
  /// so that a person who logs out may log in again at once.
  func resendWait(contact: Contact, in transaction: StoreTransaction) throws -> TimeInterval? {
    let sent = try CodeRecords.unused(contact, since: transaction.now - Self.hour, in: transaction)
    guard let last = sent.first else { return nil }
    let delay = resendDelay * Double(1 << min(sent.count - 1, 5))
    let wait = last.addingTimeInterval(delay).timeIntervalSince(transaction.now)
    return wait > 0 ? wait : nil
  }

  /// How long a code's wrong tries count: from its sending until an hour after its end, so that each try counts for an
  /// hour or more.
  static let failureWindow = hour + CodeRecords.lifetime

  /// The limit of wrong codes for a number, with the wait; nil when it is not reached.
  func failures(contact: String, in transaction: StoreTransaction) throws -> CodeLimitReached? {
    let window = Self.failureWindow
    let codes = try CodeRecords.failures(contact: contact, since: transaction.now - window, in: transaction)
    var excess = codes.reduce(0) { $0 + $1.failures } - failures
    guard excess >= 0 else { return nil }
    var wait: TimeInterval = 0
    for code in codes where excess >= 0 {
      excess -= code.failures
      wait = code.sentAt.addingTimeInterval(window).timeIntervalSince(transaction.now)
    }
    return CodeLimitReached(limit: .failures, wait: wait)
  }

  /// A rate limit: at most `maximum` codes of a group in `seconds`.
  private struct Window {
    let limit: CodeLimitReached.Limit
    let group: CodeRecords.Group
    let maximum: Int
    let seconds: TimeInterval

    init(_ limit: CodeLimitReached.Limit, group: CodeRecords.Group, maximum: Int, seconds: TimeInterval) {
      (self.limit, self.group, self.maximum, self.seconds) = (limit, group, maximum, seconds)
    }

    /// The limit with the wait, when the window is full. It is full when it has a `maximum`th newest code, until that
    /// code leaves it.
    func reached(in transaction: StoreTransaction) throws -> CodeLimitReached? {
      let oldest = try CodeRecords.newest(maximum, of: group, since: transaction.now - seconds, in: transaction)
      guard let oldest else { return nil }
      return CodeLimitReached(limit: limit, wait: oldest.addingTimeInterval(seconds).timeIntervalSince(transaction.now))
    }
  }
}
