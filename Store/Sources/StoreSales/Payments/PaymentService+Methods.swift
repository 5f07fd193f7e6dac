import Foundation
import OnsideAPI
import OnsideCommerce
import StoreAccounts
import StoreBase
public import StorePayments

/// The outcome of a request to save a method.
enum MethodSetupOutcome: Sendable {
  /// The method is saved, or was saved before.
  case saved
  /// The buyer has to do something first, on the page of the setup.
  case needsAction
  /// The provider rejects the method.
  case refused
}

/// The saved methods of accounts.
extension PaymentService {
  /// The saved methods of an account, the newest first.
  public func methods(of account: String) async throws -> [SavedPaymentMethod] {
    try await dependencies.database.read { try PaymentMethodRecords.saved(of: account, in: $0) }
  }

  /// Seconds until a page on which a method is saved expires. Later steps are ignored.
  static let setupLimit: TimeInterval = 60 * 60

  /// Saves one of the provider's choices, once. The provider is called without the outbox, because no money moves: a
  /// setup that is lost with its process is repeated. The end of the setup is recorded before its start.
  func add(
    _ choice: String, fields: [String: String], session: MethodsSession
  ) async throws -> MethodSetupOutcome {
    let id = dependencies.random.uuid7(at: dependencies.clock.now()).lowercase
    let setup = MethodSetupRequest(
      id: id, account: session.account, environment: environment, choice: choice, fields: fields,
      reference: nil)
    try await planEnd(of: setup)
    return try await take(try await providers.active.beginSaving(setup), of: setup, session: session)
  }

  /// Inserts the outbox row that ends an expired setup, if the provider stores methods.
  private func planEnd(of setup: MethodSetupRequest) async throws {
    let provider = providers.active
    guard provider.traits.keepsMethods else { return }
    // The provider's time, also in a sandbox whose clock was moved.
    let begunAt = dependencies.clock.unmovedNow()
    try await dependencies.database.write(at: dependencies.clock.now()) { [outbox = outboxRecords] transaction in
      let request = MethodSetupEndRequest(
        id: setup.id, account: setup.account, provider: provider.name, environment: setup.environment,
        begunAt: begunAt)
      try outbox.add(
        PaymentOutboxKind.endSetup, payload: try OutboxPayload.text(request),
        due: transaction.now + Self.setupLimit, in: transaction)
    }
  }

  /// Ends an expired setup. Saves its method if the provider has one, although the buyer has left the page. The outbox
  /// may call it repeatedly.
  package func endSetup(_ request: MethodSetupEndRequest, with provider: any PaymentProvider) async throws {
    guard let details = try await provider.endSaving(request) else { return }
    let report = MethodReport(id: request.id, account: request.account, details: details)
    let account = try await dependencies.database.write(at: dependencies.clock.now()) { [paymentMethods] in
      try paymentMethods.save(report, from: request.provider, in: $0)
    }
    if let account { changes.wake(account: account) }
  }

  /// Continues a setup after the buyer was on the provider's page.
  func finishSetup(_ session: MethodsSession, fields: [String: String]) async throws -> MethodSetupOutcome {
    guard let setup = setup(of: session, fields: fields) else { return .refused }
    return try await take(try await providers.active.finishSaving(setup), of: setup, session: session)
  }

  /// The setup that a session waits for.
  func setup(of session: MethodsSession, fields: [String: String] = [:]) -> MethodSetupRequest? {
    session.setup.map {
      MethodSetupRequest(
        id: $0.id, account: session.account, environment: environment, choice: $0.choice, fields: fields,
        reference: $0.reference)
    }
  }

  private func take(
    _ answer: MethodSetupAnswer, of setup: MethodSetupRequest, session: MethodsSession
  ) async throws -> MethodSetupOutcome {
    let (provider, now) = (providers.active.name, dependencies.clock.now())
    switch answer {
    case .refused: return .refused
    case .needsAction(let reference):
      let waiting = MethodsSession.Setup(id: setup.id, choice: setup.choice, reference: reference)
      try await dependencies.database.write(at: now) {
        try MethodsSessionRecords.setSetup(waiting, of: session.token, in: $0)
      }
      return .needsAction
    case .saved(let details):
      let report = MethodReport(id: setup.id, account: session.account, details: details)
      try await dependencies.database.write(at: now) { [paymentMethods] transaction in
        _ = try paymentMethods.save(report, from: provider, in: transaction)
        guard session.setup != nil else { return }
        try MethodsSessionRecords.setSetup(nil, of: session.token, in: transaction)
      }
      return .saved
    }
  }

  /// Makes a saved method the account's first choice on payment pages. Returns false for an unknown method. The methods
  /// of subscriptions do not change.
  @discardableResult
  public func prefer(_ method: String, of account: String) async throws -> Bool {
    try await dependencies.write(for: account) {
      try PaymentMethodRecords.prefer(method, of: account, in: $0)
    }
  }

  /// The methods of an account, saved ones and those that only its subscriptions use, the newest first, each with the
  /// subscriptions that use it.
  func listedMethods(of account: String) async throws -> [ListedMethod] {
    try await dependencies.database.read { [orders] connection in
      let uses = try SubscriptionRecords.subscriptions(of: account, in: connection).compactMap { known in
        try known.method.map { method in
          let title = try orders.order(known.lastOrder, in: connection)?.product.message.title
          return (method: method, use: ListedMethod.Use(appID: known.key.app, title: title ?? ""))
        }
      }
      return try PaymentMethodRecords.all(of: account, in: connection).map { method in
        ListedMethod(method: method, uses: uses.filter { $0.method == method.id }.map(\.use))
      }.filter { $0.method.isSaved || !$0.uses.isEmpty }
    }
  }

