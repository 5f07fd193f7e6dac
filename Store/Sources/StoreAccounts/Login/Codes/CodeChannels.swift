/// The channels that login codes are sent through: those for which the store has a sender.
package struct CodeChannels: OptionSet, Sendable {
  package let rawValue: Int

  static let phone = CodeChannels(rawValue: 1)
  static let email = CodeChannels(rawValue: 2)

  package init(rawValue: Int) { self.rawValue = rawValue }

  package init(_ senders: MessageSenders) {
    self = []
    if senders.phone != nil { insert(.phone) }
    if senders.email != nil { insert(.email) }
  }
}
