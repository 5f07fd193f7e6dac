import Foundation
import OnsideAPI
import OnsideCommerce
import StoreTestSupport
import Testing

/// `onside listen`, with a store and a receiver.
@Suite(.timeLimit(.minutes(5))) struct ListenCommandTests {
  private static let secretFile = "onside-listen.secret"
  private let onside: Program

  init() throws { onside = try Program() }

  /// A serving store with an API key.
  private struct Stage {
    let program: ChildProgram
    let client: StoreClient
    let key: String

    /// Buys gold; returns the id of the order.
    func buy() async throws -> String {
      let id = OrderID(UUID())
      _ = try await client.order(id)
      try await client.pay(id)
      return id.description
    }
  }

  private func stage() async throws -> Stage {
    let shop = try await Shop(onside.folder)
    let output = try await onside.run("api-key", "add", "--app", Shop.app, "--scopes", "read").output
    let key = try #require(output.firstMatch(of: /onsk_\S+/)).output
    let (program, client) = try await onside.serve(shop)
    return Stage(program: program, client: client, key: String(key))
  }

  private func arguments(_ stage: Stage, _ receiver: EventReceiver, _ options: [String]) -> [String] {
    ["listen", "--forward-to", receiver.url, "--store", stage.client.address.absoluteString] + options
  }

  private func listen(
    _ stage: Stage, to receiver: EventReceiver, _ options: String...
  ) async throws -> Program.Outcome {
    try await onside.run(arguments(stage, receiver, options), environment: ["ONSIDE_API_KEY": stage.key])
  }

  private func receiver(status: Int = 204) async throws -> EventReceiver {
    try await EventReceiver(in: onside.folder, secretFile: Self.secretFile, status: status)
  }

  @Test("An event of the feed arrives with a valid signature; the secret stays the same")
  func delivery() async throws {
    let (stage, receiver) = (try await stage(), try await receiver())
    let order = try await stage.buy()
    let options = ["--since", "1h", "--types", "order.paid", "--expect", "order.paid", "--timeout", "60s"]
    let environment = ["ONSIDE_API_KEY": stage.key]
    let first = try await onside.run(arguments(stage, receiver, options), environment: environment)
    #expect(first.status == 0, "\(first)")
    let delivered = try receiver.deliveries
    let delivery = try #require(delivered.first)
    #expect(delivered.count == 1 && delivery.valid)
    let shown = try await onside.run("event", "show", delivery.id).output
    let event = try WireCoding.decoder().decode(MerchantEventMessage.self, from: Data(shown.utf8))
    let body = try WireCoding.decoder().decode(MerchantEventMessage.self, from: Data(delivery.body.utf8))
    #expect(body == event)
    #expect(first.output.contains("  order.paid  order \(order) #1  204  "), "\(first.output)")
    let secret = try #require(first.output.firstMatch(of: /whsec_\S+/)).output
    let mode = try FileManager.default.attributesOfItem(atPath: onside.folder.file(Self.secretFile))[.posixPermissions]
    #expect(mode as? Int == 0o600)
    let second = try await onside.run(arguments(stage, receiver, options), environment: environment)
    #expect(second.output.contains(secret), "\(second)")
    await stage.program.stopCleanly()
  }

  @Test("With --twice an event is sent two times with one id; with --drop 100% it is not sent")
  func faults() async throws {
    let (stage, receiver) = (try await stage(), try await receiver())
    _ = try await stage.buy()
    let twice = try await listen(
      stage, to: receiver, "--since", "1h", "--types", "order.paid", "--twice", "--expect", "order.paid", "--timeout",
      "60s")
    #expect(twice.status == 0, "\(twice)")
    let ids = try receiver.deliveries.map(\.id)
    #expect(ids.count == 2 && Set(ids).count == 1)
    let dropped = try await listen(
      stage, to: receiver, "--since", "1h", "--types", "order.paid", "--drop", "100%", "--expect", "order.paid",
      "--timeout", "3s")
    #expect(dropped.status == 1 && dropped.output.contains("  dropped\n"), "\(dropped)")
    let count = try receiver.deliveries.count
    #expect(count == 2)
    await stage.program.stopCleanly()
  }

  @Test("A receiver that answers 500, and an event that does not come, end --expect with 1")
  func expectations() async throws {
    let (stage, receiver) = (try await stage(), try await receiver(status: 500))
    _ = try await stage.buy()
    let rejected = try await listen(
      stage, to: receiver, "--since", "1h", "--expect", "order.paid", "--timeout", "5s", "--json")
    #expect(rejected.status == 1 && rejected.errors.contains("within 5s"), "\(rejected)")
    #expect(rejected.output.contains(#""outcome":"rejected_status""#), "\(rejected.output)")
    #expect(rejected.output.contains(#""status":500,"type":"order.paid""#), "\(rejected.output)")
    let missing = try await listen(stage, to: receiver, "--expect", "dispute.opened", "--timeout", "1s")
    #expect(missing.status == 1, "\(missing)")
    await stage.program.stopCleanly()
  }

  @Test("Without --since it begins with the next event")
  func next() async throws {
    let (stage, receiver) = (try await stage(), try await receiver())
    let earlier = try await stage.buy()
    try await NamedDeadline.wait(for: "the number of the first event", every: .milliseconds(50)) {
      try await onside.run("event", "list").output.contains(earlier)
    }
    let program = try onside.launch(
      arguments(stage, receiver, ["--types", "order.paid"]), environment: ["ONSIDE_API_KEY": stage.key])
    _ = try #require(try await program.line(after: "secret      "))
    try await NamedDeadline.wait(for: "an event at the receiver", every: .milliseconds(300)) {
      _ = try await stage.buy()
      return try !receiver.deliveries.isEmpty
    }
    let delivered = try receiver.deliveries
    #expect(delivered.allSatisfy { $0.valid && !$0.body.contains(earlier) })
    program.send(SIGTERM)
    await program.ended()
    await stage.program.stopCleanly()
  }

  @Test("A cursor that the store does not know begins the feed again, with a line that says so")
  func startsOver() async throws {
    let (stage, receiver) = (try await stage(), try await receiver())
    _ = try await stage.buy()
    let outcome = try await listen(
      stage, to: receiver, "--after", "evt_unknown_7", "--expect", "order.paid", "--timeout", "60s")
    #expect(outcome.status == 0 && outcome.output.contains("begins again at its oldest event"), "\(outcome)")
    await stage.program.stopCleanly()
  }

  @Test("An unknown cursor of a feed without events starts over once")
  func startsOverWithoutEvents() async throws {
    let (stage, receiver) = (try await stage(), try await receiver())
    let outcome = try await listen(
      stage, to: receiver, "--after", "evt_unknown_7", "--expect", "order.paid", "--timeout", "5s")
    #expect(outcome.status == 1, "\(outcome)")
    let count = outcome.output.matches(of: /begins again at its oldest event/).count
    #expect(count == 1, "\(outcome)")
    await stage.program.stopCleanly()
  }

  @Test("A wrong key, a missing store and a secret that others can read are errors")
  func mistakes() async throws {
    let (stage, receiver) = (try await stage(), try await receiver())
    let key = try await onside.run(arguments(stage, receiver, ["--key", "onsk_wrong"]))
    #expect(key.status == 1 && key.errors.contains("401"), "\(key)")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o644], ofItemAtPath: onside.folder.file(Self.secretFile))
    let readable = try await listen(stage, to: receiver)
    #expect(readable.status == 1 && readable.errors.contains("chmod 600"), "\(readable)")
    await stage.program.stopCleanly()
    try FileManager.default.removeItem(atPath: onside.folder.file(Self.secretFile))
    let noKey = try await onside.run(arguments(stage, receiver, []))
    #expect(noKey.status == 1 && noKey.errors.contains("ONSIDE_API_KEY"), "\(noKey)")
    #expect(!FileManager.default.fileExists(atPath: onside.folder.file(Self.secretFile)))
    let closed = try await listen(stage, to: receiver)
    #expect(closed.status == 1 && closed.errors.contains("expected the feed of the store at"), "\(closed)")
    for options in [
      ["--types", "order.none"], ["--drop", "10"], ["--shuffle", "0"], ["--timeout", "soon"],
      ["--since", "2h", "--after", "evt_a_1"], ["--expect", "order.paid", "--types", "order.refunded"],
    ] {
      let wrong = try await onside.run(arguments(stage, receiver, options))
      #expect(wrong.status == 64, "\(options) \(wrong)")
    }
  }
}
