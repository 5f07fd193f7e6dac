import Crypto
package import Foundation
import HTTPTypes
import OnsideCommerce
import StoreBase

/// The sandbox's own provider: moves no money, behaves as the test card says, and plays its callbacks as signed events
/// through the same door as a real provider's. Callbacks that come later wait in the outbox, so that they also come
/// after a restart.
package struct SandboxPaymentProvider: PaymentProvider {
  /// Seconds until a card that settles later does, and until a refund that comes by itself.
  static let settlingDelay: TimeInterval = 10
  /// Seconds until the callback of the card whose callback is late.
  static let lateDelay: TimeInterval = 120
  /// Seconds from a payment until its dispute ends, which begins when a refund would come by itself.
  static let disputeEnd: TimeInterval = 30

  package let name = "sandbox"
  let assembly: ProviderAssembly
  let keys: VersionedKey<SymmetricKey>
  let outbox = OutboxRecords()

  package init(_ assembly: ProviderAssembly) {
    self.assembly = assembly
    keys = assembly.secrets.keys(for: SandboxSignature.keyPurpose)
  }

  package var traits: ProviderTraits {
    ProviderTraits(
      environment: .sandbox, largestEvent: 8 * 1024, keepsMethods: false, pages: [SecondStepPage.self],
      queues: [PaymentOutboxKind.sandboxEvent: { try await send($0) }])
  }

  private var dependencies: BaseDependencies { assembly.dependencies }
  private var records: SandboxRecords { SandboxRecords(database: dependencies.database) }

  // MARK: Charges

  package func charge(_ request: ChargeRequest) async throws -> ChargeAnswer {
    let card = SandboxCard(rawValue: request.method)
    switch card {
    case .succeeds: try await tell(.succeeded, of: request)
    case .declined, nil: try await tell(.declined, of: request)
    case .secondStep: break
    case .settlesLater:
      // What comes later is written down first: an order that is pending always has an end.
      try await tell(.succeeded, of: request, after: Self.settlingDelay)
      try await tell(.pending, of: request)
    case .neverSettles: try await tell(.pending, of: request)
    case .lateCallback:
      try await records.note(event(.succeeded, of: request), at: dependencies.clock.now())
      try await tell(.succeeded, of: request, after: Self.lateDelay)
    case .callbackTwice:
      try await tell(.succeeded, of: request)
      try await tell(.succeeded, of: request)
    case .refundedLater:
      try await tell(.succeeded, of: request)
      try await tell(.refunded, of: request, after: Self.settlingDelay)
    case .disputeWon, .disputeLost:
      let end: [SandboxEvent.Kind] = card == .disputeWon ? [.fundsReinstated, .disputeWon] : [.disputeLost]
      for kind in [.disputeOpened, .fundsWithdrawn] + end {
        try await tell(kind, of: request, after: end.contains(kind) ? Self.disputeEnd : Self.settlingDelay)
      }
      try await tell(.succeeded, of: request)
    }
    guard card == .secondStep else { return .accepted }
    return .known(ProviderCharge(state: .requiresAction, amount: request.amount, currency: request.currency))
  }

  /// Cards behave as with the buyer present.
  package func chargeOffSession(_ request: ChargeRequest) async throws -> ChargeAnswer { try await charge(request) }

  /// None: the sandbox's charges are in the store's database, so that a copy of it has its own.
  package func charges(of period: ChargedPeriod, account: String) async throws -> [FoundCharge] { [] }

  package func confirm(_ request: ChargeRequest) async throws -> ChargeAnswer {
    try await tell(.succeeded, of: request)
    return .accepted
  }

  package func status(of request: ChargeRequest) async throws -> ProviderCharge? {
    var charge = try await records.charge(request.id)
    if request.remembers { charge?.method = SandboxCard(rawValue: request.method)?.details }
    return charge
  }

  /// A second step is a page alone, which cannot be answered any more: there is nothing to end.
  package func cancel(_ request: ChargeRequest) async throws -> ProviderCharge? { try await status(of: request) }

  // MARK: Refunds

  package func refund(_ request: RefundRequest) async throws -> RefundAnswer {
    let isWhole = request.amount == request.chargeAmount
    guard try await !records.isWithdrawn(request.chargeID) else {
      // The bank has taken it for a dispute: it would go back twice.
      try await tell(
        SandboxEvent(
          eventID: "\(request.chargeID):refund_failed:\(request.id)", type: .refundFailed,
          paymentID: request.chargeID, orderID: request.orderID, amount: request.amount, currency: request.currency,
          refundID: request.id, paymentAmount: request.chargeAmount))
      return .accepted
    }
    let event = SandboxEvent(
      eventID: "\(request.chargeID):refunded:\(request.id)", type: .refunded,
      paymentID: request.chargeID, orderID: request.orderID, amount: request.amount, currency: request.currency,
      refundID: request.id, paymentAmount: isWhole ? nil : request.chargeAmount)
    try await tell(event)
    return .accepted
  }

  // MARK: Methods

  package func beginSaving(_ request: MethodSetupRequest) async throws -> MethodSetupAnswer {
    SandboxCard(rawValue: request.choice).map { .saved($0.details) } ?? .refused
  }

  package func finishSaving(_ request: MethodSetupRequest) async throws -> MethodSetupAnswer {
    try await beginSaving(request)
  }

  /// Nothing: every card is saved at once.
  package func endSaving(_ request: MethodSetupEndRequest) async throws -> PaymentMethodDetails? { nil }

  /// Does nothing: the sandbox keeps no methods.
  package func remove(_ request: MethodRemovalRequest) async throws {}

  // MARK: Events

  package func read(_ delivery: ProviderDelivery) throws -> [ProviderNotice] {
    let event = try SandboxEvent(delivery, keys: keys).event(in: traits.environment)
    return [ProviderNotice(id: event.id, content: .event(event))]
  }

  package func events(of notice: ProviderNotice) async throws -> [ProviderEvent] {
    guard case .event(let event) = notice.content else { return [] }
    return [event]
  }

  package func notices(since start: Date, after cursor: String?) async throws -> ProviderNoticePage {
    try await records.notices(since: start, after: cursor, in: traits.environment)
  }
}

