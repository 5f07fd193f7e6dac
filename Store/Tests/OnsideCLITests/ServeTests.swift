import Foundation
import FoundationNetworking
import GRDB
import Glibc
import StoreTestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct ServeTests {
  private let onside: Program

  init() throws { onside = try Program() }

  private func status(_ url: URL, app: String? = nil) async throws -> Int {
    var request = URLRequest(url: url)
    request.setValue(app, forHTTPHeaderField: "Onside-App")
    let (_, response) = try await URLSession.shared.answer(to: request)
    return try #require(response as? HTTPURLResponse).statusCode
  }

  @Test("Serve needs no configuration: it makes its database, says where it listens, and stops on a signal")
  func zeroConfiguration() async throws {
    let (program, address) = try await onside.serve()
    let actualStatus = try await status(address.appending(path: "healthz"))
    #expect(actualStatus == 200)
    let mode = try FileManager.default.attributesOfItem(atPath: onside.folder.file("onside.sqlite"))[.posixPermissions]
    #expect(mode as? Int == 0o600)
    await program.stopCleanly()
  }

  @Test(
    "Serve rejects SQLite's names of something else than a file, and leaves no file",
    arguments: [":memory:", "file:x.sqlite"])
  func noFile(name: String) async throws {
    let outcome = try await onside.run("serve", "--port", "0", "--database", name)
    #expect(outcome.status == 1 && outcome.errors.contains("database should be the path of a file"), "\(outcome)")
    let files = try FileManager.default.contentsOfDirectory(atPath: onside.folder.path)
    #expect(
      !files.contains { $0.hasPrefix("x.sqlite") || $0.hasPrefix("file:") || $0.hasPrefix(":memory:") }, "\(files)")
  }

  @Test("STO-19: a missing or empty database beside its guard file is rejected; serve --new makes a new store")
  func guardWithoutDatabase() async throws {
    let first = try await onside.serve().program
    await first.stopCleanly()
    let path = onside.folder.file("onside.sqlite")
    try FileManager.default.moveItem(atPath: path, toPath: onside.folder.file("away.sqlite"))
    for isEmpty in [false, true] {
      if isEmpty { try onside.folder.write("onside.sqlite", text: "") }
      for command in [["serve", "--port", "0"], ["app", "add", "io.example.a"]] {
        let rejected = try await onside.run(command)
        #expect(rejected.status == 1 && rejected.errors.contains("onside serve --new"), "\(rejected)")
      }
    }
    let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
    #expect(size == 0)
    // A dangling symbolic link counts as a guard file.
    let (guardFile, kept) = (onside.folder.file("onside.vault-guard"), onside.folder.file("kept"))
    try FileManager.default.moveItem(atPath: guardFile, toPath: kept)
    try FileManager.default.createSymbolicLink(atPath: guardFile, withDestinationPath: "nowhere")
    let linked = try await onside.run("serve", "--port", "0")
    #expect(linked.status == 1 && linked.errors.contains("onside serve --new"), "\(linked)")
    try FileManager.default.removeItem(atPath: guardFile)
    try FileManager.default.moveItem(atPath: kept, toPath: guardFile)
    let new = try await onside.serve(["--new"]).program
    await new.stopCleanly()
    let guards = try FileManager.default.contentsOfDirectory(atPath: onside.folder.url.path)
      .filter { $0.hasPrefix("onside.vault-guard") }
    #expect(guards.count == 2, "\(guards)")
    let again = try await onside.run("serve", "--port", "0", "--new")
    #expect(again.status == 1 && again.errors.contains("expected no store at onside.sqlite"), "\(again)")
  }

  @Test("STO-19: a log without its database file is rejected and kept: the file put back has every commit")
  func logWithoutDatabase() async throws {
    let first = try await onside.serve().program
    first.send(SIGKILL)
    await first.ended()
    let names = ["onside.sqlite", "onside.sqlite-wal"].map { onside.folder.file($0) }
    try FileManager.default.moveItem(atPath: names[0], toPath: onside.folder.file("away.sqlite"))
    let log = try Data(contentsOf: URL(filePath: names[1]))
    #expect(!log.isEmpty)
    for isEmpty in [false, true] {
      if isEmpty { try onside.folder.write("onside.sqlite", text: "") }
      for command in [
        ["serve", "--port", "0"], ["serve", "--port", "0", "--new"], ["app", "add", "io.example.a"], ["doctor"],
      ] {
        let outcome = try await onside.run(command)
        #expect(outcome.status == 1, "\(outcome)")
        let kept = try Data(contentsOf: URL(filePath: names[1]))
        #expect(kept == log, "\(command)")
      }
    }
  }

  @Test("The log is JSON, one object a line, when that is configured")
  func jsonLog() async throws {
    try onside.folder.write("onside.toml", text: "[log]\nformat = \"json\"\n")
    let (program, address) = try await onside.serve(["--configuration", "onside.toml"])
    let actualStatus = try await status(address.appending(path: "nothing/here"))
    #expect(actualStatus == 404)
    await program.stopCleanly()
    let lines = program.errors.split(separator: "\n").map { Data($0.utf8) }
    let messages = try lines.map { try #require(JSONDecoder().decode([String: String].self, from: $0)["message"]) }
    #expect(messages.contains("request"))
  }

  @Test(
    "A log that cannot be written does not end the store; the lines lost are counted",
    arguments: [
      "2>/dev/full",
      // A pipe whose only reader has closed it.
      "9<>pipe 2>pipe 9>&-",
    ])
  func brokenLog(files: String) async throws {
    #expect(mkfifo(onside.folder.file("pipe"), 0o600) == 0)
    let program = try onside.launch(["serve", "--port", "0"], redirecting: files)
    let line = try #require(try await program.line(after: "The store is open: "), "\(program.status)")
    let address = try #require(URL(string: line))
    for _ in 0..<3 {
      let actualStatus = try await status(address.appending(path: "nothing/here"))
      #expect(actualStatus == 404)
    }
    let (metrics, _) = try await URLSession.shared.answer(to: URLRequest(url: address.appending(path: "metrics")))
    let lost = String(decoding: metrics, as: UTF8.self).split(separator: "\n")
      .first { $0.hasPrefix("onside_log_lines_lost_total ") }
    let value = try #require(lost?.split(separator: " ").last.flatMap { Int($0) })
    #expect(value >= 3)
    await program.stopCleanly()
  }

  @Test("Serve says where login codes appear")
  func codesInStartText() async throws {
    let program = try onside.launch(["serve", "--port", "0"])
    let line = try await program.line(after: "login codes  ")
    #expect(line == "to phones: printed here, on standard output")
  }

  @Test("Serve without a standard output that can be written serves all the same, and logs its address")
  func brokenOutput() async throws {
    let program = try onside.launch(["serve", "--port", "0"], redirecting: ">/dev/full")
    try await NamedDeadline.wait(for: "a store that is open, or has ended", every: .milliseconds(20)) {
      !program.isRunning || program.errors.contains("the store is open")
    }
    let words = program.errors.split(whereSeparator: \.isWhitespace)
    let address = try #require(words.first { $0.hasPrefix("address=") }?.dropFirst("address=".count))
    let actualStatus = try await status(try #require(URL(string: "\(address)/healthz")))
    #expect(actualStatus == 200)
  }

  @Test("A port in use and a folder as database stop serve with a clear error, and leave no file")
  func noFiles() async throws {
    let (first, address) = try await onside.serve()
    let port = try #require(address.port)
    let busy = try await onside.run("serve", "--port", "\(port)", "--database", "other.sqlite")
    #expect(busy.status == 1 && busy.errors.contains("to be free, but another program listens there"))
    let twice = try await onside.run("serve", "--port", "8", environment: ["ONSIDE_MONITORING_PORT": "8"])
    #expect(twice.status == 1 && twice.errors.contains("to differ from the clients' port 8"), "\(twice.errors)")
    try FileManager.default.createDirectory(atPath: onside.folder.file("folder"), withIntermediateDirectories: false)
    let folder = try await onside.run("serve", "--port", "0", "--database", "folder")
    #expect(folder.status == 1 && folder.errors.contains("expected a file, got a folder"), "\(folder.errors)")
    let files = try FileManager.default.contentsOfDirectory(atPath: onside.folder.url.path)
    #expect(!files.contains { $0.hasPrefix("other") || $0.hasPrefix("folder-") }, "\(files)")
    await first.stopCleanly()
  }

  @Test("A wrong public_url is reported without its password")
  func password() async throws {
    let outcome = try await onside.run("serve", "--public-url", "https://user:secret@store.example", "--check-config")
    #expect(outcome.status == 1 && outcome.errors.contains("https://…@store.example"), "\(outcome.errors)")
    #expect(!outcome.errors.contains("secret"))
  }

  @Test("--version tells the program's version and that of its databases")
  func version() async throws {
    let outcome = try await onside.run("--version")
    #expect(outcome.status == 0)
    let value = try #require(outcome.output.wholeMatch(of: /onside (\S+), database version (\d+)\n/)).2
    #expect(value != "0")
  }

  @Test("STO-13: serve refuses production without a provider that takes real money, and starts with a complete one")
  func production() async throws {
    var environment = ["ONSIDE_ENVIRONMENT": "production"]
    let bare = try await onside.run("serve", "--port", "0", environment: environment)
    #expect(bare.status == 1)
    #expect(bare.errors.contains("Error: public_url is needed in production"))
    environment["ONSIDE_PUBLIC_URL"] = "https://store.example"
    let nameless = try await onside.run("serve", "--port", "0", environment: environment)
    #expect(nameless.errors.contains("Error: name is needed in production"))
    environment["ONSIDE_NAME"] = "Shop"
    environment["ONSIDE_MESSAGES_SENDER"] = "http"
    environment["ONSIDE_MESSAGES_URL"] = "https://gateway.example"
    let outcome = try await onside.run("serve", "--port", "0", environment: environment)
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("needs a payment provider that takes real money"))
    environment["ONSIDE_PAYMENTS_PROVIDER"] = "stripe"
    environment["ONSIDE_PAYMENTS_STRIPE_SECRET_KEY"] = "sk_test_1"
    let half = try await onside.run("serve", "--port", "0", environment: environment)
    #expect(half.status == 1 && half.errors.contains("payments.stripe.secret_key is needed: a key of the live mode"))
    #expect(!FileManager.default.fileExists(atPath: onside.folder.file("onside.sqlite")))
    environment["ONSIDE_PAYMENTS_STRIPE_SECRET_KEY"] = "sk_live_1"
    environment["ONSIDE_PAYMENTS_STRIPE_PUBLISHABLE_KEY"] = "pk_live_1"
    environment["ONSIDE_PAYMENTS_STRIPE_WEBHOOK_SECRET"] = "whsec_1"
    let program = try onside.launch(["serve", "--port", "0"], environment: environment)
    let line = try await program.line(after: "The store is open: ")
    #expect(line != nil, "\(program.errors)")
    #expect(!program.errors.contains("sk_live_1") && !program.errors.contains("whsec_1"))
  }

  @Test("The command line works on the file of a serving store, which takes it over")
  func whileServing() async throws {
    let (program, address) = try await onside.serve()
    let products = address.appending(path: "v1/products")
    let actualStatus = try await status(products, app: "io.example.a")
    #expect(actualStatus == 404)
    let secondStatus = try await onside.run("app", "add", "io.example.a").status
    #expect(secondStatus == 0)
    try await NamedDeadline.wait(for: "the app in the serving store", every: .milliseconds(50)) {
      try await status(products, app: "io.example.a") == 200
    }
    #expect(program.isRunning)
  }

  @Test("Serve refuses a port that is taken, and says what to do")
  func portTaken() async throws {
    let (program, address) = try await onside.serve()
    let port = try #require(address.port)
    let other = try Program()
    let outcome = try await other.run("serve", "--port", "\(port)")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("Error: expected 127.0.0.1:\(port) to be free, but another program listens there."))
    #expect(program.isRunning)
  }

  @Test("Serve refuses a database that another program has locked")
  func locked() async throws {
    _ = try await onside.run("app", "add", "io.example.a")
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let queue = try DatabaseQueue(path: onside.folder.file("onside.sqlite"), configuration: configuration)
    try await queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE") }
    let outcome = try await onside.run("serve", "--port", "0")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("is locked by another program"))
    try await queue.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
  }

  @Test("Serve refuses a file that is a database of something else, and leaves it alone")
  func foreign() async throws {
    let queue = try DatabaseQueue(path: onside.folder.file("onside.sqlite"))
    try await queue.write { try $0.execute(sql: "CREATE TABLE recipes(name TEXT)") }
    try queue.close()
    let outcome = try await onside.run("serve", "--port", "0")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("not one of this store"))
  }
}
