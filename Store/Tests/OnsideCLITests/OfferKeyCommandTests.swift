import Foundation
import Logging
import OnsideAPI
import OnsideCommerce
import StoreTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales

@Suite(.timeLimit(.minutes(5))) struct OfferKeyCommandTests {
  private let onside: Program
  private static let key = """
    -----BEGIN PUBLIC KEY-----
    MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEuwTjkq1EA89etAS6wRvcA6cZfAgx
    u5LcIBsOMqlKMNIgwMZOIsaLauPAB4AFv+aYWAs4V0x4AtgqvsmWiaBbTw==
    -----END PUBLIC KEY-----
    """

  init() throws { onside = try Program() }

  @Test("SUB-12: an app's keys are added, listed and removed; mistakes are errors that change nothing")
  func keys() async throws {
    let app = ["--app", "io.example.lumen"]
    func run(_ arguments: [String]) async throws -> Program.Outcome {
      try await onside.run(["app", "offer-key"] + arguments + app)
    }
    let status = try await onside.run("app", "add", "io.example.lumen").status
    try #require(status == 0)
    try onside.folder.write("offers.pub.pem", text: Self.key)
    try onside.folder.write("broken.pem", text: Self.key.replacing("MFk", with: "MFo"))
    let output = try await run(["list"]).output
    #expect(output == "io.example.lumen has no keys for offers.\n")
    let added = try await run(["add", "offers.pub.pem", "--kid", "k1"])
    #expect(added.output == "The key of io.example.lumen has the kid k1.\n", "\(added)")
    let before = try await run(["list"]).output
    #expect(before.contains("k1"))
    for arguments in [
      ["add", "offers.pub.pem", "--kid", "k1"], ["add", "broken.pem"], ["add", "none.pem"],
      ["add", "offers.pub.pem", "--kid", "two words"], ["remove", "k2"],
    ] {
      let outcome = try await run(arguments)
      #expect(outcome.status != 0 && outcome.output.isEmpty && !outcome.errors.isEmpty, "\(arguments) \(outcome)")
    }
    let after = try await run(["list"]).output
    #expect(after == before)
    let secondStatus = try await run(["remove", "k1"]).status
    #expect(secondStatus == 0)
  }

  @Test("SUB-12: the example's offer is bought with the signature of the example's server, whose key openssl has made")
  func example() async throws {
    _ = try await Shop(onside.folder)
    let examples = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
      .appending(path: "Examples")
    _ = try await tool("openssl", ["ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "offers.pem"])
    _ = try await tool("openssl", ["ec", "-in", "offers.pem", "-pubout", "-out", "offers.pub.pem"])
    for command in [
      ["import", examples.appending(path: "Promotions.json").path(), "--app", Shop.app],
      ["app", "offer-key", "add", "offers.pub.pem", "--app", Shop.app, "--kid", "2026"],
    ] {
      let outcome = try await onside.run(command)
      try #require(outcome.status == 0, "\(outcome.errors)")
    }
    let (plan, offer, user) = ("lumen_basic", "lumen_basic.half", "user-4711")
    func sign() async throws -> String {
      let words = ["offers.pem", "--kid", "2026", "--app", Shop.app, "--product", plan, "--offer", offer]
      return try await tool(examples.appending(path: "sign-offer").path(), words + ["--account", user])
    }
    let signatures = [try await sign(), try await sign()]
    try await inStore { core in
      @Sendable func order(_ signature: String? = nil, by user: String? = nil) async throws -> Order {
        let request = OrderRequest(
          productID: plan, country: .netherlands, appAccountToken: user,
          offer: signature.map { OrderOffer(id: offer, signature: $0) })
        return try await core.orders.create(
          request, id: UUID(), for: Customer(account: Shop.account, app: Shop.app))
      }
      let first = try await order()
      let paid = try await core.payments.pay(
        core.orders.json.tokens.token(orderID: first.id),
        with: .offered(SandboxCard.succeeds.rawValue, save: true, keep: true), shownPrice: first.price)
      #expect(paid == .paid && first.price.minorUnits == 999)
      await #expect(throws: OrderError.self) { try await order(signatures[0], by: "another") }
      let minorUnits = try await order(signatures[0], by: user).price.minorUnits
      #expect(minorUnits == 499)
      await #expect(throws: OrderError.self) { try await order(signatures[0], by: user) }
      let secondMinorUnits = try await order(signatures[1], by: user).price.minorUnits
      #expect(secondMinorUnits == 499)
    }
  }

  /// Runs a program to its end; what it has printed, without the end of the line.
  private func tool(_ name: String, _ arguments: [String]) async throws -> String {
    let program = try ChildProgram(
      URL(filePath: "/usr/bin/env"), arguments: [name] + arguments, in: onside.folder,
      environment: ["PATH": "/usr/bin:/bin"], input: nil)
    await program.ended()
    try #require(program.status == 0, "\(name): \(program.errors)")
    return program.output.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private func inStore(_ body: @Sendable (StoreCore) async throws -> Void) async throws {
    let database = try DatabaseLocation.sqlite(path: onside.folder.file("onside.sqlite")).open(now: SystemClock().now())
    let core = try await StoreCore(
      StoreDependencies(database: database, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
    try await body(core)
    await database.close()
  }
}
