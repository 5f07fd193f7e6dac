import Foundation
import Logging
import ServiceLifecycle
import StoreBase
import StoreSales

/// The deliveries of one endpoint under one lease: reads the feed and the due retries, sends what the plan decides, and
/// writes each result before another request takes its place.
struct EndpointRun: Sendable {
  /// The pause between two looks for new events during requests.
  private static let period: Duration = .milliseconds(200)

  private enum Turn: Sendable {
    case sent(WebhookRequest, number: Int64, WebhookAttempt)
    /// The store stops.
    case abandoned
    case tick
  }

  /// The plan after a look into the database, and the requests that it begins.
  private struct Step: Sendable {
    var plan: DeliveryPlan
    var requests: [(number: Int64, request: WebhookRequest)] = []
  }

  let lease: EndpointLease
  /// The cursor at the beginning.
  let cursor: Int64
  /// Whether the run continues while events wait for earlier ones of their objects.
  let waits: Bool
  let dependencies: BaseDependencies
  let seal: SecretSeal
  let sender: any WebhookSending

  private var clock: SandboxClock { dependencies.clock }

  /// Delivers until nothing is left, the lease is lost or the store stops.
  func run() async throws {
    var plan = DeliveryPlan(cursor: cursor)
    let isHeld = try await withThrowingTaskGroup(of: Turn.self) { group in
      defer { group.cancelAll() }
      var (isTicking, renewedAt) = (false, clock.unmovedNow())
      var readsRows = true
      while !Task.isShuttingDownGracefully, let step = try await step(plan, readsRows: readsRows) {
        plan = step.plan
        readsRows = false
        for next in step.requests { group.addTask { await send(next.request, number: next.number) } }
        guard plan.isSending || waits && !plan.isIdle(at: clock.now()) else { return true }
        if !isTicking { group.addTask { await tick() } }
        isTicking = true
        switch try await group.next() {
        case .sent(let request, let number, let attempt): finish(number, request, attempt, in: &plan)
        case .tick: (isTicking, readsRows) = (false, true)
        case .abandoned, nil: return true
        }
        let changes = plan.takeChanges(at: clock.now())
        let isOld = clock.unmovedNow() >= renewedAt + EndpointLease.renewalAge
        guard changes.areUrgent || isOld else { continue }
        renewedAt = clock.unmovedNow()
        guard try await write(changes) else { return false }
      }
      return true
    }
    if isHeld { _ = try await write(plan.takeChanges(at: clock.now()), releases: true) }
  }

  private func tick() async -> Turn {
    try? await cancelWhenGracefulShutdown { try await clock.sleep(for: Self.period) }
    return .tick
  }

  private func send(_ request: WebhookRequest, number: Int64) async -> Turn {
    guard !request.secrets.isEmpty else { return .sent(request, number: number, .secretUnreadable) }
    let attempt = try? await cancelWhenGracefulShutdown {
      let attempt = await sender.send(request)
      // A cancelled request says nothing about the receiver.
      if attempt.outcome != .delivered { try Task.checkCancellation() }
      return attempt
    }
    return attempt.map { .sent(request, number: number, $0) } ?? .abandoned
  }

  private func finish(
    _ number: Int64, _ request: WebhookRequest, _ attempt: WebhookAttempt, in plan: inout DeliveryPlan
  ) {
    let byte = dependencies.random.bytes(1).first ?? 0
    plan.finish(number, event: request.id, attempt, at: clock.now(), jitter: Double(byte) / 256)
  }
}

extension EndpointRun {
  /// Reads the endpoint's state into the plan, and begins requests; nil if the endpoint was removed, or if another
  /// epoch has begun, so that the plan may know lost events.
  ///
  /// - Parameter readsRows: whether to read the rows also while the plan has enough due ones.
  private func step(_ plan: DeliveryPlan, readsRows: Bool) async throws -> Step? {
    let (now, machineNow) = (clock.now(), clock.unmovedNow())
    return try await dependencies.database.read { connection in
      guard try SyncEpoch.current(in: connection) == lease.epoch,
        let stored = try EndpointRecords.stored(lease.endpoint, in: connection)
      else { return nil }
      var step = Step(plan: plan)
      var work = try work(of: stored.endpoint, for: plan, in: connection)
      if readsRows || plan.needsRows(at: now) {
        work.rows = try DeliveryRecords.open(of: lease.endpoint, at: now, in: connection)
      }
      step.plan.take(work)
      let secrets = secrets(of: stored, at: now)
      for number in step.plan.start(at: now) {
        guard let event = try FeedRecords.event(number, of: stored.endpoint.app, in: connection) else {
          step.plan.drop(number)
          continue
        }
        step.requests.append(
          (number, request(event, to: stored.endpoint, at: machineNow, secrets: secrets)))
      }
      return step
    }
  }

