import AsyncHTTPClient
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import OnsideBrowserHost
import OnsideCommerce
import OnsideKit
import StoreTestSupport
import Synchronization

/// A host of its own for one test, on a store out of the example file that shows no screens.
@MainActor
struct Stage {
  let host: BrowserHost
  let client: OnsideClient
  let store: LocalStore
  let lines: Lines
  let settings: BrowserHostSettings
  let address: BrowserHostAddress
  let folder: URL

  static let repository = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../..").standardized
  static let shop = repository.appending(path: "Examples/WebShop")

  /// Opens a host, runs the test, and takes everything down.
  static func run(
    _ page: BrowserHostSettings.Page, limits: BridgeLimits = BridgeLimits(), secondsToReturn: Double? = nil,
    screens: any ScreenPresenter = TerminalPresenter(), offering offers: [Offer] = [],
    _ body: @escaping @MainActor (Stage) async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "onside-dev-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = try store(offering: offers, in: folder)
    store.settings.disableDialogs = true
    try await serve(
      page, from: store, in: folder, limits: limits, secondsToReturn: secondsToReturn, screens: screens, body)
  }

  /// Opens a host for a device of its own, whose files are in the folder.
  static func serve(
    _ page: BrowserHostSettings.Page, from store: LocalStore, in folder: URL, limits: BridgeLimits = BridgeLimits(),
    secondsToReturn: Double? = nil, screens: any ScreenPresenter = TerminalPresenter(),
    _ body: @escaping @MainActor (Stage) async throws -> Void
  ) async throws {
    let client = OnsideClient(
      localStore: store, dependencies: .live(storageFolder: folder, screens: screens))
    var settings = BrowserHostSettings(page: page)
    if let secondsToReturn { settings.secondsToReturn = secondsToReturn }
    let lines = Lines()
    let host = BrowserHost(
      bridge: OnsideBridge(client: client, limits: limits), settings: settings, now: { Date(timeIntervalSince1970: 0) },
      log: { lines.add($0) })
    let (addresses, listening) = AsyncStream.makeStream(of: BrowserHostAddress.self)
    let running = Task {
      defer { listening.finish() }
      try await host.run { listening.yield($0) }
    }
    var result: Result<Void, any Error> = .success(())
    for await address in addresses {
      let stage = Stage(
        host: host, client: client, store: store, lines: lines, settings: settings, address: address, folder: folder)
      do { try await body(stage) } catch { result = .failure(error) }
      break
    }
    running.cancel()
    _ = await running.result
    await client.close()
    try result.get()
  }

  /// The example shop, with more offers of its monthly plan.
  private static func store(offering offers: [Offer], in folder: URL) throws -> LocalStore {
    let file = repository.appending(path: "Examples/Shop.storekit")
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    guard !offers.isEmpty else { return try LocalStore(contentsOf: file, storageFolder: folder, logger: logger) }
    let shop = try StoreKitConfiguration.decode(Data(contentsOf: file), path: file.path)
    let products = shop.products.map { product in
      var product = product
      if product.id == "pro_monthly" { product.subscription?.offers += offers }
      return product
    }
    return LocalStore(
      StoreKitConfiguration(products: products, settings: shop.settings),
      dependencies: .live(storageFolder: folder, screens: TerminalPresenter(), logger: logger))
  }

  /// Waits until the store has one purchase, and it is finished.
  func oneFinished() async throws {
    try await NamedDeadline.wait(for: "one finished purchase") { store.transactions().map(\.isFinished) == [true] }
  }

  /// The host's own address, from its script tag.
  var base: String {
    address.scriptTag.firstMatch(of: /http:[^?]*(?=\/onside.js)/).map { String($0.output) } ?? ""
  }
}

/// Lines of a log.
final class Lines: Sendable {
  private let all = Mutex<[String]>([])

  var value: [String] { all.withLock { $0 } }
  func add(_ line: String) { all.withLock { $0.append(line) } }

  /// Waits until a line contains a text.
  func until(_ text: String) async throws {
    try await NamedDeadline.wait(for: "the line \(text)") { value.contains { $0.contains(text) } }
  }
}

/// A request as a page would make it, each part of which a test can change.
struct PageRequest {
  var path: String
  var method = "GET"
  var token: String?
  var origin: String?
  var host: String?
  var site: String?
  var query = "tab=one"
  var body: String?

  /// It does not follow redirects.
  private static let client = HTTPClient(
    eventLoopGroupProvider: .singleton, configuration: HTTPClient.Configuration(redirectConfiguration: .disallow))

  func send(to base: String) async throws -> HTTPClientResponse {
    let token = token.map { "&token=\($0)" } ?? ""
    var request = HTTPClientRequest(url: "\(base)/\(path)?\(query)\(token)")
    request.method = method == "POST" ? .POST : .GET
    // A connection that is kept could be the one that the host is just closing.
    request.headers.add(name: "Connection", value: "close")
    if let origin { request.headers.add(name: "Origin", value: origin) }
    if let host { request.headers.add(name: "Host", value: host) }
    if let site { request.headers.add(name: "Sec-Fetch-Site", value: site) }
    if let body { request.body = .bytes(ByteBuffer(string: body)) }
    return try await Self.client.execute(request, deadline: .distantFuture)
  }
}

/// The events of a stream, one after the other.
struct Events {
  private var chunks: HTTPClientResponse.Body.AsyncIterator
  private var rest = ""

  init(_ response: HTTPClientResponse) { chunks = response.body.makeAsyncIterator() }

  /// The next event's lines; nil when the stream has ended.
  mutating func next() async throws -> String? {
    while !rest.contains("\n\n") {
      guard let chunk = try await chunks.next() else { return nil }
      rest += String(buffer: chunk)
    }
    let parts = rest.split(separator: "\n\n", maxSplits: 1, omittingEmptySubsequences: false)
    rest = parts.count > 1 ? String(parts[1]) : ""
    return String(parts[0])
  }
}
