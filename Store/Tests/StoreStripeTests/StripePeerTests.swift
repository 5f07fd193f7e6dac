import Foundation
import StoreBaseTestSupport
import StoreTestSupport
import StripeDouble
import Testing

@testable import StoreStripe

/// The double, the client and the signatures, each checked with Stripe's own library for Python.
@Suite(
  "Stripe: its own library", .enabled(if: StripePeer.isHere, "Python with stripe is missing: script/setup"),
  .timeLimit(.minutes(5)))
struct StripePeerTests {
  @Test("Stripe's client walks through the double: objects have its fields, errors are its classes")
  func walk() async throws {
    try await StripeServerDouble.run(now: { Date() }) { stripe in
      let lines = try await StripePeer.run("walk", stripe.address, stripe.secretKey, stripe.publishableKey)
      #expect(lines == [])
    }
  }

  @Test("Stripe's client takes the double's faults for what they are, and repeats a lost answer harmlessly")
  func faults() async throws {
    try await StripeServerDouble.run(now: { Date() }) { stripe in
      stripe.next(.rateLimited(retryAfter: 7))
      stripe.next(.serverError(afterEffect: true), on: "POST customers")
      stripe.next(.answerLost, on: "POST setup_intents")
      let lines = try await StripePeer.run("faults", stripe.address, stripe.secretKey)
      #expect(lines == [])
    }
  }

  @Test("Stripe's library takes the double's webhook calls, and none with another secret or body")
  func events() async throws {
    try await StripeWorld.run { world in
      try await WebhookReceiver.run { receiver in
        let (id, old) = world.stripe.addWebhook(receiver.url)
        try await Self.happen(world)
        await world.stripe.deliver()
        let new = try #require(world.stripe.rollSecret(of: id, keepingOldFor: 3600))
        _ = try await world.customer("a2")
        await world.stripe.deliver()
        let last = try #require(receiver.calls.last)
        var calls = receiver.calls.dropLast().map { Self.line($0, secret: old) }
        calls += [old, new].map { Self.line(last, secret: $0) }
        calls.append(Self.line(last, secret: "whsec_wrong", isGood: false))
        let changed = WebhookReceiver.Call(body: Array(last.body.dropLast()) + [32], signature: last.signature)
        calls.append(Self.line(changed, secret: new, isGood: false))
        #expect(calls.count > 25)
        let lines = try await StripePeer.run("events", lines: calls)
        #expect(lines == [])
      }
    }
  }

