package import Foundation
import StoreBase

/// A payment provider whose calls are spans. What it does without a call has none: the reading of an
/// event, the parts of pages.
package struct TracedPaymentProvider: PaymentProvider {
  package let base: any PaymentProvider
  let call: TracedCall

  package var name: String { base.name }
  package var traits: ProviderTraits { base.traits }

  package func charge(_ request: ChargeRequest) async throws -> ChargeAnswer {
    try await call("payment start") { try await base.charge(request) }
  }

  package func chargeOffSession(_ request: ChargeRequest) async throws -> ChargeAnswer {
    try await call("payment renew") { try await base.chargeOffSession(request) }
  }

  package func charges(of period: ChargedPeriod, account: String) async throws -> [FoundCharge] {
    try await call("payment list") { try await base.charges(of: period, account: account) }
  }

  package func confirm(_ request: ChargeRequest) async throws -> ChargeAnswer {
    try await call("payment confirm") { try await base.confirm(request) }
  }

  package func status(of request: ChargeRequest) async throws -> ProviderCharge? {
    try await call("payment status") { try await base.status(of: request) }
  }

  package func cancel(_ request: ChargeRequest) async throws -> ProviderCharge? {
    try await call("payment cancel") { try await base.cancel(request) }
  }

  package func refund(_ request: RefundRequest) async throws -> RefundAnswer {
    try await call("payment refund") { try await base.refund(request) }
  }

  package func beginSaving(_ request: MethodSetupRequest) async throws -> MethodSetupAnswer {
    try await call("method save") { try await base.beginSaving(request) }
  }

  package func finishSaving(_ request: MethodSetupRequest) async throws -> MethodSetupAnswer {
    try await call("method saved") { try await base.finishSaving(request) }
  }

  package func endSaving(_ request: MethodSetupEndRequest) async throws -> PaymentMethodDetails? {
    try await call("method end") { try await base.endSaving(request) }
  }

  package func remove(_ request: MethodRemovalRequest) async throws {
    try await call("method remove") { try await base.remove(request) }
  }

  package func read(_ delivery: ProviderDelivery) throws -> [ProviderNotice] { try base.read(delivery) }

  package func events(of notice: ProviderNotice) async throws -> [ProviderEvent] {
    try await call("event fetch") { try await base.events(of: notice) }
  }

  package func notices(since start: Date, after cursor: String?) async throws -> ProviderNoticePage {
    try await call("event list") { try await base.notices(since: start, after: cursor) }
  }

  package func choices(_ context: ProviderPageContext) -> PaymentMethodChoices { base.choices(context) }

  package func label(of method: PaymentMethodDetails, _ context: ProviderPageContext) -> PaymentMethodLabel {
    base.label(of: method, context)
  }

  package func checkoutPart(_ context: ProviderPageContext) async throws -> ProviderPagePart? {
    try await base.checkoutPart(context)
  }

  package func actionPage(_ request: ActionPageRequest) async throws -> ProviderPage {
    try await call("payment action") { try await base.actionPage(request) }
  }

  package func setupPage(_ request: SetupPageRequest) async throws -> ProviderPage {
    try await call("method page") { try await base.setupPage(request) }
  }
}
