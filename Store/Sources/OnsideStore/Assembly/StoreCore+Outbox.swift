import OnsideAPI

/// What the outbox delivers.
extension StoreCore {
  /// Registers everything that the outbox delivers.
  func connectOutbox(_ orders: OrderRecords) {
    connectProviders()
    connectReceiptMailer(orders)
    connectSubscriberMessenger(orders)
  }

  /// Registers the handlers of all payment providers. The payment service holds the outbox: held by a handler, neither
  /// would ever be released, nor the database.
  private func connectProviders() {
    let (providers, events) = (providers, providerEvents)
    let (longestDelay, concurrency) = (PaymentService.longestRetryDelay, PaymentOutboxKind.concurrency)
    outbox.register(PaymentOutboxKind.start, longestDelay: longestDelay, concurrency: concurrency) { [weak payments] in
      guard let payments else { throw CancellationError() }
      let request: ChargeRequest = try OutboxPayload.value($0)
      try await payments.start(request, with: try providers.provider(request.provider))
    }
    outbox.register(PaymentOutboxKind.confirm, longestDelay: longestDelay, concurrency: concurrency) {
      [weak payments] in
      guard let payments else { throw CancellationError() }
      let request: ChargeRequest = try OutboxPayload.value($0)
      try await payments.confirm(request, with: try providers.provider(request.provider))
    }
    outbox.register(PaymentOutboxKind.renew, concurrency: concurrency) { [weak payments] in
      guard let payments else { throw CancellationError() }
      let request: ChargeRequest = try OutboxPayload.value($0)
      try await payments.renew(request, with: try providers.provider(request.provider))
    }
    outbox.register(PaymentOutboxKind.cancel, concurrency: PaymentOutboxKind.backgroundConcurrency) {
      [weak payments] in
      guard let payments else { throw CancellationError() }
      let request: ChargeRequest = try OutboxPayload.value($0)
      try await payments.cancel(request, with: try providers.provider(request.provider))
    }
    outbox.register(PaymentOutboxKind.refund, concurrency: PaymentOutboxKind.backgroundConcurrency) { [refunds] in
      let request: RefundRequest = try OutboxPayload.value($0)
      try await refunds.send(request, to: try providers.provider(request.provider))
    }
    outbox.register(PaymentOutboxKind.endSetup, concurrency: PaymentOutboxKind.backgroundConcurrency) {
      [weak payments] in
      guard let payments else { throw CancellationError() }
      let request: MethodSetupEndRequest = try OutboxPayload.value($0)
      try await payments.endSetup(request, with: try providers.provider(request.provider))
    }
    outbox.register(PaymentOutboxKind.removeMethod) {
      let request: MethodRemovalRequest = try OutboxPayload.value($0)
      let provider = try providers.provider(request.provider)
      if provider.traits.keepsMethods { try await provider.remove(request) }
    }
    outbox.register(PaymentOutboxKind.notice, concurrency: PaymentOutboxKind.backgroundConcurrency) {
      let waiting: WaitingNotice = try OutboxPayload.value($0)
      try await events.lookUp(waiting, at: try providers.provider(waiting.provider))
    }
    for (kind, work) in providers.all.flatMap(\.traits.queues) { outbox.register(kind, handler: work) }
  }

  /// Registers the handler of receipts that are to be mailed. Without a mail server they wait for one.
  private func connectReceiptMailer(_ orders: OrderRecords) {
    guard let sender = dependencies.senders.email else { return }
    let mailer = ReceiptMailer(
      dependencies: dependencies, orders: orders, sender: sender,
      accountAddress: address.url(path: Route.accountPage.path))
    outbox.register(ReceiptMailer.kind) { try await mailer.send($0) }
  }

  /// Registers the handler of messages about subscriptions. It decides by what an account is reached when it sends.
  private func connectSubscriberMessenger(_ orders: OrderRecords) {
    let messenger = SubscriberMessenger(
      dependencies: dependencies, orders: orders, apps: apps, address: address)
    outbox.register(
      SubscriberMessenger.kind, concurrency: PaymentOutboxKind.backgroundConcurrency, isFirst: true
    ) {
      try await messenger.send($0)
    }
  }
}