  /// The subscriptions of an account that wait for a payment method: those that are unpaid or have none.
  func subscriptionsInNeed(of account: String) async throws -> [SubscriptionInNeed] {
    try await dependencies.read(for: account) { [orders] connection in
      try SubscriptionRecords.subscriptions(of: account, in: connection).compactMap { known in
        let machine = known.machine.asOf(connection.now)
        guard machine.isSubscribed, machine.isUnpaid || known.method == nil else { return nil }
        let title = try orders.order(known.lastOrder, in: connection)?.product.message.title
        return SubscriptionInNeed(key: known.key, title: title ?? "")
      }
    }
  }

  /// Removes a method of an account, detaches it at its provider, and ends the renewals that are charged to it. Returns
  /// false for an unknown method.
  @discardableResult
  public func remove(_ method: String, of account: String) async throws -> Bool {
    let isRemoved = try await dependencies.database.write(at: dependencies.clock.now()) { [self] transaction in
      guard let known = try PaymentMethodRecords.method(method, of: account, in: transaction) else { return false }
      try delete(known, of: account, in: transaction)
      return true
    }
    if isRemoved { changes.wake(account: account) }
    return isRemoved
  }

  /// Removes a method of an account, if no renewal is charged to it or the buyer has chosen the future of these
  /// renewals: another method, which pays an unpaid renewal at once, or their end.
  func remove(
    _ method: String, of account: String, answer: MethodRemovalAnswer?
  ) async throws -> MethodRemovalOutcome {
    let outcome = try await dependencies.database.write(at: dependencies.clock.now()) { [self] transaction in
      guard let known = try PaymentMethodRecords.method(method, of: account, in: transaction) else {
        return MethodRemovalOutcome.removed
      }
      let refusal = try replace(known, of: account, by: answer, in: transaction)
      if refusal == nil { try delete(known, of: account, in: transaction) }
      return refusal ?? .removed
    }
    changes.wake(account: account)
    return outcome
  }

  /// Replaces the method of its renewals. Returns nil if the method may be removed.
  private func replace(
    _ method: SavedPaymentMethod, of account: String, by answer: MethodRemovalAnswer?, in transaction: StoreTransaction
  ) throws -> MethodRemovalOutcome? {
    let transaction = try transaction.at(timeOf: account, in: environment)
    for known in try SubscriptionRecords.using(method: method.id, in: transaction) {
      try lifecycle.passTime(of: known.key, in: transaction)
    }
    let renewals = try SubscriptionRecords.using(method: method.id, in: transaction).filter(\.machine.autoRenews)
    guard !renewals.isEmpty else { return nil }
    guard let answer else { return .unanswered }
    guard MethodRemovalAnswer.statement(of: renewals) == answer.statement else { return .changed }
    guard let replacement = answer.replacement else { return nil }
    guard replacement != method.id,
      let chosen = try PaymentMethodRecords.method(replacement, of: account, in: transaction),
      chosen.isSaved, providers.canCharge(chosen)
    else { return .unanswered }
    for known in renewals { try lifecycle.setMethod(chosen, of: known, in: transaction) }
    return nil
  }

  private func delete(_ method: SavedPaymentMethod, of account: String, in transaction: StoreTransaction) throws {
    try paymentMethods.remove(method.id, in: transaction)
    try MethodRemovals(providers: providers, environment: environment).request(
      method.details.reference, at: method.provider, of: account, in: transaction)
  }
}

/// The buyer's answer about the renewals of a removed payment method.
struct MethodRemovalAnswer: Sendable {
  /// The id of the saved method that replaces the removed one; nil to end the renewals.
  let replacement: String?
  /// The renewals and prices on the page of the question.
  let statement: String

  /// Returns the renewals that are charged to a method: their next prices, and whether they are charged at once.
  static func statement(of renewals: [StoredSubscription]) -> String {
    renewals.map { known in
      let price = known.machine.nextPrice?.plainText ?? ""
      return "\(known.key.app)/\(known.key.group)=\(price)\(known.machine.isUnpaid ? " due" : "")"
    }.sorted().joined(separator: ", ")
  }
}

/// The outcome of a removal.
enum MethodRemovalOutcome: Sendable {
  /// The method is removed, or unknown.
  case removed
  /// Renewals are charged to the method: the buyer has to end them or choose another card.
  case unanswered
  /// The renewals or their prices differ from those on the page.
  case changed
}

/// A subscription that waits for a payment method.
struct SubscriptionInNeed: Sendable, Hashable {
  let key: SubscriptionKey
  /// The product's title, in the language of the order that was paid last.
  let title: String
}

/// A payment method with the subscriptions that use it.
struct ListedMethod: Sendable, Hashable {
  /// A subscription that uses a method.
  struct Use: Sendable, Hashable {
    let appID: String
    /// The product's title, in the language of the order that was paid last.
    let title: String
  }

  let method: SavedPaymentMethod
  let uses: [Use]
}
