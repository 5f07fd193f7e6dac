import Foundation
import OnsideAPI
import StoreBase
import Testing

@testable import StoreMerchants

/// The cases of `onside webhook test`.
@Suite(.timeLimit(.minutes(5))) struct WebhookCaseTests {
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)
  private let secret = WebhookSecret(SystemRandom())
  private let second = WebhookSecret(SystemRandom())

  private func cases(withSecond: Bool = false) -> WebhookCases {
    WebhookCases(
      secret: secret, secondSecret: withSecond ? second : nil, app: "io.example.lumen", random: SystemRandom(),
      now: Self.now)
  }

  private func requests(_ name: String, withSecond: Bool = false) throws -> [WebhookCaseRequest] {
    try #require(cases(withSecond: withSecond).all.first { $0.name == name }).requests
  }

  private func request(_ name: String, withSecond: Bool = false) throws -> WebhookCaseRequest {
    let requests = try requests(name, withSecond: withSecond)
    return try #require(requests.first)
  }

  /// Whether one of the signatures of a request is by a secret.
  private func isSigned(_ request: WebhookCaseRequest, by secret: WebhookSecret) -> Bool {
    let expected = WebhookSignature.header(
      id: request.id, timestamp: request.timestamp, body: request.body, secrets: [secret])
    return request.signature.split(separator: " ").contains { $0 == expected }
  }

  private func event(_ request: WebhookCaseRequest) throws -> MerchantEventMessage {
    try WireCoding.decoder().decode(MerchantEventMessage.self, from: Data(request.body))
  }

  @Test("only cases that expect a rejection have a wrong signature, body or time")
  func genuineness() {
    for one in cases(withSecond: true).all {
      for request in one.requests {
        let isSigned = isSigned(request, by: one.name == "second secret" ? second : secret)
        let isGenuine = isSigned && abs(request.timestamp.timeIntervalSince(Self.now)) < 300
        #expect(isGenuine == (one.expectation == .accepted), "\(one.name)")
      }
    }
  }

  @Test("each body is an event of a customer of its own case")
  func events() throws {
    let all = cases(withSecond: true)
    for one in all.all {
      for request in one.requests {
        let event = try event(request)
        #expect(event.id == request.id && event.data.app == "io.example.lumen", "\(one.name)")
        #expect(event.data.object == "customer" && event.data.subject == all.subject(of: one.name), "\(one.name)")
      }
    }
    #expect(Set(all.all.map(\.name)).count == 11)
    #expect(cases().all.count == 10)
  }

  @Test("one case sends the same request twice, one sends sequence 3 before 2, one an unknown type")
  func deliveries() throws {
    let twice = try requests("twice")
    #expect(twice.count == 2 && twice.first == twice.last)
    let sequences = try requests("out of order").map { try event($0).data.sequence }
    #expect(sequences == [3, 2])
    let unknown = try event(try request("unknown type")).type
    #expect(!MerchantEventType.all.contains(unknown))
  }

  @Test("two signatures: the receiver's is the second one; one body has 20 KB, one follows its headers after 2 seconds")
  func forms() throws {
    for withSecond in [false, true] {
      let request = try request("two signatures", withSecond: withSecond)
      let signatures = request.signature.split(separator: " ")
      let own = WebhookSignature.header(
        id: request.id, timestamp: request.timestamp, body: request.body, secrets: [secret])
      #expect(signatures.count == 2 && signatures.last.map { String($0) } == own)
      #expect(isSigned(request, by: second) == withSecond)
    }
    let large = try request("20 KB").body.count
    #expect((20_480..<22_528).contains(large), "\(large)")
    let pauses = Set(cases().all.filter { $0.requests.contains { $0.pause == .seconds(2) } }.map(\.name))
    #expect(pauses == ["slow body"])
  }

  @Test(
    "an unexpected answer fails a required case and is a warning in another one",
    arguments: [
      ("valid", [204], WebhookCaseResult.Verdict.passed), ("valid", [301], .failed), ("valid", [500], .failed),
      ("valid", [nil], .failed), ("twice", [200, 202], .passed), ("twice", [200, 409], .failed),
      ("wrong signature", [401], .passed), ("wrong signature", [200], .failed), ("wrong signature", [500], .failed),
      ("slow body", [200], .passed), ("slow body", [408], .warning),
    ] as [(String, [Int?], WebhookCaseResult.Verdict)])
  func verdicts(name: String, statuses: [Int?], verdict: WebhookCaseResult.Verdict) async throws {
    let one = try #require(cases().all.first { $0.name == name })
    var left = statuses
    let result = await WebhookCaseResult.run(one) { _ in
      WebhookCaseAnswer(status: left.removeFirst(), took: .milliseconds(1))
    }
    #expect(result.verdict == verdict)
    #expect((result.reason == nil) == (verdict == .passed))
    #expect(left.isEmpty)
  }
}
