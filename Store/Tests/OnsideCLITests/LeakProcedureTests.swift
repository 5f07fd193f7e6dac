import Foundation
import FoundationNetworking
import Logging
import OnsideAPI
import OnsideCommerce
import OnsideStore
import StoreAccounts
import StoreBase
import StoreSales
import StoreTestSupport
import Testing

/// The procedure of docs/operating.md after a leaked backup, beside a store that serves.
@Suite(.timeLimit(.minutes(5))) struct LeakProcedureTests {
  private let onside: Program

  init() throws { onside = try Program() }

  @Test(
    "STO-18: after the manual's commands a serving store rejects the backup's access token and publishes no key of it"
  )
  func procedure() async throws {
    let shop = try await Shop(onside.folder)
    for command in [["clock", "advance", "10m"], ["key", "rotate"], ["backup", "copy.sqlite"]] {
      let outcome = try await onside.run(command)
      #expect(outcome.status == 0, "\(outcome.errors)")
    }
    let leaked = try await Self.leaked(.sqlite(path: onside.folder.file("copy.sqlite")))
    let (store, client) = try await onside.serve(shop)
    defer { store.send(SIGKILL) }
    // Ten minutes ahead, as the store's clock.
    let order = try await leaked.forger(at: client.address, now: Date() + 600).order(OrderID(UUID()))
    let commands = try Self.commands()
    #expect(commands.count == 4 && commands.first == ["secret", "rotate", "--leaked"])
    for command in commands {
      if command.last == "ACTIVE" { _ = try await onside.run("clock", "advance", "10m") }
      let arguments = try command.map { $0 == $0.uppercased() ? try #require(leaked.keys[$0]) : $0 }
      let outcome = try await onside.run(arguments)
      #expect(outcome.status == 0, "\(arguments) \(outcome.errors)")
    }
    let forger = leaked.forger(at: client.address, now: Date() + 1200)
    let rejection = NamedDeadline("the backup's access token to be rejected")
    while (try? await forger.get(order.id)) != nil { try await rejection.next(in: .milliseconds(50)) }
    await #expect { try await forger.get(order.id) } throws: { ($0 as? StoreClient.Refusal)?.status == 401 }
    let deadline = NamedDeadline("the published set without the backup's keys")
    while try await Self.published(client.address).contains(where: leaked.keys.values.contains) {
      try await deadline.next(in: .milliseconds(50))
    }
    await store.stopCleanly()
  }

  @Test(
    "STO-18: serving processes reject a leaked access token within ten seconds of the command",
    arguments: TestEngine.allCases)
  func delay(engine: TestEngine) async throws {
    let (shop, environment) = try await Shop.make(on: engine, in: onside.folder)
    var stores = [try await onside.serve(shop, environment: environment)]
    if engine == .postgres { stores.append(try await onside.serve(shop, environment: environment)) }
    defer { for store in stores { store.program.send(SIGKILL) } }
    let order = try await stores[0].client.order(OrderID(UUID()))
    let outcome = try await onside.run("secret", "rotate", "--leaked", environment: environment)
    #expect(outcome.status == 0 && outcome.output.contains("rejected"), "\(outcome.errors)")
    let start = ContinuousClock.now
    let deadline = NamedDeadline("the token to be rejected")
    for store in stores {
      while (try? await store.client.get(order.id)) != nil { try await deadline.next(in: .milliseconds(50)) }
    }
    let elapsed = ContinuousClock.now - start
    print("a leaked token was rejected by \(stores.count) processes on \(engine) after \(elapsed)")
    #expect(elapsed < .seconds(10))
    for store in stores { await store.program.stopCleanly() }
  }

  /// The content of a leaked backup.
  private struct Leaked: Sendable {
    /// The signing keys by state.
    let keys: [String: String]
    let tokens: VersionedKey<AccessTokenIssuer>

    func forger(at address: URL, now: Date) -> StoreClient {
      let token = tokens.issue(accountID: Shop.account, appID: Shop.app, sessionID: Shop.account, now: now)
      return StoreClient(address: address, accessToken: token)
    }
  }

  private static func leaked(_ location: DatabaseLocation) async throws -> Leaked {
    try await Shop.open(location) { core in
      let keys = core.signingKeys.all.map { ($0.state.rawValue.uppercased(), $0.id) }
      return Leaked(keys: Dictionary(uniqueKeysWithValues: keys), tokens: core.accessToken)
    }
  }

  /// The ids of the keys that a store publishes.
  private static func published(_ address: URL) async throws -> [String] {
    struct KeySet: Decodable {
      struct Key: Decodable { let kid: String }
      let keys: [Key]
    }
    // The key set may be cached for minutes: each request asks the store.
    let request = URLRequest(url: address.appending(path: Route.jwks.path), cachePolicy: .reloadIgnoringLocalCacheData)
    let keys = try JSONDecoder().decode(KeySet.self, from: await URLSession.shared.answer(to: request).0).keys
    #expect(keys.count >= 2)
    return keys.map(\.kid)
  }

  /// The commands of the procedure, without the program's name and comments.
  private static func commands() throws -> [[String]] {
    let manual = try String(
      contentsOf: (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        .appending(path: "docs/operating.md"), encoding: .utf8)
    let section = try #require(manual.components(separatedBy: "### After a leaked backup\n").last)
    let block = try #require(section.components(separatedBy: "```\n").dropFirst().first)
    return block.split(separator: "\n").map { line in
      line.split(separator: "#")[0].split(separator: " ").dropFirst().map(String.init)
    }
  }
}
