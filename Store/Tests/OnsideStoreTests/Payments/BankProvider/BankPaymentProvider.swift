import Foundation
import HTTPTypes
import OnsideCommerce

@testable import OnsideStore
@testable import StoreBase
@testable import StorePayments

/// The third provider: transfers from a bank account, with a choice of banks on the payment page, the bank's own page
/// elsewhere, mandates instead of cards, and notices that only name what has changed.
struct BankPaymentProvider: PaymentProvider {
  static let secret = "the bank's own words"
  static let script = ProviderScript(name: "bank-fields", text: "document.body.dataset.bank = 'ready'")

  let name = "bank"
  let bank: Bank

  var traits: ProviderTraits {
    ProviderTraits(
      environment: .sandbox, largestEvent: 1024, pages: [BankMandatePage.self], parts: [BankFields.self],
      scripts: [Self.script])
  }

  // MARK: Charges

  func charge(_ request: ChargeRequest) async throws -> ChargeAnswer {
    guard request.isSaved || request.fields["provider_bank"]?.isEmpty == false else {
      return .known(
        ProviderCharge(state: .declined(.askBuyer), amount: request.amount, currency: request.currency))
    }
    return .known(Self.record(try make(request, isPaid: request.isSaved)))
  }

  func chargeOffSession(_ request: ChargeRequest) async throws -> ChargeAnswer {
    guard bank.mandate(request.method) == request.account else {
      return .known(ProviderCharge(state: .declined(.never), amount: request.amount, currency: request.currency))
    }
    return .known(Self.record(try make(request, isPaid: true)))
  }

  func charges(of period: ChargedPeriod, account: String) async throws -> [FoundCharge] {
    try bank.charges(of: account)
      .filter { $0.period?.subscription == period.subscription && $0.period?.number == period.number }
      .map { charge in
        FoundCharge(
          id: String(charge.id.split(separator: ":").last ?? ""), product: charge.period?.product,
          charge: Self.record(charge))
      }
  }

  private func make(_ request: ChargeRequest, isPaid: Bool) throws -> Bank.Charge {
    let mandate = request.remembers ? "md-\(request.id.prefix(8))" : nil
    if let mandate { bank.giveMandate(mandate, to: request.account) }
    return try bank.charge(key: request.idempotencyKey("charge")) { id in
      Bank.Charge(
        id: "\(id):\(request.id)", order: request.orderID, account: request.account, amount: request.amount,
        currency: request.currency, state: isPaid ? .paid : .waiting, mandate: mandate, period: request.period)
    }
  }

  func confirm(_ request: ChargeRequest) async throws -> ChargeAnswer {
    guard let charge = try await status(of: request) else { throw Bank.Down() }
    return .known(charge)
  }

  func status(of request: ChargeRequest) async throws -> ProviderCharge? {
    guard let reference = request.reference, let charge = try bank.charge(reference) else { return nil }
    return Self.record(charge)
  }

  func cancel(_ request: ChargeRequest) async throws -> ProviderCharge? {
    guard let reference = request.reference else { return nil }
    try bank.cancel(reference)
    return try await status(of: request)
  }

  private static func record(_ charge: Bank.Charge) -> ProviderCharge {
    let state: ChargeState =
      switch charge.state {
      case .waiting: .requiresAction
      case .paid: .succeeded
      case .refused: .declined(.later)
      case .cancelled: .cancelled
      }
    return ProviderCharge(
      state: state, amount: charge.amount, currency: charge.currency, refunded: charge.refunded,
      reference: charge.id, method: charge.state == .paid ? charge.mandate.map { details($0) } : nil)
  }

  static func details(_ mandate: String, digits: String = "0300") -> PaymentMethodDetails {
    PaymentMethodDetails(reference: mandate, brand: "SEPA", lastFour: digits, label: "Example Bank")
  }

  // MARK: Refunds and methods

  func refund(_ request: RefundRequest) async throws -> RefundAnswer {
    guard let charge = request.chargeReference else { throw Bank.Down() }
    try bank.refund(charge, amount: request.amount, key: request.idempotencyKey)
    return .known(
      ProviderRefund(
        state: .succeeded, id: request.id, reference: "rf-\(request.id)", amount: request.amount,
        currency: request.currency))
  }

  func beginSaving(_ request: MethodSetupRequest) async throws -> MethodSetupAnswer {
    .needsAction(reference: "md-\(request.id)")
  }

  func finishSaving(_ request: MethodSetupRequest) async throws -> MethodSetupAnswer {
    guard let mandate = request.reference else { return .refused }
    if request.fields["provider_agreed"] == "1" { bank.giveMandate(mandate, to: request.account) }
    return bank.mandate(mandate) == nil ? .needsAction(reference: mandate) : .saved(Self.details(mandate))
  }

  func endSaving(_ request: MethodSetupEndRequest) async throws -> PaymentMethodDetails? {
    let mandate = "md-\(request.id)"
    return bank.mandate(mandate) == nil ? nil : Self.details(mandate)
  }

  func remove(_ request: MethodRemovalRequest) async throws { try bank.remove(request.reference) }

  // MARK: Events

  func read(_ delivery: ProviderDelivery) throws -> [ProviderNotice] {
    guard delivery.headers[.bankToken] == Self.secret else { throw PaymentError.invalidSignature }
    return String(decoding: delivery.body, as: UTF8.self).split(separator: "\n").map { line in
      let parts = line.split(separator: " ").map(String.init)
      return ProviderNotice(id: parts.first ?? "", content: .lookUp(parts.last ?? ""))
    }
  }

  func events(of notice: ProviderNotice) async throws -> [ProviderEvent] {
    guard case .lookUp(let subject) = notice.content else { return [] }
    let parts = subject.split(separator: ":", maxSplits: 1).map(String.init)
    guard parts.count == 2 else { return [] }
    return (parts[0] == "mandate" ? mandateEvents(parts[1]) : try chargeEvents(parts[1])).map { kind in
      ProviderEvent(id: notice.id, environment: .sandbox, kind: kind)
    }
  }

  private func mandateEvents(_ id: String) -> [ProviderEvent.Kind] {
    guard bank.mandate(id) != nil else { return [.methodDetached(reference: id)] }
    return [.methodUpdated(Self.details(id, digits: "9999"))]
  }

  private func chargeEvents(_ id: String) throws -> [ProviderEvent.Kind] {
    guard let charge = try bank.charge(id), let order = UUID(uuidString: charge.order),
      let amount = Money(minorUnits: charge.amount, currencyCode: charge.currency),
      let payment = id.split(separator: ":").last.map(String.init)
    else { return [] }
    let report = ChargeReport(
      id: payment, orderID: order, amount: amount, reference: id, method: Self.record(charge).method)
    return switch charge.state {
    case .waiting: [.requiresAction(report)]
    case .paid: [.succeeded(report)]
    case .refused: [.declined(report, .later)]
    case .cancelled: [.cancelled(report)]
    }
  }

  func notices(since start: Date, after cursor: String?) async throws -> ProviderNoticePage {
    let notes = bank.notes.filter { $0.date >= start }
    let first = cursor.flatMap { cursor in notes.firstIndex { $0.id == cursor } } ?? 0
    let part = notes.dropFirst(first).prefix(2)
    return ProviderNoticePage(
      notices: part.map { ProviderNotice(id: $0.id, content: .lookUp($0.subject)) },
      cursor: notes.dropFirst(first + 2).first?.id)
  }
}

extension HTTPField.Name {
  static let bankToken = Self("Bank-Token")!
}
