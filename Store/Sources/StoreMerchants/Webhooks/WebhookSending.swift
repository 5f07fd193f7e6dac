/// Sends webhooks.
package protocol WebhookSending: Sendable {
  /// Makes one attempt. A failure is an outcome of it.
  func send(_ request: WebhookRequest) async -> WebhookAttempt
}
