/// The ways to log in that a store offers: those for which it has a sender.
struct LoginMethods: OptionSet, Sendable {
  let rawValue: Int

  static let phone = LoginMethods(rawValue: 1)
  static let email = LoginMethods(rawValue: 2)

  init(rawValue: Int) { self.rawValue = rawValue }

  init(_ senders: MessageSenders) {
    self = []
    if senders.phone != nil { insert(.phone) }
    if senders.email != nil { insert(.email) }
  }
}
