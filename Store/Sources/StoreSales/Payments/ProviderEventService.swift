import Foundation
import Logging
import OnsideCommerce
package import StoreAccounts
package import StoreBase
package import StorePayments

/// Receives events of providers: verifies, records and applies each once. A complete event is applied in the same
/// transaction. An event that names only its subject is recorded, and fetched from the outbox after the provider has
/// its answer.
package struct ProviderEventService: Sendable {
  let dependencies: BaseDependencies
  let payments: PaymentRecords
  let events: ProviderEvents
  let changes: ChangeHub
  private let outbox = OutboxRecords()

  package init(
    dependencies: BaseDependencies, payments: PaymentRecords, events: ProviderEvents, changes: ChangeHub
  ) {
    self.dependencies = dependencies
    (self.payments, self.events) = (payments, events)
    self.changes = changes
  }

  /// Receives a request of a provider. Throws ``PaymentError/invalidSignature`` if the provider has not sent it.
  package func receive(_ delivery: ProviderDelivery, from provider: any PaymentProvider) async throws {
    for notice in try provider.read(delivery) { try await take(notice, from: provider) }
  }

  /// Applies or records one notice of a provider. Returns false for a repeated notice.
  @discardableResult
  func take(_ notice: ProviderNotice, from provider: any PaymentProvider) async throws -> Bool {
    guard (1...128).contains(notice.id.utf8.count) else {
      throw PaymentError.invalidEvent("Expected an id of 1 to 128 bytes.")
    }
    switch notice.content {
    case .event(let event): return try await apply(event, from: provider)
    case .lookUp(let subject):
      let waiting = WaitingNotice(provider: provider.name, id: notice.id, subject: subject)
      let payload = try OutboxPayload.text(waiting)
      return try await dependencies.database.write(at: dependencies.clock.now()) { [payments, outbox] transaction in
        let isNew = try payments.note(event: notice.id, of: waiting.provider, in: transaction)
        if isNew {
          try outbox.add(PaymentOutboxKind.notice, payload: payload, due: transaction.now, in: transaction)
        }
        return isNew
      }
    }
  }

  /// An error of a charge whose fee the provider has not reported yet. The outbox fetches the notice again.
  struct UnknownFee: Error {}

  /// Fetches the events of a notice and applies them. The outbox may call it repeatedly.
  package func lookUp(_ waiting: WaitingNotice, at provider: any PaymentProvider) async throws {
    let notice = ProviderNotice(id: waiting.id, content: .lookUp(waiting.subject))
    let events = try await provider.events(of: notice)
    for event in events {
      do {
        try await apply(event, from: provider, isNoted: true)
      } catch let error as PaymentError where error == .notFound {
        // Another system may use the same account at the provider.
        dependencies.logger.warning(
          "an event of an order that is not here", metadata: ["provider": "\(provider.name)", "event": "\(event.id)"])
      }
    }
    if events.contains(where: \.lacksFees) { throw UnknownFee() }
  }

  @discardableResult
  private func apply(
    _ event: ProviderEvent, from provider: any PaymentProvider, isNoted: Bool = false
  ) async throws -> Bool {
    let environment = dependencies.environment
    guard event.environment == environment else {
      throw PaymentError.invalidEvent("Expected an event of \(environment), got one of \(event.environment).")
    }
    let name = provider.name
    let applied: (isNew: Bool, account: String?)
    do {
      applied = try await dependencies.database.write(at: dependencies.clock.now()) { [payments, events] transaction in
        guard try isNoted || payments.note(event: event.id, of: name, in: transaction) else {
          return (false, nil)
        }
        let account = try events.apply(event.kind, from: name, in: transaction)
        checkpoint("payment.beforeCommit")
        return (true, account)
      }
    } catch let mismatch as PaymentAmountMismatch {
      dependencies.logger.error("payment event refused", metadata: ["reason": "\(mismatch)"])
      throw PaymentError.invalidEvent("Expected the payment's amount; \(mismatch).")
    }
    checkpoint("payment.afterCommit")
    if let account = applied.account { changes.wake(account: account) }
    return applied.isNew
  }
}

extension ProviderEvent {
  fileprivate var lacksFees: Bool {
    if case .succeeded(let charge) = kind { charge.lacksFees } else { false }
  }
}
