package import StoreBase

/// The senders of a store, by what they reach. Without one that way to log in is not offered.
public struct MessageSenders: Sendable {
  /// Reaches phones.
  public var phone: (any MessageSender)?
  /// Reaches mailboxes.
  public var email: (any MessageSender)?

  /// Senders.
  public init(phone: (any MessageSender)?, email: (any MessageSender)? = nil) {
    self.phone = phone
    self.email = email
  }

  /// The senders of a configuration; nil for one without its required values.
  ///
  /// - Parameter replacement: delivers in place of each of them.
  package init(
    _ messages: MessageConfiguration, _ mail: MailConfiguration, clock: any StoreClock,
    replacement: (any MessageSender)? = nil
  ) {
    phone =
      switch messages.sender {
      case .console: ConsoleMessageSender()
      case .http:
        messages.url.map { PatientMessageSender(HTTPMessageSender(configuration: messages, url: $0), clock: clock) }
      case .kannel:
        messages.url.map { PatientMessageSender(KannelMessageSender(configuration: messages, url: $0), clock: clock) }
      case .none: nil
      }
    email =
      switch mail.sender {
      case .none: nil
      case .console: ConsoleMessageSender()
      case .smtp: PatientMessageSender(SMTPMessageSender(configuration: mail, clock: clock), clock: clock)
      }
    guard let replacement else { return }
    phone = phone.map { _ in replacement }
    email = email.map { _ in replacement }
  }

  /// The same senders, whose tries are recorded.
  package func traced(by tracer: StoreTracer?) -> MessageSenders {
    guard let tracer else { return self }
    func traced(_ sender: any MessageSender, _ system: String) -> any MessageSender {
      TracedMessageSender(base: sender, call: TracedCall(tracer: tracer, system: system))
    }
    return MessageSenders(
      phone: phone.map { traced($0, "message gateway") }, email: email.map { traced($0, "mail server") })
  }

  subscript(contact: Contact) -> (any MessageSender)? {
    switch contact {
    case .phone: phone
    case .email: email
    }
  }
}
