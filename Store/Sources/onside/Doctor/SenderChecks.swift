import OnsideStore
import StoreAccounts
import StoreBase

/// Doctor's checks of the code senders: whether codes could be sent now. Nothing is sent.
struct SenderChecks {
  let configuration: ServeConfiguration

  func findings() async -> [Finding] {
    let senders = MessageSenders(configuration.store.messages, configuration.store.mail, clock: SystemClock())
    let (messages, mail) = (configuration.store.messages, configuration.store.mail)
    return [
      await finding("messages", name: messages.sender.rawValue, sender: senders.phone),
      await finding("mail", name: mail.sender.rawValue, sender: senders.email),
    ]
  }

  private func finding(_ subject: String, name: String, sender: (any MessageSender)?) async -> Finding {
    guard let sender else { return .good(subject, "no sender; users cannot log in this way") }
    do {
      try await sender.check()
      return .good(subject, name)
    } catch {
      return .bad(
        subject, "\(error)",
        remedy: "Until then no codes are sent this way; docs/operating.md has the keys of [\(subject)].")
    }
  }
}