  /// The endpoint's state and next events, without its rows.
  private func work(
    of endpoint: WebhookEndpoint, for plan: DeliveryPlan, in connection: any SQLConnection
  ) throws -> DeliveryWork {
    var work = DeliveryWork(isDisabled: endpoint.disabledAt != nil, failingSince: endpoint.failingSince)
    guard plan.room > 0 else { return work }
    let query = FeedQuery(app: endpoint.app, types: endpoint.types, limit: plan.room)
    let page = try FeedRecords.page(after: plan.looked, of: query, in: connection)
    work.events = page.events.map { event in
      WebhookDelivery(number: event.id.number, object: "\(event.kind.rawValue)/\(event.object)")
    }
    work.looked = page.cursor?.number ?? plan.looked
    return work
  }

  /// The newest secret, and until its end the previous one if its seal opens. Empty if the newest one's does not open.
  private func secrets(of stored: EndpointRecords.Stored, at now: Date) -> [WebhookSecret] {
    let id = stored.endpoint.id
    guard let newest = try? WebhookSecret(sealed: stored.secret, of: id, with: seal) else { return [] }
    guard let older = stored.olderSecret, let end = stored.endpoint.olderSecretEnd, now < end,
      let previous = try? WebhookSecret(sealed: older, of: id, with: seal)
    else { return [newest] }
    return [newest, previous]
  }

  /// The request of an event. Its body has the bytes of the feed, and its time is the machine's.
  private func request(
    _ event: FeedEvent, to endpoint: WebhookEndpoint, at machineNow: Date, secrets: [WebhookSecret]
  ) -> WebhookRequest {
    var json = JSONWriter()
    event.write(to: &json)
    return WebhookRequest(
      url: endpoint.url, allowsPrivate: endpoint.allowsPrivate, id: event.id.text, timestamp: machineNow,
      body: json.bytes, secrets: secrets)
  }

  /// Writes changes, and renews or releases the lease. Returns false, without changes, if the lease was lost.
  private func write(_ changes: DeliveryChanges, releases: Bool = false) async throws -> Bool {
    let machineNow = clock.unmovedNow()
    let isHeld = try await dependencies.database.write(at: clock.now()) { transaction in
      guard
        try EndpointLeaseRecords.renew(lease, cursor: changes.cursor, machineNow: machineNow, in: transaction)
      else { return false }
      try changes.write(of: lease.endpoint, in: transaction)
      if releases { try EndpointLeaseRecords.release(lease, in: transaction) }
      return true
    }
    if isHeld, let reason = changes.disabled {
      dependencies.logger.error(
        "a webhook endpoint is disabled", metadata: ["endpoint": "\(lease.endpoint)", "reason": "\(reason.rawValue)"])
    }
    return isHeld
  }
}

extension WebhookAttempt {
  /// The attempt of an endpoint whose secret cannot be read: nothing is sent.
  fileprivate static let secretUnreadable = WebhookAttempt(
    outcome: .secretUnreadable, answer: "the stored secret does not open: onside webhook rotate", took: .zero)
}

extension DeliveryChanges {
  /// Writes everything but the cursor.
  fileprivate func write(of endpoint: String, in transaction: StoreTransaction) throws {
    for delivery in stored.values { try DeliveryRecords.save(delivery, of: endpoint, in: transaction) }
    for number in deleted { try DeliveryRecords.delete(number, of: endpoint, in: transaction) }
    for attempt in attempts { try AttemptRecords.insert(attempt, of: endpoint, in: transaction) }
    switch failing {
    case .began(let time): try EndpointRecords.setFailing(since: time, of: endpoint, in: transaction)
    case .ended: try EndpointRecords.setFailing(since: nil, of: endpoint, in: transaction)
    case nil: break
    }
    if let disabled { _ = try EndpointRecords.disable(endpoint, because: disabled, in: transaction) }
  }
}