extension SandboxPaymentProvider {
  /// Sends an event that was written down, as the network would bring it.
  private func send(_ body: String) async throws {
    let now = dependencies.clock.now()
    var bytes = Array(body.utf8)
    let event = try JSONDecoder().decode(SandboxEvent.self, from: Data(bytes))
    if SandboxEvent.Kind.ofDisputes.contains(event.type) {
      guard let disputed = try await records.noteDispute(event, at: now) else { return }
      bytes = Array(try JSONEncoder().encode(disputed))
    } else {
      try await records.note(event, at: now)
    }
    let headers = [.sandboxSignature: SandboxSignature.of(bytes, key: keys.current)] as HTTPFields
    try await assembly.receive(ProviderDelivery(body: bytes, headers: headers, receivedAt: now), self)
  }

  private func tell(_ kind: SandboxEvent.Kind, of request: ChargeRequest, after delay: TimeInterval = 0) async throws {
    try await tell(event(kind, of: request), after: delay)
  }

  private func tell(_ event: SandboxEvent, after delay: TimeInterval = 0) async throws {
    let body = String(decoding: try JSONEncoder().encode(event), as: UTF8.self)
    guard delay > 0 else { return try await send(body) }
    try await dependencies.database.write(at: dependencies.clock.now()) { [outbox] transaction in
      try outbox.add(
        PaymentOutboxKind.sandboxEvent, payload: body, due: transaction.now.addingTimeInterval(delay), in: transaction)
    }
  }

  private func event(_ kind: SandboxEvent.Kind, of request: ChargeRequest) -> SandboxEvent {
    SandboxEvent(
      eventID: "\(request.id):\(kind.rawValue)", type: kind, paymentID: request.id, orderID: request.orderID,
      amount: request.amount, currency: request.currency, paymentAmount: kind.isOfPart ? request.amount : nil,
      method: request.remembers ? request.method : nil)
  }
}
