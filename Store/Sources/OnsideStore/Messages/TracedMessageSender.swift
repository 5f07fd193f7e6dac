import StoreBase

/// A sender of messages whose tries are spans.
struct TracedMessageSender: MessageSender {
  let base: any MessageSender
  let call: TracedCall

  var recognisesRepeats: Bool { base.recognisesRepeats }
  var takesText: Bool { base.takesText }

  func send(_ message: OutgoingMessage) async throws {
    try await call("message send") { try await base.send(message) }
  }

  func check() async throws { try await base.check() }
}
