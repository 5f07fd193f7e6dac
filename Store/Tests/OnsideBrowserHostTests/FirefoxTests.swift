import Foundation
import Glibc
import OnsideBrowserHost
import OnsideKit
import StoreTestSupport
import Testing

/// The development host with a page in Firefox.
@MainActor
@Suite(
  "Firefox", .serialized, .timeLimit(.minutes(10)),
  .enabled(if: Firefox.path != nil, "Firefox is not installed: sudo apt-get install firefox-esr"))
struct FirefoxTests {
  @Test("JSB-2: every sample of the guide runs in Firefox")
  func samples() async throws {
    struct Answer: Decodable {
      var shown: [String]
      var coins: Int
    }
    let script = try Guide.script() + "\nreturn { shown, coins: await coins() };"
    try await visit { stage in
      let said: Answer = try await Firefox.run(script, at: stage.address.page)
      #expect(said.coins == 100)
      #expect(said.shown.contains("Lumen Pro, monthly: €3.99 per month") && said.shown.contains("Restored"))
      try await stage.oneFinished()
    }
  }

  @Test("JSB-3: an unknown product has the error of the declarations, and calls in flight settle in order, in Firefox")
  func answers() async throws {
    struct Answer: Decodable {
      var error: [String: [String: String]]
      var order: [Int]
    }
    let script = """
      const error = await onside.purchase({ productIdentifier: 'coins_100' }).catch((error) => error);
      const order = [];
      await Promise.all(Array.from({ length: 500 }, \
      (_, call) => onside.getTransactions().then(() => order.push(call))));
      return { error, order };
      """
    try await visit { stage in
      let said: Answer = try await Firefox.run(script, at: stage.address.page)
      #expect(said.error == ["unknownProduct": [:]])
      #expect(said.order == Array(0..<500))
    }
  }

  private func visit(_ body: @escaping @MainActor (Stage) async throws -> Void) async throws {
    let folder = try Firefox.folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    try "<!doctype html><title>Shop</title>".write(
      to: folder.appending(path: "index.html"), atomically: true, encoding: .utf8)
    try await Stage.run(.folder(folder), body)
  }
}

/// A real Firefox without a window, driven by `firefox.py`.
enum Firefox {
  static let path = ["/usr/bin/firefox-esr", "/usr/bin/firefox"]
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  /// A new folder.
  static func folder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(path: "onside-firefox-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  /// Runs `body` in a page as an async function, and returns its result.
  static func run<Answer: Decodable>(_ body: String, at page: URL) async throws -> Answer {
    let folder = try folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let files = ["body", "answer", "errors"].map { folder.appending(path: $0) }
    try body.write(to: files[0], atomically: true, encoding: .utf8)
    let driver = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "firefox.py")
    let program = try spawn(
      "/usr/bin/python3", arguments: [driver.path(), path ?? "", page.absoluteString],
      environment: ["PATH": "/usr/bin:/bin", "TMPDIR": folder.path()],
      files: [.reading(files[0].path()), .appending(files[1].path()), .appending(files[2].path())])
    var status: Int32 = 0
    try await NamedDeadline.wait(for: "the end of Firefox", every: .milliseconds(20)) {
      waitpid(program, &status, WNOHANG) != 0
    }
    let errors = try String(contentsOf: files[2], encoding: .utf8)
    try #require(status == 0, "\(errors)")
    return try JSONDecoder().decode(Answer.self, from: Data(contentsOf: files[1]))
  }
}
