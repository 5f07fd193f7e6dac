import Foundation
import StoreTestSupport
import Testing

@testable import StoreMerchants

/// The next requests to an endpoint, and the changes that follow from their results.
@Suite("Plan of an endpoint's deliveries", .timeLimit(.minutes(1)))
struct DeliveryPlanTests {
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)
  private static let delivered = WebhookAttempt(outcome: .delivered, status: 200, took: .milliseconds(3))
  private static let rejected = WebhookAttempt(
    outcome: .rejectedStatus, status: 500, answer: "broken", took: .milliseconds(3))

  private func events(_ numbers: ClosedRange<Int64>, of object: String? = nil) -> [WebhookDelivery] {
    numbers.map { WebhookDelivery(number: $0, object: object ?? "order/\($0)") }
  }

  /// A plan that has read some events.
  private func plan(_ numbers: ClosedRange<Int64>, of object: String? = nil) -> DeliveryPlan {
    var plan = DeliveryPlan(cursor: numbers.lowerBound - 1)
    plan.take(DeliveryWork(events: events(numbers, of: object), looked: numbers.upperBound))
    return plan
  }

  private func finish(
    _ number: Int64, _ attempt: WebhookAttempt = DeliveryPlanTests.delivered, at now: Date = DeliveryPlanTests.now,
    in plan: inout DeliveryPlan
  ) {
    plan.finish(number, event: "evt_a_\(number)", attempt, at: now, jitter: 0)
  }

  @Test("At most eight requests are sent at a time, in the order of the numbers")
  func concurrency() {
    var plan = plan(1...20)
    let first = plan.start(at: Self.now)
    #expect(first == Array(1...8))
    let none = plan.start(at: Self.now)
    #expect(none.isEmpty)
    finish(1, in: &plan)
    let next = plan.start(at: Self.now)
    #expect(next == [9])
  }

  @Test("The cursor moves to the number before the first event whose result is unknown")
  func cursor() {
    var plan = plan(1...3)
    _ = plan.start(at: Self.now)
    finish(1, in: &plan)
    let first = plan.takeChanges(at: Self.now)
    #expect(first.cursor == 1 && first.stored.isEmpty)
    finish(2, in: &plan)
    finish(3, in: &plan)
    let last = plan.takeChanges(at: Self.now)
    #expect(last.cursor == 3 && last.attempts.map(\.event) == ["evt_a_2", "evt_a_3"])
    #expect(plan.isIdle(at: Self.now))
  }

  @Test("Events before a finished one get rows, and their rows are deleted after their success")
  func outOfOrder() {
    var plan = plan(1...3)
    _ = plan.start(at: Self.now)
    finish(3, in: &plan)
    let changes = plan.takeChanges(at: Self.now)
    #expect(changes.cursor == 3)
    #expect(changes.stored.keys.sorted() == [1, 2])
    #expect(changes.stored.values.allSatisfy { $0.attempts == 0 && $0.dueAt == Self.now })
    finish(1, in: &plan)
    finish(2, Self.rejected, in: &plan)
    let later = plan.takeChanges(at: Self.now)
    #expect(later.deleted == [1])
    #expect(later.stored[2]?.attempts == 1)
  }

  @Test("The cursor passes events of other types")
  func otherTypes() {
    var plan = plan(1...1)
    plan.take(DeliveryWork(looked: 40))
    let waiting = plan.takeChanges(at: Self.now)
    #expect(waiting.cursor == 0 && !waiting.areUrgent)
    _ = plan.start(at: Self.now)
    finish(1, in: &plan)
    let done = plan.takeChanges(at: Self.now)
    #expect(done.cursor == 40)
  }

  @Test("WHK-2: a failed delivery is repeated by the table, and has no retry after ten attempts")
  func retries() {
    var plan = plan(1...1)
    var (now, pauses) = (Self.now, [TimeInterval]())
    for _ in 1...10 {
      let started = plan.start(at: now)
      #expect(started == [1])
      finish(1, Self.rejected, at: now, in: &plan)
      let changes = plan.takeChanges(at: now)
      #expect(changes.cursor == 1)
      guard let due = changes.stored[1]?.dueAt else { break }
      pauses.append(due.timeIntervalSince(now))
      let early = plan.start(at: due - 1)
      #expect(early.isEmpty)
      now = due
    }
    #expect(pauses == [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400])
    #expect(plan.isIdle(at: .distantFuture))
  }

  @Test("WHK-2: Retry-After extends a pause, at most to twice its length", arguments: [(1.0, 5.0), (7, 7), (90, 10)])
  func retryAfter(requested: TimeInterval, pause: TimeInterval) {
    var plan = plan(1...1)
    _ = plan.start(at: Self.now)
    finish(
      1, WebhookAttempt(outcome: .rejectedStatus, status: 503, retryAfter: requested, took: .zero), in: &plan)
    let changes = plan.takeChanges(at: Self.now)
    #expect(changes.stored[1]?.dueAt == Self.now + pause)
  }

  @Test("WHK-2: 429, 502 and 504 halve the requests at a time, and a success adds one", arguments: [429, 502, 504])
  func slowdown(status: Int) {
    var plan = plan(1...40)
    _ = plan.start(at: Self.now)
    let slow = WebhookAttempt(outcome: .rejectedStatus, status: status, took: .zero)
    for number: Int64 in 1...4 { finish(number, slow, in: &plan) }
    #expect(plan.width == 1)
    for number: Int64 in 5...8 { finish(number, in: &plan) }
    #expect(plan.width == 5)
    let next = plan.start(at: Self.now)
    #expect(next.count == 5)
  }

  @Test("WHK-3: an event waits for an earlier one of its object, for a minute at most")
  func order() {
    var plan = plan(1...3, of: "order/a")
    let first = plan.start(at: Self.now)
    #expect(first == [1])
    finish(1, Self.rejected, in: &plan)
    _ = plan.takeChanges(at: Self.now)
    let blocked = plan.start(at: Self.now + 4)
    #expect(blocked.isEmpty && !plan.isIdle(at: Self.now + 4))
    let retry = plan.start(at: Self.now + 5)
    #expect(retry == [1])
    finish(1, Self.rejected, at: Self.now + 5, in: &plan)
    _ = plan.takeChanges(at: Self.now + 5)
    let still = plan.start(at: Self.now + 59)
    #expect(still.isEmpty)
    let next = plan.start(at: Self.now + 60)
    #expect(next == [2])
  }

  @Test("WHK-3: a failed event delays no event of another object")
  func otherObjects() {
    var plan = DeliveryPlan(cursor: 0)
    plan.take(DeliveryWork(events: events(1...2, of: "order/a") + events(3...3), looked: 3))
    let started = plan.start(at: Self.now)
    #expect(started == [1, 3])
  }

  @Test("Due retries take at most half of the requests while new events wait")
  func share() {
    let rows = (1...20).map { number in
      WebhookDelivery(
        number: Int64(number), object: "order/\(number)", attempts: 3, startedAt: Self.now - 3600, dueAt: Self.now,
        isStored: true)
    }
    var plan = DeliveryPlan(cursor: 20)
    plan.take(DeliveryWork(events: events(21...40), looked: 40, rows: rows))
    let mixed = plan.start(at: Self.now)
    #expect(mixed == Array(1...4) + Array(21...24))
    var alone = DeliveryPlan(cursor: 20)
    alone.take(DeliveryWork(looked: 20, rows: rows))
    let retries = alone.start(at: Self.now)
    #expect(retries == Array(1...8))
  }

  @Test("Rows that are not read again stay in the plan, which needs others below eight due ones")
  func rowsInMemory() {
    let rows = (1...9).map { number in
      WebhookDelivery(
        number: Int64(number), object: "order/\(number)", attempts: 3, startedAt: Self.now - 3600, dueAt: Self.now,
        isStored: true)
    }
    var plan = DeliveryPlan(cursor: 9)
    #expect(plan.needsRows(at: Self.now))
    plan.take(DeliveryWork(looked: 9, rows: rows))
    #expect(!plan.needsRows(at: Self.now) && plan.needsRows(at: Self.now - 1))
    plan.take(DeliveryWork(looked: 9))
    let started = plan.start(at: Self.now)
    #expect(started == Array(1...8))
    #expect(plan.needsRows(at: Self.now))
    finish(1, in: &plan)
    plan.take(DeliveryWork(looked: 9))
    let next = plan.start(at: Self.now)
    #expect(next == [9])
  }

  @Test("WHK-4: status 410 disables the endpoint at once")
  func gone() {
    var plan = plan(1...20)
    _ = plan.start(at: Self.now)
    finish(1, WebhookAttempt(outcome: .gone, status: 410, took: .zero), in: &plan)
    let changes = plan.takeChanges(at: Self.now)
    #expect(changes.disabled == .gone && changes.stored[1] != nil)
    let next = plan.start(at: Self.now)
    #expect(next.isEmpty)
  }

  @Test("WHK-4: five days of failures only disable the endpoint; a success in between begins them again")
  func failures() {
    var plan = DeliveryPlan(cursor: 4)
    let limit = DeliveryPlan.failureLimit
    let rows = (1...4).map { number in
      WebhookDelivery(
        number: Int64(number), object: "order/\(number)", attempts: 3, startedAt: Self.now - 7200, dueAt: Self.now,
        isStored: true)
    }
    plan.take(DeliveryWork(failingSince: Self.now - limit + 1, looked: 4, rows: rows))
    _ = plan.start(at: Self.now)
    finish(1, Self.rejected, in: &plan)
    let before = plan.takeChanges(at: Self.now)
    #expect(before.disabled == nil && before.failing == nil)
    finish(2, in: &plan)
    let success = plan.takeChanges(at: Self.now)
    #expect(success.failing == .ended)
    finish(3, Self.rejected, at: Self.now + 1, in: &plan)
    let again = plan.takeChanges(at: Self.now + 1)
    #expect(again.failing == .began(Self.now + 1) && again.disabled == nil)
    finish(4, Self.rejected, at: Self.now + 1 + limit, in: &plan)
    let after = plan.takeChanges(at: Self.now + 1 + limit)
    #expect(after.disabled == .failures)
  }

  @Test("WHK-4: thirty days after a failure, an event's fourth failed attempt disables the endpoint, no earlier one")
  func silence() {
    var plan = plan(1...1)
    _ = plan.start(at: Self.now)
    finish(1, Self.rejected, in: &plan)
    _ = plan.takeChanges(at: Self.now)
    var now = Self.now + 30 * 86_400
    plan.take(DeliveryWork(failingSince: Self.now, events: events(2...2), looked: 2, rows: []))
    var reasons: [WebhookEndpoint.DisabledReason?] = []
    for _ in 1...DeliveryPlan.failedAttempts {
      let started = plan.start(at: now)
      #expect(started == [2])
      finish(2, Self.rejected, at: now, in: &plan)
      let changes = plan.takeChanges(at: now)
      reasons.append(changes.disabled)
      now = changes.stored[2]?.dueAt ?? now
    }
    #expect(reasons == [nil, nil, nil, .failures])
  }

  @Test("The log has the answer of a failed attempt, and none of a success")
  func log() {
    var plan = plan(1...2)
    _ = plan.start(at: Self.now)
    finish(1, WebhookAttempt(outcome: .delivered, status: 200, answer: "thanks", took: .seconds(1)), in: &plan)
    finish(2, Self.rejected, in: &plan)
    let attempts = plan.takeChanges(at: Self.now).attempts
    #expect(attempts.map(\.answer) == ["", "broken"])
    #expect(attempts.map(\.milliseconds) == [1000, 3])
    #expect(attempts.map(\.status) == [200, 500])
  }

  @Test("An event that no longer exists ends its delivery without an attempt")
  func dropped() {
    var plan = plan(1...2)
    _ = plan.start(at: Self.now)
    plan.drop(1)
    let changes = plan.takeChanges(at: Self.now)
    #expect(changes.cursor == 1 && changes.attempts.isEmpty && changes.stored.isEmpty)
  }

  @Test(
    "Random results: each event is delivered or has a row, and the cursor passes no other", arguments: UInt64(1)...50)
  func random(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    var (plan, now) = (plan(1...60), Self.now)
    var (delivered, rows, flights) = (Set<Int64>(), [Int64: WebhookDelivery](), [Int64]())
    var cursor: Int64 = 0
    for _ in 0..<300 {
      now += Double.random(in: 0...400, using: &generator)
      plan.take(DeliveryWork(looked: 60, rows: rows.values.sorted { $0.number < $1.number }))
      flights += plan.start(at: now)
      #expect(flights.count <= DeliveryPlan.concurrency)
      if let index = flights.indices.randomElement(using: &generator) {
        let number = flights.remove(at: index)
        let isDelivered = Bool.random(using: &generator)
        if isDelivered { delivered.insert(number) }
        finish(number, isDelivered ? Self.delivered : Self.rejected, at: now, in: &plan)
      }
      let changes = plan.takeChanges(at: now)
      for (number, row) in changes.stored { rows[number] = row }
      for number in changes.deleted { rows[number] = nil }
      #expect(changes.cursor >= cursor)
      cursor = changes.cursor
      let passed = Set((1...60).filter { $0 <= cursor })
      #expect(passed.isSubset(of: delivered.union(rows.keys)))
      #expect(Set(rows.keys).isDisjoint(with: delivered))
    }
    #expect(cursor == 60)
  }
}
