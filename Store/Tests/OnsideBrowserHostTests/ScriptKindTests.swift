import Foundation
import HeadlessChromium
import OnsideBrowserHost
import OnsideKit
import Testing

/// The first line of the guide's samples, in scripts of both kinds.
@MainActor
@Suite("Classic scripts and modules", .serialized, .timeLimit(.minutes(10)))
struct ScriptKindTests {
  private static let page = """
    <!doctype html><title>Shop</title>
    <script>
      const { onside } = window;
      onside.getTransactions().then((all) => { window.classic = all.length; });
    </script>
    <script>window.second = typeof onside.purchase;</script>
    <script type="module">
      const { onside } = window;
      window.modular = (await onside.getTransactions()).length;
    </script>
    """
  private static let result = "[window.classic, window.second, window.modular]"

  private func visit(_ body: @escaping @MainActor (Stage) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "onside-script-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Self.page.write(to: folder.appending(path: "index.html"), atomically: true, encoding: .utf8)
    try await Stage.run(.folder(folder), body)
  }

  @Test(
    "JSB-1: `const { onside } = window` begins classic scripts and modules in Chromium",
    .enabled(if: Chromium.path != nil, "needs Chromium"))
  func chromium() async throws {
    try await visit { stage in
      let chromium = try await Chromium.start()
      do {
        try await chromium.open(stage.address.page.absoluteString)
        try await chromium.wait(until: "JSON.stringify(\(Self.result)) === '[0,\"function\",0]'")
        await chromium.stop()
      } catch {
        await chromium.stop()
        throw error
      }
    }
  }

  @Test(
    "JSB-9: a message that is too large rejects with the error of a web view",
    .enabled(if: Chromium.path != nil, "needs Chromium"))
  func tooLarge() async throws {
    try await visit { stage in
      let chromium = try await Chromium.start()
      do {
        try await chromium.open(stage.address.page.absoluteString)
        let answer = try await chromium.run(
          """
          const { onside } = window;
          const fits = await onside.loadProducts({ productIdentifiers: ['x'.repeat(9e6)] }).then(() => 'fits');
          const error = await onside.loadProducts({ productIdentifiers: ['x'.repeat(17e6)] }).catch((error) => error);
          return [fits, error.code, error.message.slice(0, 33), (await onside.getTransactions()).length];
          """)
        #expect(answer == #"["fits","brokenRequest","A message may have 16777216 bytes",0]"#)
        await chromium.stop()
      } catch {
        await chromium.stop()
        throw error
      }
    }
  }

  @Test("JSB-1: they do in Firefox", .enabled(if: Firefox.path != nil, "needs Firefox"))
  func firefox() async throws {
    struct Answer: Decodable {
      var all: [String]
    }
    let body = """
      const all = () => \(Self.result).map(String);
      while (all().includes('undefined')) await new Promise((go) => setTimeout(go, 20));
      return { all: all() };
      """
    try await visit { stage in
      let said: Answer = try await Firefox.run(body, at: stage.address.page)
      #expect(said.all == ["0", "function", "0"])
    }
  }
}
