import Foundation

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
    try await dependencies.database.read { try PaymentMethodRecords.methods(of: account, in: $0) }
  }

  /// Saves one of the provider's choices; one that is there already is not saved twice. No money moves, so that the
  /// provider is asked without the outbox: a setup that is lost with its process is begun anew.
  func add(
    _ choice: String, fields: [String: String], session: MethodsSession
  ) async throws -> MethodSetupOutcome {
    let id = dependencies.random.uuid7(at: dependencies.clock.now()).lowercase
    let setup = MethodSetupRequest(
      id: id, account: session.account, environment: settlement.environment, choice: choice, fields: fields,
      reference: nil)
    return try await take(try await providers.active.beginSaving(setup), of: setup, session: session)
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
      try await dependencies.write(for: session.account) { [settlement] transaction in
        let isNew = try PaymentMethodRecords.save(
          details, of: provider, id: setup.id, for: session.account, in: transaction)
        if isNew { try settlement.methodChanged(of: session.account, in: transaction) }
        guard session.setup != nil else { return }
        try MethodsSessionRecords.setSetup(nil, of: session.token, in: transaction)
      }
      return .saved
    }
  }

  /// Makes a saved method the account's first choice; false when it is not there.
  @discardableResult
  public func prefer(_ method: String, of account: String) async throws -> Bool {
    try await dependencies.write(for: account) { [settlement] transaction in
      let first = try PaymentMethodRecords.methods(of: account, in: transaction).first
      if first?.id == method { return true }
      guard try PaymentMethodRecords.prefer(method, of: account, in: transaction) else { return false }
      try settlement.methodChanged(of: account, in: transaction)
      return true
    }
  }

  /// The methods that are kept for subscriptions of an account alone, the newest payment's first.
  public func keptMethods(of account: String) async throws -> [KeptPaymentMethod] {
    try await dependencies.database.read { [settlement] in try settlement.keptMethods(of: account, in: $0) }
  }

  /// Removes a saved method of an account, here and at its provider; false when it is not there.
  @discardableResult
  public func remove(_ method: String, of account: String) async throws -> Bool {
    try await dependencies.database.write(at: dependencies.clock.now()) { [self] transaction in
      guard let removed = try PaymentMethodRecords.remove(method, of: account, in: transaction) else { return false }
      try forget(removed.details.reference, at: removed.provider, of: account, in: transaction)
      return true
    }
  }

  /// Removes a method that is kept for subscriptions of an account alone, in the same way: their next renewals are
  /// charged to the account's first saved method, where it has one. False when it is not there.
  @discardableResult
  public func removeKept(_ method: KeptPaymentMethod.ID, of account: String) async throws -> Bool {
    try await dependencies.database.write(at: dependencies.clock.now()) { [self] transaction in
      let kept = try settlement.keptMethods(of: account, in: transaction)
      guard let removed = kept.first(where: { $0.id == method }) else { return false }
      try forget(removed.details.reference, at: removed.provider, of: account, in: transaction)
      return true
    }
  }

  private func forget(
    _ reference: String, at provider: String, of account: String, in transaction: StoreTransaction
  ) throws {
    let removals = MethodRemovals(providers: providers, environment: settlement.environment)
    try removals.request(reference, at: provider, of: account, in: transaction)
    try payments.forgetKept(reference, at: provider, of: account, in: transaction)
    try settlement.methodChanged(of: account, in: transaction)
  }
}
