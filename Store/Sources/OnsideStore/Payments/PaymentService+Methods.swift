import Foundation
import OnsideAPI
import OnsideCommerce

/// What became of a request to save a method.
enum MethodSetupOutcome: Sendable {
  /// It is saved, or was saved before.
  case saved
  /// The buyer has to do something first: show the page of the setup.
  case needsAction
  /// The provider does not take it.
  case refused
}

/// The saved methods of accounts.
extension PaymentService {
  /// The saved methods of an account, the newest first.
  public func methods(of account: String) async throws -> [SavedPaymentMethod] {
    try await dependencies.database.read { try PaymentMethodRecords.saved(of: account, in: $0) }
  }

  /// How long a page may be open on which a method is saved, in seconds. What is done on it later is not waited for.
  static let setupLimit: TimeInterval = 60 * 60

  /// Saves one of the provider's choices; one that is there already is not saved twice. No money moves, so that the
  /// provider is asked without the outbox: a setup that is lost with its process is begun anew. Its end is written down
  /// before it begins.
  func add(
    _ choice: String, fields: [String: String], session: MethodsSession
  ) async throws -> MethodSetupOutcome {
    let id = dependencies.random.uuid7(at: dependencies.clock.now()).lowercase
    let setup = MethodSetupRequest(
      id: id, account: session.account, environment: settlement.environment, choice: choice, fields: fields,
      reference: nil)
    try await planEnd(of: setup)
    return try await take(try await providers.active.beginSaving(setup), of: setup, session: session)
  }

  /// Writes the outbox row that ends a setup when its time is over, where the provider keeps methods.
  private func planEnd(of setup: MethodSetupRequest) async throws {
    let provider = providers.active
    guard provider.traits.keepsMethods else { return }
    // The provider's time, also in a sandbox whose clock was moved.
    let begunAt = dependencies.clock.unmovedNow()
    try await dependencies.database.write(at: dependencies.clock.now()) { [outbox = settlement.outbox] transaction in
      let request = MethodSetupEndRequest(
        id: setup.id, account: setup.account, provider: provider.name, environment: setup.environment,
        begunAt: begunAt)
      try outbox.add(
        PaymentOutboxKind.endSetup, payload: try OutboxPayload.text(request),
        due: transaction.now + Self.setupLimit, in: transaction)
    }
  }

  /// Ends a setup whose time is over. What was saved meanwhile, while nobody was on the page any more, is taken over.
  /// The outbox may call it repeatedly.
  func endSetup(_ request: MethodSetupEndRequest, with provider: any PaymentProvider) async throws {
    guard let details = try await provider.endSaving(request) else { return }
    let report = MethodReport(id: request.id, account: request.account, details: details)
    let account = try await dependencies.database.write(at: dependencies.clock.now()) { [settlement] in
      try settlement.save(report, from: request.provider, in: $0)
    }
    if let account { changes.wake(account: account) }
  }

  /// Goes on with saving a method after the buyer was on the provider's page.
  func finishSetup(_ session: MethodsSession, fields: [String: String]) async throws -> MethodSetupOutcome {
    guard let setup = setup(of: session, fields: fields) else { return .refused }
    return try await take(try await providers.active.finishSaving(setup), of: setup, session: session)
  }

  /// The setup that a session waits for.
  func setup(of session: MethodsSession, fields: [String: String] = [:]) -> MethodSetupRequest? {
    session.setup.map {
      MethodSetupRequest(
        id: $0.id, account: session.account, environment: settlement.environment, choice: $0.choice, fields: fields,
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
      try await dependencies.database.write(at: now) { [settlement] transaction in
        _ = try settlement.save(report, from: provider, in: transaction)
        guard session.setup != nil else { return }
        try MethodsSessionRecords.setSetup(nil, of: session.token, in: transaction)
      }
      return .saved
    }
  }

  /// Makes a saved method the account's first choice on payment pages; false when it is not there. The methods of
  /// subscriptions stay.
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

  /// Removes a method of an account, here and at its provider, and takes it from the subscriptions that use it; false
  /// when it is not there.
  @discardableResult
  public func remove(_ method: String, of account: String) async throws -> Bool {
    try await remove(method, of: account, replacedBy: nil)
  }

  /// Removes a method of an account, as its page has asked. The subscriptions that use it are charged to the
  /// replacement from then on, an unpaid renewal at once; without one their renewal ends.
  ///
  /// - Returns: false when the method is not there, the replacement cannot be charged, or the page has stated other
  ///   charges than are due by now.
  func remove(_ method: String, of account: String, replacedBy replacement: MethodReplacement?) async throws -> Bool {
    let isRemoved = try await dependencies.database.write(at: dependencies.clock.now()) { [self] transaction in
      guard let known = try PaymentMethodRecords.method(method, of: account, in: transaction) else { return false }
      if let replacement {
        guard try replace(known.id, of: account, by: replacement, in: transaction) else { return false }
      }
      try settlement.methodRemoved(known.id, in: transaction)
      try PaymentMethodRecords.delete(known.id, in: transaction)
      try MethodRemovals(providers: providers, environment: settlement.environment).request(
        known.details.reference, at: known.provider, of: account, in: transaction)
      return true
    }
    if isRemoved { changes.wake(account: account) }
    return isRemoved
  }

  private func replace(
    _ method: String, of account: String, by replacement: MethodReplacement, in transaction: StoreTransaction
  ) throws -> Bool {
    let transaction = try transaction.at(timeOf: account, in: settlement.environment)
    guard replacement.method != method,
      let chosen = try PaymentMethodRecords.method(replacement.method, of: account, in: transaction),
      chosen.isSaved, providers.canCharge(chosen)
    else { return false }
    for known in try SubscriptionRecords.using(method: method, in: transaction) {
      try settlement.passTime(of: known.key, in: transaction)
    }
    let uses = try SubscriptionRecords.using(method: method, in: transaction)
    guard MethodReplacement.statement(of: uses) == replacement.statement else { return false }
    for known in uses { try settlement.setMethod(chosen, of: known, in: transaction) }
    return true
  }
}

/// The method that takes the place of a removed one in the subscriptions that use it.
struct MethodReplacement: Sendable {
  /// The id of a saved method.
  let method: String
  /// The subscriptions and prices on the page of the removal.
  let statement: String

  /// The subscriptions that use a method, with their next prices.
  static func statement(of uses: [StoredSubscription]) -> String {
    uses.map { "\($0.key.app)/\($0.key.group)=\($0.machine.nextPrice?.plainText ?? "")" }.sorted()
      .joined(separator: " ")
  }
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
