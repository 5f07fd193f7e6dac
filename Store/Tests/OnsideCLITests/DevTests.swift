import Foundation
import HeadlessChromium
import StoreTestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct DevTests {
  private let onside: Program
  private let shop = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../Examples/Shop.storekit").standardized.path()

  init() throws { onside = try Program() }

  private var environment: [String: String] { ["ONSIDE_STORAGE_FOLDER": onside.folder.file("data")] }

  @Test("JSB-6: dev says that it is for development, for which pages it is, and which tag they need")
  func starts() async throws {
    let arguments = ["dev", "--page", "http://LocalHost:5173/shop/", "--storekit", shop, "--port", "0"]
    let program = try onside.launch(arguments, environment: environment)
    let line = try await program.line(after: "window.onside for pages of ")
    #expect(line == "http://localhost:5173. For development only: never ship this script.")
    let tag = try #require(try await program.line(after: "    <script src=\""))
    #expect(tag.wholeMatch(of: /http:\/\/127\.0\.0\.1:[0-9]+\/onside\.js\?token=[0-9a-f]{64}"><\/script>/) != nil)
    program.send(SIGTERM)
    await program.ended()
  }

  @Test(
    "JSB-8: what a page has asked dev rejects as soon as dev is killed; when it runs again the page begins anew",
    .enabled(if: Chromium.path != nil, "needs Chromium"), arguments: [false, true])
  func killed(hasNewToken: Bool) async throws {
    let page = onside.folder.url.appending(path: "page")
    try FileManager.default.createDirectory(at: page, withIntermediateDirectories: true)
    try onside.folder.write("page/index.html", text: "<!doctype html><title>Shop</title>")
    let chromium = try await Chromium.start()
    var program = try dev(page, port: 0)
    let address = try #require(try await program.line(after: "  page   "))
    try await chromium.open(address)
    // The login stays open: no test step opens the login page of its store.
    let ask = "onside.requestLogin().then(() => 'in', ({ code }) => code).then((value) => { globalThis.login = value })"
    _ = try await chromium.run("\(ask); await onside.getTransactions()")
    _ = try #require(try await program.line(after: "calls   requestLogin"))
    let outcome = try await chromium.run("return globalThis.login ?? 'open'")
    #expect(outcome == #""open""#)
    program.send(SIGKILL)
    await program.ended()
    try await chromium.wait(until: "globalThis.login")
    let secondOutcome = try await chromium.run("return globalThis.login")
    #expect(secondOutcome == #""bridgeDetached""#)
    let port = try #require(URL(string: address)?.port)
    program = try dev(page, port: port, token: hasNewToken ? "u" : "t")
    try await chromium.wait(until: "globalThis.login === undefined")
    let thirdOutcome = try await chromium.run("return (await onside.getTransactions()).length")
    #expect(thirdOutcome == "0")
    await chromium.stop()
    program.send(SIGTERM)
    await program.ended()
  }

  @Test("LOC-3: a second dev on a file whose purchases another one keeps says so, and does not start")
  func second() async throws {
    let arguments = ["dev", "--page", "http://localhost:5173", "--storekit", shop, "--port", "0"]
    let first = try onside.launch(arguments, environment: environment)
    _ = try #require(try await first.line(after: "window.onside for pages of "))
    let second = try await onside.run(arguments, environment: environment)
    #expect(second.status != 0)
    #expect(second.errors.contains("another onside dev perhaps: stop it"), "\(second.errors)")
    first.send(SIGTERM)
    await first.ended()
  }

  private func dev(_ page: URL, port: Int, token: String = "t") throws -> ChildProgram {
    // Without a display and a desktop no browser is opened for logins.
    var environment = environment
    environment["PATH"] = "/usr/bin:/bin"
    environment["DISPLAY"] = ""
    let token = String(repeating: token, count: 32)
    return try onside.launch(
      ["dev", "--page", page.path(), "--storekit", shop, "--port", "\(port)", "--token", token],
      environment: environment)
  }

  @Test("LOC-5: dev says where it keeps purchases, by the file's real path; --reset forgets them, and nothing else")
  func reset() async throws {
    var folders: [String] = []
    for project in ["a", "b"] {
      try FileManager.default.createDirectory(
        at: onside.folder.url.appending(path: project), withIntermediateDirectories: true)
      let file = onside.folder.file("\(project)/Shop.storekit")
      try FileManager.default.copyItem(atPath: shop, toPath: file)
      let arguments = ["dev", "--page", "http://localhost:1", "--storekit", file, "--port", "0"]
      let program = try onside.launch(arguments, environment: environment)
      folders.append(try #require(try await program.line(after: "  kept   ")))
      program.send(SIGTERM)
      await program.ended()
    }
    #expect(Set(folders).count == 2)
    for folder in folders {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try Data("{}".utf8).write(to: URL(filePath: folder).appending(path: "local-store.json"))
    }
    let outcome = try await onside.run(
      ["dev", "--reset", "--storekit", onside.folder.file("a/Shop.storekit")], environment: environment)
    #expect(outcome.status == 0 && outcome.output.hasSuffix("are forgotten.\n"), "\(outcome.errors)")
    let kept = folders.map { FileManager.default.fileExists(atPath: $0 + "/local-store.json") }
    #expect(kept == [false, true])
  }

  @Test("Dev refuses what it cannot serve, and says what it expects")
  func refusals() async throws {
    let wrong: [([String], String)] = [
      (["--page", "nowhere"], "a folder with an index.html; got “nowhere”"),
      (["--page", "file:///shop/index.html"], "an address such as http://localhost:5173"),
      (["--page", "http://localhost:1", "--token", "short"], "Expected a --token of 16 to 128"),
      (["--page", "http://localhost:1", "--fresh"], "--fresh is for --storekit"),
      (["--reset"], "--reset is for --storekit"), (["--reset", "--storekit", "none.storekit"], "none.storekit"),
      (["--storekit", shop], "Expected --page"),
      (["--page", "http://localhost:1", "--storekit", shop, "--store", "http://127.0.0.1:1"], "got both"),
      (["--page", "http://localhost:1"], "ONSIDE_STORE_URL is missing"),
      (["--page", "http://localhost:1", "--storekit", "none.storekit"], "none.storekit"),
    ]
    for (arguments, text) in wrong {
      let outcome = try await onside.run(["dev"] + arguments, environment: environment)
      #expect(outcome.status != 0)
      #expect(outcome.errors.contains(text), "\(outcome.errors)")
    }
  }

  @Test("JSB-1: types prints the declarations of window.onside")
  func types() async throws {
    let outcome = try await onside.run("types")
    #expect(outcome.status == 0 && outcome.output.contains("interface OnsideJSBridge {"))
  }
}
