import Foundation
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideKit

/// A storage folder of the last version in which apps got the account's id, recorded by `onside-demo`: a session, two
/// purchases that are not finished, a list of entitlements and a sync cursor.
@MainActor
@Suite("A folder with account ids", .timeLimit(.minutes(5)))
struct AccountIDFolderTests {
  private static let recordedStore = "127.0.0.1:45435"
  private nonisolated static let account = "01a2234f-96f7-7464-965c-ffb7020bfc6a"
  private nonisolated static let subject = "NgfJWQTIcmcqwRdgoACtSO-RIoKkPuJsUjA5QRCjAZI"
  private static let purchases: Set<String> = [
    "01a2234f-94d4-7e2b-ba19-178fcbbbc81c", "01a2234f-97a5-7468-8ff7-4d20aca3828c",
  ]
  private let world = ClientHarness()

  /// Copies the recorded folder, for a store at another address.
  private func install(for store: URL) throws {
    let source = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Files/account-id-folder")
    let address = try #require(store.host()) + ":" + String(try #require(store.port))
    try FileManager.default.createDirectory(
      at: world.folder.appending(path: "transactions"), withIntermediateDirectories: true)
    for name in try FileManager.default.subpathsOfDirectory(atPath: source.path()) where name.hasSuffix(".json") {
      let text = try String(contentsOf: source.appending(path: name), encoding: .utf8)
      try Data(text.replacing(Self.recordedStore, with: address).utf8).write(to: world.folder.appending(path: name))
    }
  }

  /// A store that refreshes the recorded session, tells of no changes, and answers nothing else.
  ///
  /// - Parameter sendsSubjects: whether the store has been updated, too.
  private static func server(sendsSubjects: Bool) throws -> HTTPServerDouble {
    try HTTPServerDouble { request in
      switch request.path {
      case "/oauth/token":
        guard request.form["refresh_token"]?.hasPrefix("01a2234f-96ff-7749-9343-c7fb7fa7cb4c.1.") == true else {
          return .json(400, #"{"error":"invalid_grant"}"#)
        }
        let subject = sendsSubjects ? #","subject":"\#(subject)""# : ""
        return .json(
          200,
          """
          {"access_token":"a-2","token_type":"Bearer","expires_in":600,"refresh_token":"r-2","country":"NL",\
          "account_id":"\(account)"\(subject)}
          """)
      case "/v1/sync" where request.query["wait"] == ["0"]:
        return .json(200, #"{"cursor":"9-NL-aaRyUjwf","country":"NL","orders":[],"starts_over":false}"#)
      case "/v1/sync": return .silence
      // The store does not know the purchases, so that they are delivered from disk (QUE-22).
      case let path where path.hasSuffix("/claim"): return .json(404, problem(404, code: "not_found"))
      default: return .json(503, problem(503, code: "overloaded"))
      }
    }
  }

  private func client(_ server: HTTPServerDouble) -> (OnsideClient, Watcher) {
    let client = OnsideClient(configuration: world.configuration(server.url), dependencies: world.dependencies())
    let watcher = Watcher()
    client.defaultPaymentQueue().add(observer: watcher)
    return (client, watcher)
  }

  @Test(
    "QUE-14, ACC-14: session, unfinished purchases, cursor and entitlements go on without a login",
    arguments: [true, false])
  func update(sendsSubjects: Bool) async throws {
    let server = try Self.server(sendsSubjects: sendsSubjects)
    try install(for: server.url)
    let (client, watcher) = client(server)
    #expect(client.defaultPaymentQueue().storefront?.countryCode == "NL")
    await watcher.until { $0.updates.count == 2 }
    #expect(Set(watcher.updates.map { OrderID($0.id).description }) == Self.purchases)
    #expect(await eventually { !server.requests("/v1/sync").isEmpty })
    #expect(server.requests("/v1/sync").first?.query["cursor"] == ["8-NL-aaRyUjwf"])
    let usable = await client.entitlements.filter(\.isActive).map(\.productIdentifier)
    #expect(usable == ["remove_ads"])
    await client.close()
    // What the update has written is read by the next launch.
    let (next, nextWatcher) = self.client(server)
    await nextWatcher.until { $0.updates.count == 2 }
    #expect(next.account.signedIn?.accountID == AccountID(subject: Self.subject))
    await next.close()
  }

  @Test("QUE-14: a logout takes its unfinished purchases away, and the account's next login brings them back")
  func login() async throws {
    let server = try Self.server(sendsSubjects: true)
    try install(for: server.url)
    let (client, watcher) = client(server)
    await watcher.until { $0.updates.count == 2 }
    client.logout()
    #expect(client.defaultPaymentQueue().transactions.isEmpty && watcher.removals.count == 2)
    await client.close()
    for subject in [SignedIn.bobSubject, Self.subject] {
      let message = TokenMessage(
        accessToken: "a", expiresIn: 600, refreshToken: "r", accountID: try #require(AccountID(subject: subject)),
        subject: subject, country: .netherlands)
      try world.sessionFile().write(
        Session(message, store: server.url, app: "io.example.lumen", now: world.clock.now))
      let (next, nextWatcher) = self.client(server)
      if subject == Self.subject { await nextWatcher.until { $0.updates.count == 2 } }
      #expect(await eventually { next.queue.machine.member != nil && next.queue.machine.isLoaded })
      #expect(next.defaultPaymentQueue().transactions.count == (subject == Self.subject ? 2 : 0))
      await next.close()
    }
  }
}
