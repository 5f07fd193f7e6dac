import StoreBase

/// A sender of messages whose tries are spans.
package struct TracedMessageSender: MessageSender {
  let base: any MessageSender
  let call: TracedCall

  package var recognisesRepeats: Bool { base.recognisesRepeats }
  package var takesText: Bool { base.takesText }

  package func send(_ message: OutgoingMessage) async throws {
    try await call("message send") { try await base.send(message) }
  }

  package func check() async throws { try await base.check() }
}
