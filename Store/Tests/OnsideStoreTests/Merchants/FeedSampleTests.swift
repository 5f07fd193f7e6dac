import Foundation
import OnsideAPI
import StoreAccounts
import StoreBaseTestSupport
import StoreTestSupport
import Testing

@testable import OnsideStore
@testable import StoreBase
@testable import StoreMerchants

/// The reader of the feed in Python, `Examples/Backends/python/feed.py`.
@Suite("Sample of a backend", .timeLimit(.minutes(5)))
struct FeedSampleTests {
  private static let path = "Examples/Backends/python/feed.py"

  @Test(
    "A guide has two parts of its sample's code, and the sample has 80 lines at most",
    arguments: [("docs/backends.md", "feed.py"), ("docs/webhooks.md", "webhook.py")])
  func guide(_ document: String, _ name: String) throws {
    let sample = try Repository.text("Examples/Backends/python/\(name)")
    let blocks = try Repository.text(document).split(separator: "```python\n").dropFirst()
    #expect(blocks.count == 2)
    for block in blocks {
      let code = try #require(block.split(separator: "```").first)
      #expect(sample.contains(code), "\(code)")
    }
    #expect(sample.split(separator: "\n", omittingEmptySubsequences: false).count <= 81)
  }

  @Test("MER-6: the sample grants and revokes by sequence, continues at its cursor, and reads on after a loss")
  func grants() async throws {
    let store = try await TestStore()
    try await store.openShop()
    let key = try await store.core.apiKeys.add(app: TestShop.app.id, name: "", scopes: [.read]).text
    try await store.live { address in
      try await store.append([.entitlementChanged], data: Self.state(of: "o-1", "o-2"))
      try await store.append([.entitlementChanged], of: "s-2", data: Self.state(of: "o-3"))
      let first = try await granted(by: store, at: address, key: key, run: 1)
      #expect(first == ["s-1 o-1", "s-1 o-2", "s-2 o-3"])
      try await store.append([.entitlementChanged], data: Self.state(of: "o-2"))
      try await store.append([.customerRemoved], of: "s-2", data: Self.state())
      let second = try await granted(by: store, at: address, key: key, run: 2)
      #expect(second == ["s-1 o-2"])
      // The sample knows the lost events 3 and 4: only later ones change its grants.
      try await store.loseEvents(from: 3, epoch: "second")
      let third = try await granted(by: store, at: address, key: key, run: 3)
      #expect(third == ["s-1 o-2"])
      try await store.append([.entitlementChanged], of: "s-2", data: Self.state(of: "o-3"))
      let fourth = try await granted(by: store, at: address, key: key, run: 4)
      #expect(fourth == ["s-1 o-2", "s-2 o-3"])
    }
  }

  /// The JSON of a customer that owns products by some orders.
  private static func state(of orders: String...) -> String {
    let entitlements = orders.map { #"{"order_id":"\#($0)","product_id":"gold"}"# }
    return #"{"entitlements":[\#(entitlements.joined(separator: ","))]}"#
  }

  /// Numbers all events and runs the sample to the end of the feed. Returns its grants.
  private func granted(by store: TestStore, at address: URL, key: String, run: Int) async throws -> [String] {
    try await store.core.sequencer.assign()
    let (database, output) = (store.folder.file("grants.sqlite"), store.folder.file("sample-\(run)"))
    let sample = try ChildServer(
      "/usr/bin/env",
      arguments: [
        "ONSIDE_API_KEY=\(key)", "PYTHONDONTWRITEBYTECODE=1", "python3",
        Repository.root.appending(path: Self.path).path(), Self.text(address), database, "--once",
      ], output: output)
    try await sample.end()
    #expect(!sample.errors.contains("Traceback") && !sample.errors.contains("cannot"), "\(sample.errors)")
    let query =
      "import sqlite3, sys; [print(*row) for row in sqlite3.connect(sys.argv[1]).execute("
      + "'SELECT subject, order_id FROM grants ORDER BY 1, 2')]; print('end')"
    let rows = try ChildServer("/usr/bin/env", arguments: ["python3", "-c", query, database], output: output + ".rows")
    try await rows.end()
    #expect(rows.lines.last == "end", "\(rows.errors)")
    return rows.lines.dropLast()
  }

  /// The address without a slash at its end.
  private static func text(_ address: URL) -> String {
    let text = address.absoluteString
    return text.hasSuffix("/") ? String(text.dropLast()) : text
  }
}
