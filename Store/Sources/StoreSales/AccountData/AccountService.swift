import Foundation
public import OnsideAPI
public import OnsideCommerce
public import StoreAccounts
package import StoreBase
package import StorePayments
import StoreWeb

/// Reads and changes accounts.
public struct AccountService: Sendable {
  private let database: any Database
  private let clock: any StoreClock
  private let changes: ChangeHub
  private let removal: AccountRemoval
  private let sessions: AccountSessions

  /// The accounts of a store.
  package init(
    _ dependencies: BaseDependencies, orders: OrderService, providers: PaymentProviders, sessions: AccountSessions,
    changes: ChangeHub
  ) {
    database = dependencies.database
    clock = dependencies.clock
    self.changes = changes
    self.sessions = sessions
    removal = AccountRemoval(
      orders: orders.records, cancellation: orders.cancellation, renewals: orders.renewals,
      environment: dependencies.environment, random: dependencies.random,
      methods: MethodRemovals(providers: providers, environment: dependencies.environment))
  }

  /// The account with an id, or nil.
  public func account(_ id: AccountID) async throws -> Account? {
    try await database.read { try AccountRecords.account(id: id, in: $0) }
  }

  /// The account that a number or address logs in to, or nil.
  public func account(_ contact: Contact) async throws -> Account? {
    try await database.read { try AccountRecords.account(identity: .contact(contact), in: $0) }
  }

  /// Removes an identity from the account of a login, and ends the account's other sessions; false when it is the
  /// account's last, or not the account's.
  func remove(_ proved: ProvedIdentity, by login: WebSession, language: Language) async throws -> Bool {
    let (orders, id, now) = (removal.orders, login.account.id, clock.now())
    let event = removal.random.token()
    let isRemoved = try await database.write(at: now) { transaction in
      guard let account = try AccountRecords.account(id: id, in: transaction),
        try AccountRecords.removeIdentity(proved.identity, from: id, in: transaction)
      else { return false }
      try orders.recordDeletedSubscriber(id, leftBy: [proved.identity], in: transaction)
      try AccountSessionRecords.endAll(of: id, but: login.token, in: transaction)
      try AccountNotice.queue(
        .loginRemoved, about: proved, to: account, language: language, event: event, in: transaction)
      return true
    }
    if isRemoved { try await sessions.apply(id) }
    return isRemoved
  }

  /// Moves an account to another region and wakes the polls of its apps; false when it is in that region already or
  /// was removed.
  public func changeRegion(of id: AccountID, to country: CountryCode) async throws -> Bool {
    let hasChanged = try await database.write(at: clock.now()) {
      try AccountRecords.setCountry(of: id, to: country, in: $0)
    }
    if hasChanged { changes.wake(account: id.description) }
    return hasChanged
  }

  /// Deletes hashes of deleted accounts whose time is over.
  package func clearDeletedSubscribers() async throws {
    let now = clock.now()
    try await database.inPieces { try DeletedSubscriberRecords.clear(at: now, in: $0) }
  }

  /// Removes an account: its number is free again, its browsers and apps are logged out, its cards are deleted, its
  /// open orders are cancelled. Paid orders stay in the books, without a link to the account.
  public func remove(_ id: AccountID) async throws {
    let (now, removal) = (clock.now(), removal)
    _ = try await database.write(at: now) { try removal.remove(id, in: $0) }
    changes.wake(account: id.description)
  }
}

/// `GET /v1/account`.
package struct AccountRoutes: RouteGroup {
  package let accounts: AccountService

  package init(accounts: AccountService) {
    self.accounts = accounts
  }

  func addRoutes(to routes: StoreRoutes) {
    routes.on(.account) { _, context in
      let customer = try context.requireClaims().customer
      guard let id = AccountID(customer.account), let account = try await accounts.account(id),
        !account.isRemoved
      else { throw Problem.notAuthenticated }
      return try .json(AccountMessage(subject: customer.subject, country: account.country))
    }
  }
}
