package import Foundation
package import OnsideAPI
package import StoreBase

/// Forwards the events of a feed to a receiver, signed as webhooks are.
package struct FeedListener: Sendable {
  /// The first event of a forwarding.
  package enum Start: Sendable, Hashable {
    /// The first event after the present end of the feed.
    case end
    /// The first event after the one with this id.
    case after(String)
    /// The first event at or after a time of the store.
    case since(Date)
  }

  /// An occurrence of a forwarding.
  package enum Note: Sendable {
    /// An event was sent, with this result; nil for a dropped one.
    case forwarded(ForwardDelivery<MerchantEventMessage>, WebhookAttempt?)
    /// The store does not know the newest event: the feed begins again at its oldest event.
    case startsOver
    /// The feed cannot be read; the next request follows after a pause of some seconds.
    case unavailable(String, pause: TimeInterval)
  }

  /// Seconds that one request waits for events.
  private static let wait = 25
  /// Seconds before another request, if the store names no pause.
  private static let pause: TimeInterval = 2

  private let feed: FeedClient
  private let types: [MerchantEventType]
  private let start: Start
  private let receiver: WebhookReceiver
  private let plan: ForwardPlan

  /// - Parameter types: the types of the events; empty for all.
  package init(
    feed: FeedClient, types: [MerchantEventType], start: Start, receiver: WebhookReceiver, plan: ForwardPlan
  ) {
    (self.feed, self.types, self.start) = (feed, types, start)
    (self.receiver, self.plan) = (receiver, plan)
  }

  /// Forwards events until the task is cancelled, or the receiver has answered an event of a type with 2xx and the
  /// other events of its page are sent.
  ///
  /// - Throws: ``FeedClientError`` if the first request fails, or a later one is rejected.
  package func run(until expected: MerchantEventType?, report: @Sendable (Note) -> Void) async throws {
    var plan = plan
    var cursor = try await firstCursor()
    var hasAnswered = false
    while true {
      guard let page = try await self.page(after: cursor, hasAnswered: hasAnswered, report: report) else { continue }
      hasAnswered = true
      if page.startsOver { report(.startsOver) }
      cursor = page.startsOver ? page.cursor : page.cursor ?? cursor
      // The answer of a feed that starts over does not wait for events.
      if page.startsOver, page.events.isEmpty { try await Task.sleep(for: .seconds(1)) }
      let isMet = try await forward(plan.deliveries(of: page.events.filter(isWanted)), until: expected, report: report)
      if isMet { return }
    }
  }

  private func firstCursor() async throws -> String? {
    switch start {
    case .end: try await feed.end()
    case .after(let id): id
    case .since: nil
    }
  }

  private func isWanted(_ event: MerchantEventMessage) -> Bool {
    guard case .since(let time) = start else { return true }
    return event.timestamp >= time
  }

  /// Returns the next page; nil after a pause, if the store is not available.
  private func page(
    after cursor: String?, hasAnswered: Bool, report: @Sendable (Note) -> Void
  ) async throws -> MerchantFeedMessage? {
    do {
      return try await feed.page(after: cursor, types: types, wait: Self.wait)
    } catch FeedClientError.unavailable(let reason, let named) where hasAnswered || start == .end {
      let pause = named ?? Self.pause
      report(.unavailable(reason, pause: pause))
      try await Task.sleep(for: .seconds(pause))
      return nil
    }
  }

  /// Sends events, one after the other. Returns whether one of the expected type was answered with 2xx.
  private func forward(
    _ deliveries: [ForwardDelivery<MerchantEventMessage>], until expected: MerchantEventType?,
    report: @Sendable (Note) -> Void
  ) async throws -> Bool {
    var isMet = false
    for delivery in deliveries {
      let attempt = delivery.isDropped ? nil : try await receiver.send(delivery.event)
      try Task.checkCancellation()
      report(.forwarded(delivery, attempt))
      if attempt?.outcome == .delivered, delivery.event.type == expected { isMet = true }
    }
    return isMet
  }
}

/// A receiver of webhooks with its secret.
package struct WebhookReceiver: Sendable {
  private let url: String
  private let secret: WebhookSecret
  private let sender: any WebhookSending
  private let clock: any StoreClock

  package init(url: String, secret: WebhookSecret, sender: any WebhookSending, clock: any StoreClock) {
    (self.url, self.secret) = (url, secret)
    (self.sender, self.clock) = (sender, clock)
  }

  /// Sends an event in the JSON of this version, which a feed of the same version has. Private addresses are permitted:
  /// the receiver is the caller's.
  func send(_ event: MerchantEventMessage) async throws -> WebhookAttempt {
    let body = Array(try WireCoding.encoder().encode(event))
    return await sender.send(
      WebhookRequest(
        url: url, allowsPrivate: true, id: event.id, timestamp: clock.now(), body: body, secrets: [secret]))
  }
}
