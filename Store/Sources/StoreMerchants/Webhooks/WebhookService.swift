package import Foundation
package import StoreBase

/// The endpoints of a store's apps, for operators: additions, changes and repeated events.
package struct WebhookService: Sendable {
  /// Days after which attempts are deleted.
  package static let attemptDays = 90
  /// Days after which the events of exhausted deliveries are deleted.
  private static let eventDays = 180

  private let database: any Database
  private let clock: SandboxClock
  private let random: any RandomSource
  private let seal: SecretSeal
  private let isSandbox: Bool

  package init(_ dependencies: BaseDependencies, secrets: StoreSecrets) {
    database = dependencies.database
    clock = dependencies.clock
    random = dependencies.random
    seal = SecretSeal(purpose: WebhookSecret.sealPurpose, secrets: secrets, random: dependencies.random)
    isSandbox = dependencies.environment == .sandbox
  }

  /// Adds an endpoint to a registered app. It gets the events from now on. Throws ``WebhookAddressError``.
  ///
  /// - Parameter types: the types of its events; empty for all.
  package func add(
    app: String, url: String, types: Set<String>, allowsPrivate: Bool
  ) async throws -> NewWebhookEndpoint {
    let address = try WebhookAddress(url, allowsPrivate: allowsPrivate, isSandbox: isSandbox)
    let (id, secret) = (WebhookEndpoint.id(random: random), WebhookSecret(random))
    let sealed = try seal.seal(secret.text, id: id)
    return try await database.write(at: clock.now()) { transaction in
      let endpoint = WebhookEndpoint(
        id: id, app: app, url: address.text, types: types, allowsPrivate: allowsPrivate, createdAt: transaction.now,
        cursor: try EventNumberRecords.newest(of: app, in: transaction), failingSince: nil, disabledAt: nil,
        disabledReason: nil, olderSecretEnd: nil)
      try EndpointRecords.insert(endpoint, secret: sealed, in: transaction)
      return NewWebhookEndpoint(endpoint: endpoint, secret: secret)
    }
  }

  /// The endpoints of an app, or of all apps; the oldest first.
  package func all(of app: String? = nil) async throws -> [WebhookEndpointState] {
    try await database.read { connection in
      let counts = try DeliveryRecords.counts(in: connection)
      return try EndpointRecords.all(of: app, in: connection).map { endpoint in
        let count = counts[endpoint.id] ?? DeliveryCounts()
        return WebhookEndpointState(endpoint: endpoint, waiting: count.waiting, exhausted: count.exhausted)
      }
    }
  }

  /// Gives an endpoint a new secret. For ``WebhookEndpoint/overlap`` more, requests are signed with both.
  ///
  /// - Parameter isImmediate: whether the previous secret ends now.
  /// - Returns: nil without this endpoint.
  package func rotate(_ id: String, isImmediate: Bool = false) async throws -> WebhookSecret? {
    let secret = WebhookSecret(random)
    let sealed = try seal.seal(secret.text, id: id)
    let isKnown = try await database.write(at: clock.now()) { transaction in
      let end = isImmediate ? transaction.now : transaction.now + WebhookEndpoint.overlap
      return try EndpointRecords.replaceSecret(of: id, by: sealed, until: end, in: transaction)
    }
    return isKnown ? secret : nil
  }

  /// Enables an endpoint. It continues from its cursor, and gets all deliveries that have failed.
  ///
  /// - Returns: the number of failed deliveries; nil without this endpoint.
  package func enable(_ id: String) async throws -> Int? {
    try await database.write(at: clock.now()) { transaction in
      guard try EndpointRecords.stored(id, in: transaction) != nil else { return nil }
      try EndpointRecords.enable(id, in: transaction)
      return try DeliveryRecords.restart(of: id, onlyFailed: false, in: transaction)
    }
  }

  /// Sends an endpoint no further events until it is enabled; false without this endpoint.
  package func disable(_ id: String) async throws -> Bool {
    try await database.write(at: clock.now()) {
      try EndpointRecords.disable(id, because: .byOperator, in: $0)
    }
  }

  /// Removes an endpoint with its deliveries and attempts; false without this endpoint.
  package func remove(_ id: String) async throws -> Bool {
    try await database.write(at: clock.now()) { try EndpointRecords.remove(id, in: $0) }
  }

  /// Removes the endpoints of an app with the app.
  package static func removeAll(of app: String, in transaction: StoreTransaction) throws {
    for endpoint in try EndpointRecords.all(of: app, in: transaction) {
      _ = try EndpointRecords.remove(endpoint.id, in: transaction)
    }
  }

  /// The newest attempts of an endpoint, the newest first; nil without this endpoint.
  package func attempts(_ id: String, onlyFailed: Bool = false, limit: Int = 100) async throws -> [LoggedAttempt]? {
    try await database.read { connection in
      guard try EndpointRecords.stored(id, in: connection) != nil else { return nil }
      return try AttemptRecords.newest(of: id, onlyFailed: onlyFailed, limit: limit, in: connection)
    }
  }

  /// Deletes old attempts and exhausted deliveries.
  package func clear() async throws {
    let now = clock.now()
    let attempts = now.addingTimeInterval(-Double(Self.attemptDays) * 86_400)
    let deliveries = now.addingTimeInterval(-Double(Self.eventDays) * 86_400)
    try await database.inPieces { try AttemptRecords.clear(endedBefore: attempts, in: $0) }
    try await database.inPieces { try DeliveryRecords.clear(startedBefore: deliveries, in: $0) }
  }
}

extension WebhookService {
  /// Sends an event again, of any type. Its id is the same.
  ///
  /// - Returns: 1; 0 for an event that does not exist, or that waits for its first attempt; nil without this endpoint.
  package func resend(_ event: MerchantEventID, to id: String) async throws -> Int? {
    try await database.write(at: clock.now()) { transaction in
      guard let endpoint = try EndpointRecords.stored(id, in: transaction)?.endpoint else { return nil }
      guard try FeedRecords.event(event.number, of: endpoint.app, in: transaction)?.id == event else { return 0 }
      let selection = ResendSelection(after: event.number - 1, last: min(event.number, endpoint.cursor))
      return try DeliveryRecords.add(selection, to: endpoint, in: transaction).count
    }
  }

  /// Sends all failed deliveries again; returns how many, nil without this endpoint.
  package func resendFailed(to id: String) async throws -> Int? {
    try await database.write(at: clock.now()) { transaction in
      guard try EndpointRecords.stored(id, in: transaction) != nil else { return nil }
      return try DeliveryRecords.restart(of: id, onlyFailed: true, in: transaction)
    }
  }

  /// Sends the events of the endpoint's types again that were written since a time. Returns how many, nil without this
  /// endpoint. Writes in pieces.
  package func resend(since time: Date, to id: String) async throws -> Int? {
    guard let endpoint = try await database.read({ try EndpointRecords.stored(id, in: $0)?.endpoint }) else {
      return nil
    }
    var total = 0
    var selection = ResendSelection(after: 0, last: endpoint.cursor, since: time, types: endpoint.types)
    while selection.after < selection.last {
      let part = try await database.write(at: clock.now()) { [selection] transaction in
        try DeliveryRecords.add(selection, to: endpoint, in: transaction)
      }
      total += part.count
      // The last piece has fewer rows, and ends the loop.
      selection.after = part.count > 0 ? part.last : selection.last
    }
    return total
  }
}
