import Foundation

/// The deliveries of one endpoint in memory: decides the next requests, and the changes that follow from their results.
///
/// An event has a row if its first attempt failed, or if a later event was finished before it. The cursor moves over
/// finished events and those with a row. A process that ends therefore repeats the requests whose results it has not
/// written, and no others.
struct DeliveryPlan: Sendable, Equatable {
  /// The most requests at a time.
  static let concurrency = 8
  /// The most events that wait in memory for their first attempt.
  static let pageSize = 100
  /// Seconds in which later events of an object wait for an earlier one.
  static let orderedTime: TimeInterval = 60
  /// Seconds of failures only, after which the endpoint is disabled.
  static let failureLimit: TimeInterval = 5 * 86_400
  /// The failed attempts of one delivery before its endpoint is disabled: after days without an event, one failure says
  /// little.
  static let failedAttempts = 4

  /// The newest number of the feed that was read.
  private(set) var looked: Int64
  /// The requests at a time, fewer after the receiver has asked for a slowdown.
  private(set) var width = Self.concurrency
  /// Events without an attempt, in the order of their numbers.
  private var fresh: [WebhookDelivery] = []
  /// Rows that are due, or that later events wait for.
  private var rows: [Int64: WebhookDelivery] = [:]
  private var inFlight: [Int64: WebhookDelivery] = [:]
  private var failingSince: Date?
  private var isDisabled = false
  private var changes = DeliveryChanges()
  /// The highest number of a finished first attempt.
  private var newestFinished: Int64 = 0

  init(cursor: Int64) { looked = cursor }

  /// The number of further events that may be read.
  var room: Int { Self.pageSize - fresh.count }

  /// True if the plan has fewer due rows than it sends at a time.
  func needsRows(at now: Date) -> Bool { rows.values.count(where: { $0.isDue(at: now) }) < Self.concurrency }

  var isSending: Bool { !inFlight.isEmpty }

  /// True if no event waits for a request, its result or an earlier event of its object.
  func isIdle(at now: Date) -> Bool {
    inFlight.isEmpty && (isDisabled || fresh.isEmpty && !rows.values.contains { $0.isDue(at: now) })
  }

  /// Takes the state of the database, after all changes were written.
  mutating func take(_ work: DeliveryWork) {
    isDisabled = work.isDisabled
    failingSince = work.failingSince
    if let read = work.rows?.filter({ inFlight[$0.number] == nil }) {
      rows = Dictionary(read.map { ($0.number, $0) }) { first, _ in first }
    }
    fresh += work.events
    looked = max(looked, work.looked)
  }

  /// Begins the requests that may be sent now: due retries in at most half of the requests if new events wait, then new
  /// events. Returns their numbers.
  mutating func start(at now: Date) -> [Int64] {
    guard !isDisabled else { return [] }
    let first = firstOpen(at: now)
    func isInOrder(_ delivery: WebhookDelivery) -> Bool { first[delivery.object].map { $0 >= delivery.number } ?? true }
    let retries = rows.values.filter { $0.isDue(at: now) && isInOrder($0) }
      .sorted { ($0.dueAt ?? now, $0.number) < ($1.dueAt ?? now, $1.number) }
    let new = fresh.filter(isInOrder)
    let free = max(0, width - inFlight.count)
    let share = new.isEmpty ? width : max(1, width / 2)
    let stored = inFlight.values.filter(\.isStored).count
    let chosen = retries.prefix(min(free, max(0, share - stored)))
    let started = chosen + new.prefix(free - chosen.count)
    for delivery in started { begin(delivery, at: now) }
    return started.map(\.number)
  }

  private mutating func begin(_ delivery: WebhookDelivery, at now: Date) {
    var delivery = delivery
    delivery.startedAt = delivery.startedAt ?? now
    inFlight[delivery.number] = delivery
    rows[delivery.number] = nil
    fresh.removeAll { $0.number == delivery.number }
  }

  /// The lowest open number of each object: later events wait for it.
  private func firstOpen(at now: Date) -> [String: Int64] {
    func isOrdered(_ delivery: WebhookDelivery) -> Bool {
      delivery.startedAt.map { now < $0 + Self.orderedTime } ?? true
    }
    let open = fresh + rows.values.filter(isOrdered) + inFlight.values.filter(isOrdered)
    return Dictionary(open.map { ($0.object, $0.number) }) { min($0, $1) }
  }

