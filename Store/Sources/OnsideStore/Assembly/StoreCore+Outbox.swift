import Foundation
import OnsideAPI
import StoreAccounts
import StoreBase
import StorePayments
import StoreSales
import StoreWeb

/// What the outbox delivers.
extension StoreCore {
  /// Registers everything that the outbox delivers.
  func connectOutbox(_ orders: OrderRecords) {
    connectProviders()
    connectReceiptMailer(orders)
    connectSubscriberMessenger(orders)
    let notice = AccountNotice(
      dependencies: dependencies.base, senders: dependencies.senders, storeName: dependencies.configuration.name)
    outbox.register(AccountNotice.kind) { try await notice.send($0) }
  }

  /// Registers the handlers of all payment providers.
  private func connectProviders() {
    let background = PaymentOutboxKind.backgroundConcurrency
    connectCharges(background)
    connect(PaymentOutboxKind.endSetup, concurrency: background) {
      (payments, request: MethodSetupEndRequest, provider) in
      try await payments.endSetup(request, with: provider)
    }
    let (providers, events) = (providers, providerEvents)
    outbox.register(PaymentOutboxKind.refund, concurrency: background) { [refunds] in
      let request: RefundRequest = try OutboxPayload.value($0)
      try await refunds.send(request, to: try providers.provider(request.provider))
    }
    outbox.register(PaymentOutboxKind.removeMethod) {
      let request: MethodRemovalRequest = try OutboxPayload.value($0)
      let provider = try providers.provider(request.provider)
      if provider.traits.keepsMethods { try await provider.remove(request) }
    }
    outbox.register(PaymentOutboxKind.notice, concurrency: background) {
      let waiting: WaitingNotice = try OutboxPayload.value($0)
      try await events.lookUp(waiting, at: try providers.provider(waiting.provider))
    }
    for (kind, work) in providers.all.flatMap(\.traits.queues) { outbox.register(kind, handler: work) }
  }

  private func connectCharges(_ background: Int) {
    let (longestDelay, concurrency) = (PaymentService.longestRetryDelay, PaymentOutboxKind.concurrency)
    connect(PaymentOutboxKind.start, longestDelay: longestDelay, concurrency: concurrency) {
      (payments, request: ChargeRequest, provider) in try await payments.start(request, with: provider)
    }
    connect(PaymentOutboxKind.confirm, longestDelay: longestDelay, concurrency: concurrency) {
      (payments, request: ChargeRequest, provider) in try await payments.confirm(request, with: provider)
    }
    connect(PaymentOutboxKind.renew, longestDelay: PaymentService.longestRenewalDelay, concurrency: concurrency) {
      (payments, request: ChargeRequest, provider) in try await payments.renew(request, with: provider)
    }
    connect(PaymentOutboxKind.cancel, concurrency: background) {
      (payments, request: ChargeRequest, provider) in try await payments.cancel(request, with: provider)
    }
  }

  /// Registers a handler of the payment service. That holds the outbox: held by a handler, neither would ever be
  /// released, nor the database.
  private func connect<Request: ProviderRequest>(
    _ kind: String, longestDelay: TimeInterval? = nil, concurrency: Int,
    _ work: @escaping @Sendable (PaymentService, Request, any PaymentProvider) async throws -> Void
  ) {
    outbox.register(kind, longestDelay: longestDelay, concurrency: concurrency) { [weak payments, providers] in
      guard let payments else { throw CancellationError() }
      let request: Request = try OutboxPayload.value($0)
      try await work(payments, request, try providers.provider(request.provider))
    }
  }

  /// Registers the handler of receipts that are to be mailed. Without a mail server they wait for one.
  private func connectReceiptMailer(_ orders: OrderRecords) {
    guard let sender = dependencies.senders.email else { return }
    let mailer = ReceiptMailer(
      dependencies: dependencies.base, storeName: dependencies.configuration.name,
      seller: dependencies.configuration.seller, orders: orders, sender: sender,
      sequencer: sequencer, accountAddress: address.url(path: Route.accountPage.path))
    outbox.register(ReceiptMailer.kind) { try await mailer.send($0) }
  }

  /// Registers the handler of messages about subscriptions. It decides by what an account is reached when it sends.
  private func connectSubscriberMessenger(_ orders: OrderRecords) {
    let messenger = SubscriberMessenger(
      dependencies: dependencies.base, senders: dependencies.senders, storeName: dependencies.configuration.name,
      seller: dependencies.configuration.seller, orders: orders, apps: apps, address: address)
    outbox.register(
      SubscriberMessenger.kind, concurrency: PaymentOutboxKind.backgroundConcurrency, drainsFirst: true
    ) {
      try await messenger.send($0)
    }
  }
}

/// What a row of the outbox asks a payment provider for.
private protocol ProviderRequest: Decodable, Sendable {
  /// The provider that is asked.
  var provider: String { get }
}

extension ChargeRequest: ProviderRequest {}
extension MethodSetupEndRequest: ProviderRequest {}
