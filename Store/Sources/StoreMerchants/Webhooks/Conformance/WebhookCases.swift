package import Foundation
import OnsideAPI
package import StoreBase

/// The cases of the conformance run for receivers.
package struct WebhookCases: Sendable {
  /// The smallest body of the case `20 KB`.
  static let largeBody = 20 * 1024
  /// The age of the timestamp in the case `old timestamp`; receivers tolerate five minutes.
  static let age: TimeInterval = 3600
  /// The pause before the body in the case `slow body`.
  static let pause: Duration = .seconds(2)

  private let secret: WebhookSecret
  private let secondSecret: WebhookSecret?
  private let unknownSecret: WebhookSecret
  private let events: WebhookCaseEvents

  /// - Parameters:
  ///   - secret: the secret of the receiver.
  ///   - secondSecret: another secret that the receiver accepts, or nil.
  ///   - app: the app of the events.
  ///   - now: the machine's time.
  package init(
    secret: WebhookSecret, secondSecret: WebhookSecret?, app: String, random: any RandomSource, now: Date
  ) {
    self.secret = secret
    self.secondSecret = secondSecret
    unknownSecret = WebhookSecret(random)
    events = WebhookCaseEvents(app: app, run: Hexadecimal.encode(random.bytes(4)), now: now)
  }

  /// The cases in the order of the table. Their timestamps are valid for five minutes.
  package var all: [WebhookCase] {
    [valid, wrongSignature, changedBody, oldTimestamp, twice, outOfOrder, unknownType, twoSignatures]
      + secondAlone + [large, slow]
  }

  /// The subject of a case's customer.
  package func subject(of name: String) -> String { events.subject(of: name) }

  private var valid: WebhookCase {
    let name = "valid"
    return WebhookCase(
      name: name, expectation: .accepted, requests: [signed(1, events.body(of: name, number: 1))])
  }

  private var wrongSignature: WebhookCase {
    let name = "wrong signature"
    let request = signed(2, events.body(of: name, number: 2), by: [unknownSecret])
    return WebhookCase(name: name, expectation: .rejected, requests: [request])
  }

  /// A space more, so that also a receiver fails that signs parsed and rewritten JSON.
  private var changedBody: WebhookCase {
    let name = "changed body"
    var request = signed(3, events.body(of: name, number: 3))
    request.body.insert(UInt8(ascii: " "), at: 1)
    return WebhookCase(name: name, expectation: .rejected, requests: [request])
  }

  private var oldTimestamp: WebhookCase {
    let name = "old timestamp"
    let request = signed(4, events.body(of: name, number: 4), at: events.now - Self.age)
    return WebhookCase(name: name, expectation: .rejected, requests: [request])
  }

  private var twice: WebhookCase {
    let name = "twice"
    let request = signed(5, events.body(of: name, number: 5))
    return WebhookCase(name: name, expectation: .accepted, requests: [request, request])
  }

  /// Both must be accepted: the status alone does not show whether the later state remains.
  private var outOfOrder: WebhookCase {
    let name = "out of order"
    let requests = [
      signed(7, events.body(of: name, number: 7, sequence: 3)),
      signed(6, events.body(of: name, number: 6, sequence: 2)),
    ]
    return WebhookCase(name: name, expectation: .accepted, requests: requests)
  }

  private var unknownType: WebhookCase {
    let name = "unknown type"
    let body = events.body(of: name, number: 8, type: WebhookCaseEvents.unknownType)
    return WebhookCase(name: name, expectation: .accepted, requests: [signed(8, body)])
  }

  /// The header of a rotation: the first signature is by the second secret, or by one that the receiver does not know.
  private var twoSignatures: WebhookCase {
    let name = "two signatures"
    let request = signed(9, events.body(of: name, number: 9), by: [secondSecret ?? unknownSecret, secret])
    return WebhookCase(name: name, expectation: .accepted, requests: [request])
  }

  private var secondAlone: [WebhookCase] {
    guard let secondSecret else { return [] }
    let name = "second secret"
    let request = signed(10, events.body(of: name, number: 10), by: [secondSecret])
    return [WebhookCase(name: name, expectation: .accepted, requests: [request])]
  }

  private var large: WebhookCase {
    let name = "20 KB"
    let body = events.body(of: name, number: 11, minimumSize: Self.largeBody)
    return WebhookCase(name: name, expectation: .accepted, requests: [signed(11, body)])
  }

  /// Not required: the store sends headers and body together, and a proxy may have a short timeout.
  private var slow: WebhookCase {
    let name = "slow body"
    var request = signed(12, events.body(of: name, number: 12))
    request.pause = Self.pause
    return WebhookCase(name: name, expectation: .accepted, isRequired: false, requests: [request])
  }

  /// A signed request; by the receiver's secret and now, unless others are given.
  private func signed(
    _ number: Int64, _ body: [UInt8], by secrets: [WebhookSecret]? = nil, at date: Date? = nil
  ) -> WebhookCaseRequest {
    let (id, date) = (events.id(number).text, date ?? events.now)
    let signature = WebhookSignature.header(id: id, timestamp: date, body: body, secrets: secrets ?? [secret])
    return WebhookCaseRequest(id: id, timestamp: date, signature: signature, body: body)
  }
}