  /// Ends the delivery of a deleted event.
  mutating func drop(_ number: Int64) {
    guard let delivery = inFlight.removeValue(forKey: number) else { return }
    succeed(delivery)
  }

  /// Takes the result of a request.
  ///
  /// - Parameter jitter: a random number from 0 up to 1.
  mutating func finish(_ number: Int64, event: String, _ attempt: WebhookAttempt, at now: Date, jitter: Double) {
    guard let delivery = inFlight.removeValue(forKey: number) else { return }
    let isDelivered = attempt.outcome == .delivered
    changes.attempts.append(
      LoggedAttempt(
        event: event, endedAt: now, outcome: attempt.outcome, status: attempt.status,
        answer: isDelivered ? "" : attempt.answer, milliseconds: Int64(attempt.took / .milliseconds(1))))
    guard isDelivered else { return fail(delivery, attempt, at: now, jitter: jitter) }
    width = min(width + 1, Self.concurrency)
    if failingSince != nil || changes.failing != nil { changes.failing = .ended }
    failingSince = nil
    succeed(delivery)
  }

  private mutating func succeed(_ delivery: WebhookDelivery) {
    if delivery.isStored { changes.deleted.append(delivery.number) } else { finishFirst(delivery.number) }
  }

  private mutating func fail(_ delivery: WebhookDelivery, _ attempt: WebhookAttempt, at now: Date, jitter: Double) {
    if attempt.asksForSlowdown { width = max(1, width / 2) }
    let start = failingSince ?? now
    if failingSince == nil { changes.failing = .began(now) }
    failingSince = start
    var delivery = delivery
    delivery.attempts += 1
    delivery.dueAt = WebhookRetries.delay(after: delivery.attempts, jitter: jitter).map {
      now + RetryAfter.pause(planned: $0, requested: attempt.retryAfter)
    }
    if !delivery.isStored { finishFirst(delivery.number) }
    store(delivery)
    if attempt.outcome == .gone {
      disable(.gone)
    } else if delivery.attempts >= Self.failedAttempts, now.timeIntervalSince(start) >= Self.failureLimit {
      disable(.failures)
    }
  }

  private mutating func finishFirst(_ number: Int64) { newestFinished = max(newestFinished, number) }

  private mutating func disable(_ reason: WebhookEndpoint.DisabledReason) {
    isDisabled = true
    changes.disabled = reason
  }

  private mutating func store(_ delivery: WebhookDelivery) {
    var delivery = delivery
    delivery.isStored = true
    rows[delivery.number] = delivery
    changes.stored[delivery.number] = delivery
  }

  /// Returns the changes since the last call. Events before a finished one get rows, so that the cursor passes them.
  mutating func takeChanges(at now: Date) -> DeliveryChanges {
    for var delivery in inFlight.values where !delivery.isStored && delivery.number < newestFinished {
      delivery.dueAt = now
      delivery.isStored = true
      inFlight[delivery.number] = delivery
      changes.stored[delivery.number] = delivery
    }
    let passed = fresh.prefix { $0.number < newestFinished }
    fresh.removeFirst(passed.count)
    for var delivery in passed {
      (delivery.startedAt, delivery.dueAt) = (now, now)
      store(delivery)
    }
    let open = fresh.first.map { [$0.number] } ?? []
    let first = (open + inFlight.values.filter { !$0.isStored }.map(\.number)).min()
    changes.cursor = first.map { $0 - 1 } ?? looked
    defer { changes = DeliveryChanges() }
    return changes
  }
}

/// The state of an endpoint in the database, as a plan takes it.
struct DeliveryWork: Sendable, Equatable {
  var isDisabled = false
  var failingSince: Date?
  /// Events after the plan's newest number, in the order of their numbers.
  var events: [WebhookDelivery] = []
  /// The newest number that was read, also of an event of another type.
  var looked: Int64 = 0
  /// Rows that are due or younger than ``DeliveryPlan/orderedTime``; nil if they were not read.
  var rows: [WebhookDelivery]?
}
