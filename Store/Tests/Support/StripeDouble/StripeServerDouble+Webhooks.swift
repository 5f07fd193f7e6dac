import Synchronization

/// Webhook calls, which go out when a test lets them.
extension StripeServerDouble {
  /// Registers an address; returns its id and the secret that its calls are signed with.
  @discardableResult
  public func addWebhook(_ url: String, events: [String] = ["*"]) -> (id: String, secret: String) {
    state.withLock { state in
      state.now = now()
      let endpoint = state.addEndpoint(url: url, events: events)
      return (endpoint.id, endpoint.secrets.first?.value ?? "")
    }
  }

  /// Gives an address another secret. Its calls are signed with both for some seconds, a day at most.
  public func rollSecret(of webhook: String, keepingOldFor seconds: Double) -> String? {
    state.withLock { state in
      state.now = now()
      return state.rollSecret(of: webhook, keepingOldFor: min(seconds, 86_400))
    }
  }

  /// Makes the calls of ``StripeFault/webhooksFirst`` in another way than over HTTP.
  public func sendFirst(by send: @escaping @Sendable (WebhookCall) async -> Int?) { sender.withLock { $0 = send } }

  /// How calls go out from now on.
  public func setPolicy(_ policy: DeliveryPolicy) { state.withLock { $0.policy = policy } }

  /// Makes every call that is due; returns the answers' statuses, 0 for none.
  ///
  /// - Parameter send: makes a call, and returns the status of its answer; nil for none.
  @discardableResult
  public func deliver(
    by send: @Sendable (WebhookCall) async -> Int? = StripeServerDouble.send
  ) async -> [Int] {
    let due = state.withLock { $0.dueCalls(at: now()) }
    var statuses: [Int] = []
    for call in due {
      let status = await send(call)
      state.withLock { $0.called(call.delivery, status: status) }
      statuses.append(status ?? 0)
    }
    return statuses
  }

  /// Forgets every call that is on its way: the events are in the list only.
  public func loseDeliveries() {
    state.withLock { state in
      state.abandoned.formUnion(state.deliveries.map(\.event))
      state.deliveries = []
    }
  }

  /// How many calls are on their way.
  public var pendingDeliveries: Int { state.withLock { $0.deliveries.count } }
}