  @Test("The store takes what Stripe's library signs")
  func signed() async throws {
    let bodies = [Array(#"{"id":"evt_1"}"#.utf8), Array("ä€𝄞\n".utf8), [UInt8](repeating: 65, count: 1 << 20)]
    let time: Int64 = 1_780_000_000
    let calls = bodies.map { body in
      #"{"body":"\#(Data(body).base64EncodedString())","secret":"whsec_a_b","time":\#(time)}"#
    }
    let headers = try await StripePeer.run("sign", lines: calls).map { $0.dropFirst("HEADER ".count) }
    #expect(headers.count == 3)
    let secret = try #require(StripeWebhookSecret("whsec_a_b"))
    for (body, header) in zip(bodies, headers) {
      let signature = try StripeSignature(String(header))
      try signature.verify(body, secrets: [secret], now: Date(timeIntervalSince1970: Double(time)))
      #expect(throws: StripeSignature.Fault.wrong) {
        try signature.verify(body + [0], secrets: [secret], now: Date(timeIntervalSince1970: Double(time)))
      }
    }
  }

  @Test("Every parameter that the client sends is one of Stripe's")
  func parameters() async throws {
    try await StripeWorld.run { world in
      try await Self.callAll(world)
      let calls = Set(
        world.stripe.requests.filter { !$0.parameters.contains("client_secret") }.map { request in
          let names = Set(request.parameters).sorted().map { "\"\($0)\"" }.joined(separator: ",")
          return #"{"call":"\#(request.method) \#(request.path)","parameters":[\#(names)]}"#
        })
      let lines = try await StripePeer.run("parameters", lines: calls.sorted())
      #expect(lines == [])
      let made = Set(world.stripe.requests.map { "\($0.method) \($0.path)" })
      #expect(made.count == 26, "\(made.sorted())")
    }
  }

  /// Things of every kind happen.
  private static func happen(_ world: StripeWorld) async throws {
    let customer = try await world.customer()
    let method = try await world.save("4000002500003155", for: customer)
    let paid = try await world.charge(customer, method: method)
    try world.stripe.decline(method, with: [Decline("insufficient_funds")])
    _ = try? await world.charge(customer, method: method, attempt: 2)
    try world.stripe.refundByHand(paid.id, amount: 100)
    try world.stripe.failRefund(try #require(world.stripe.refundIDs.first))
    try world.stripe.warnOfFraud(paid.id)
    try world.stripe.close(try world.stripe.dispute(paid.id), as: "won")
    try world.stripe.renewCard(method, year: 2040)
    world.stripe.payOut()
    try world.stripe.deleteByHand(customer)
  }

  /// Makes every call that the client has.
  private static func callAll(_ world: StripeWorld) async throws {
    let (client, start) = (world.client, world.clock.now())
    let customer = try await world.customer()
    let method = try await world.save("4000000000005423", for: customer)
    let setup = try await client.createSetupIntent(
      StripeNewSetup(customer: customer, method: method, metadata: ["charge": "c"]),
      key: StripeIdempotencyKey("setup", subject: "2"))
    let ids = try await client.setupIntents(of: customer, since: start).map(\.id)
    #expect(ids.contains(setup.id))
    let left = try await client.createSetupIntent(
      StripeNewSetup(customer: customer), key: StripeIdempotencyKey("setup", subject: "3"))
    _ = try await client.cancelSetupIntent(left.id, key: StripeIdempotencyKey("cancel", subject: "3"))
    let amount = try StripeWorld.amount(400)
    let paid = try await world.charge(customer, method: method)
    let page = StripeNewPayment(amount: amount, customer: customer, savesMethod: true, metadata: ["order": "o"])
    let first = try await client.createPayment(page, key: StripeIdempotencyKey("payment", subject: "1"))
    _ = try await client.cancelPayment(first.id, key: StripeIdempotencyKey("cancel", subject: "1"))
    let refund = try await client.createRefund(
      of: paid.id, amount: amount, metadata: ["refund": "r"],
      key: StripeIdempotencyKey("refund", subject: "1"))
    _ = try await world.charge(customer, method: method, amount: 10_000, charge: "c2")
    let dispute = try world.stripe.dispute(paid.id)
    let warning = try await client.events(since: start, types: ["radar.early_fraud_warning.created"])
    _ = try await client.earlyFraudWarning(try #require(warning.first?.data.object.id))
    _ = (try await client.customer(customer), try await client.payment(paid.id), try await client.paymentMethod(method))
    _ = try await client.payments(of: customer, since: start)
    _ = try await client.charge(try #require(paid.latestCharge?.id))
    _ = (try await client.refund(refund.id), try await client.refunds(of: paid.id))
    _ = (try await client.refunds(since: start), try await client.dispute(dispute))
    _ = (try await client.disputes(since: start), try await client.webhookEndpoints())
    _ = (try await client.balance(), try await client.payouts(since: start))
    _ = try await client.balanceTransactions(of: try #require(paid.latestCharge?.id))
    try await client.detachPaymentMethod(method, key: StripeIdempotencyKey("detach", subject: method))
    try await client.deleteCustomer(customer)
  }

  private static func line(_ call: WebhookReceiver.Call, secret: String, isGood: Bool = true) -> String {
    #"{"body":"\#(Data(call.body).base64EncodedString())","signature":"\#(call.signature ?? "")","#
      + #""secret":"\#(secret)","good":\#(isGood)}"#
  }
}

/// `peer.py`, with the library that `script/setup` installs.
enum StripePeer {
  private static let python = ChildServer.path(Repository.root.appending(path: ".build/python/bin/python").path())

  static var isHere: Bool {
    let libraries = Repository.root.appending(path: ".build/python/libraries")
    return python != nil && ((try? String(contentsOf: libraries, encoding: .utf8)) ?? "").contains("stripe==")
  }

  /// Runs a command with a file of lines; returns its lines before `DONE`.
  static func run(_ command: String, lines: [String]) async throws -> [String] {
    let folder = try TemporaryFolder()
    try folder.write("input", text: lines.joined(separator: "\n") + "\n")
    return try await run(command, folder.file("input"))
  }

  /// Runs a command; returns its lines before `DONE`.
  static func run(_ arguments: String...) async throws -> [String] {
    let folder = try TemporaryFolder()
    let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "peer.py").path()
    let child = try ChildServer(
      try #require(python), arguments: ["-B", script] + arguments, output: folder.file("peer"))
    try await child.end()
    let lines = child.lines
    guard lines.last == "DONE" else { return lines + [child.errors] }
    return lines.dropLast()
  }
}
