import Foundation
import OnsideKit
import OnsideTestKit
import Testing

@MainActor
@Suite("The samples of the README and the documentation", .timeLimit(.minutes(5)))
struct SampleTests {
  @Test("DOC-1: every observer that is shown is compiled and run as it stands there, and switches on the state")
  func complete() throws {
    let tests = try ["Observers/ReadmeSample.swift", "Observers/GettingStartedSample.swift", "ExampleTests.swift"]
      .map { try Pages.flat("Tests/OnsideTestKitTests/\($0)") }
    let pages = try Pages.all() + Pages.sources()
    let blocks = pages.flatMap(Pages.swift).filter { $0.contains("updatedTransactions") }
    #expect(blocks.count == 4)
    for block in blocks {
      // The first line of a sample may be an import, which stands at the top of the file here.
      let code = block.replacingOccurrences(of: "import OnsideKit\n", with: "")
      #expect(tests.contains { $0.contains(code) }, "not among the samples that run: \(code)")
      #expect(code.contains("switch transaction.transactionState {"))
    }
  }

  @Test("DOC-1: the README's sample delivers only what was bought or restored, and takes back what was refunded")
  func readme() async throws {
    try await play {
      let shop = ReadmeSample.Shop()
      try? shop.start()
      return shop
    } buy: { shop, product in
      try await shop.buy(product)
    }
  }

  @Test("DOC-1: the sample of Getting Started does so, too")
  func gettingStarted() async throws {
    try await play {
      let shop = GettingStartedSample.Shop()
      Onside.defaultPaymentQueue().add(observer: shop)
      return shop
    } buy: { _, product in
      guard let product = try await Onside.products(for: [product]).products.first else { return }
      try await Onside.defaultPaymentQueue().add(OnsidePayment(product: product))
    }
  }

  @Test("DOC-1: the game of the test kit's examples does so, too")
  func game() async throws {
    let session = OnsideTestSession(selling: .consumable("coins_100"), .subscription("pro_monthly"))
    let (phone, saved) = (session.device(), SavedGame())
    phone.launch { Game(saved) }
    session.person.nextPayment(.decline, .cancel)
    for _ in 1...2 { try await phone.buy("coins_100") }
    #expect(saved.coins == 0 && saved.delivered.isEmpty)
    for product in ["coins_100", "pro_monthly"] { try await phone.buy(product) }
    try await phone.restore()
    #expect(saved.coins == 100 && saved.proUntil != nil && saved.delivered.count == 2)
    for product in ["coins_100", "pro_monthly"] { #expect(session.refund(product)) }
    try await session.wait(until: "the coins are taken back") { saved.coins == 0 && saved.proUntil == nil }
    #expect(phone.queue.transactions.isEmpty)
  }

  /// Bought, declined, cancelled, restored, refunded.
  private func play<App: Sample>(
    _ launch: @MainActor () -> App, buy: @escaping @MainActor (App, String) async throws -> Void
  ) async throws {
    let session = OnsideTestSession(selling: .consumable("coins_100"), .nonConsumable("remove_ads"))
    let phone = session.device()
    let shop = phone.launch(launch)
    let receipts = Receipts.of(shop)
    func states() -> [String] {
      receipts.delivered.map { "\($0.payment.product.productIdentifier) \($0.transactionState)" }
    }

    session.person.nextPayment(.decline, .cancel)
    for times in 1...2 {
      try await phone.run { try await buy(shop, "coins_100") }
      try await session.expect("coins_100", .failed, times: times)
    }
    #expect(states() == [])

    for product in ["coins_100", "remove_ads"] {
      try await phone.run { try await buy(shop, product) }
      try await session.transaction(of: product, in: .finished)
    }
    #expect(states() == ["coins_100 purchased", "remove_ads purchased"])

    try await phone.restore()
    #expect(states() == ["coins_100 purchased", "remove_ads purchased", "remove_ads restored"])

    #expect(session.refund("remove_ads"))
    try await session.wait(until: "the refund has come") { !receipts.takenBack.isEmpty }
    #expect(receipts.takenBack.map(\.id) == receipts.delivered.suffix(1).map(\.id))
    #expect(phone.queue.transactions.isEmpty)
  }
}

/// The repository's documentation.
enum Pages {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The README, everything in docs/, and every DocC catalogue.
  static func all() throws -> [String] {
    let files = FileManager.default
    let catalogues = try files.contentsOfDirectory(atPath: root.appending(path: "Sources").path)
      .map { "Sources/\($0)/\($0).docc" }
    let folders = ["docs"] + catalogues
    let pages = folders.flatMap { folder in
      ((try? files.contentsOfDirectory(atPath: root.appending(path: folder).path)) ?? [])
        .filter { $0.hasSuffix(".md") }.map { "\(folder)/\($0)" }
    }
    return try (["README.md"] + pages.sorted()).map(text)
  }

  /// The files of Sources/, with doc comments as plain text.
  static func sources() throws -> [String] {
    let paths = try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: "Sources").path)
    return try paths.filter { $0.hasSuffix(".swift") }.sorted()
      .map { try text("Sources/\($0)").replacingOccurrences(of: "///", with: "") }
  }

  static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  static func flat(_ path: String) throws -> String { flatten(try text(path)) }

  /// The Swift code of a page, block by block, without indentation.
  static func swift(_ page: String) -> [String] {
    page.components(separatedBy: "```swift\n").dropFirst()
      .map { flatten($0.components(separatedBy: "```")[0]) }
  }

  private static func flatten(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: true)
      .map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "\n")
  }
}
