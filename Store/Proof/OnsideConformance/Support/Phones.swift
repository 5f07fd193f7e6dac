import OnsideStore
import StoreAccounts

/// The phones of everybody: messages arrive here.
final class Phones: MessageSender {
  private let unread = Observed<[OutgoingMessage]>([])
  /// What was told of subscriptions, by number: the texts, the oldest first.
  let notices = Observed<[String: [String]]>([:])

  func send(_ message: OutgoingMessage) async throws {
    // What is told of a subscription has no code.
    guard !message.code.isEmpty else { return notices.change { $0[message.to.text, default: []].append(message.text) } }
    unread.change { $0.append(message) }
  }

  /// The code in the oldest unread message to a number; waits for one.
  func code(to phone: String) async throws -> String {
    while true {
      try await unread.until { $0.contains { $0.to.text == phone } }
      let code = unread.change { messages -> String? in
        guard let index = messages.firstIndex(where: { $0.to.text == phone }) else { return nil }
        return messages.remove(at: index).code
      }
      if let code { return code }
    }
  }
}
