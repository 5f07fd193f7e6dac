import Foundation
import Logging
import StoreBaseTestSupport
import StoreTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StoreWeb

@Suite(.timeLimit(.minutes(5))) struct ConfigurationTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func read(
    _ text: String? = nil, environment: [String: String] = [:], flags: [String: String] = [:]
  ) throws -> ServeConfiguration {
    guard let text else { return try ServeConfiguration(file: nil, environment: environment, flags: flags) }
    let path = folder.file("onside.toml")
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    return try ServeConfiguration(file: path, environment: environment, flags: flags)
  }

  private func refusal(_ text: String? = nil, environment: [String: String] = [:]) -> String? {
    do {
      _ = try read(text, environment: environment)
      return nil
    } catch {
      return "\(error)".replacing(folder.path + "/", with: "")
    }
  }

  @Test("Without anything said, it is a sandbox in the current folder on port 8080")
  func defaults() throws {
    let configuration = try read()
    #expect(configuration.store.environment == .sandbox)
    #expect(configuration.store.port == 8080)
    #expect(configuration.database == .sqlite(path: "onside.sqlite"))
  }

  @Test(
    "The guard file is beside the database file, or has the name of the server's database, whatever its hosts are",
    arguments: [
      ("onside.sqlite", "onside.vault-guard"), ("/srv/shop.db", "/srv/shop.db.vault-guard"),
      ("postgres://u:p@a,b:5433/store?sslmode=require", "onside-store.vault-guard"),
      ("postgres://c/store", "onside-store.vault-guard"), ("postgres://c/a%2Fb", "onside-a%2Fb.vault-guard"),
      ("postgres://c", "onside.vault-guard"),
    ])
  func guardFile(database: String, expected: String) throws {
    let vaultGuard = try read(flags: ["database": database]).vaultGuard
    #expect(vaultGuard == expected)
    let secondVaultGuard = try read("[vault]\nguard = \"mine\"", flags: ["database": database]).vaultGuard
    #expect(secondVaultGuard == "mine")
  }

  @Test("Flags win over the environment, which wins over the file")
  func precedence() throws {
    let file = "port = 1\nhost = \"::1\"\n[log]\nlevel = \"debug\"\n"
    let environment = ["ONSIDE_PORT": "2", "ONSIDE_HOST": "localhost", "ONSIDE_LIMITS_CONNECTIONS": "7"]
    let configuration = try read(file, environment: environment, flags: ["port": "3"])
    #expect(configuration.store.port == 3)
    #expect(configuration.store.host == "localhost")
    #expect(configuration.store.limits.connections == 7)
    #expect(configuration.logLevel == .debug)
  }

  @Test(
    "A mistake in the file is named with its line and what to write instead",
    arguments: [
      (
        "port = 8080\n[limits]\nconections = 3",
        "onside.toml:3: unknown key \"limits.conections\"; did you mean \"limits.connections\"?"
      ),
      ("prot = 1", "onside.toml:1: unknown key \"prot\"; did you mean \"port\"?"),
      (
        "colour_of_the_door = 1",
        "onside.toml:1: unknown key \"colour_of_the_door\"; docs/operating.md lists the known ones"
      ),
      ("\nport = \"8080\"", "onside.toml:2: port should be a whole number from 0 to 65535, got \"8080\""),
      ("port = 70000", "onside.toml:1: port should be a whole number from 0 to 65535, got 70000"),
      ("port = 1.5", "onside.toml:1: port should be a whole number from 0 to 65535, got 1.5"),
      ("port = [1]", "onside.toml:1: port should be a whole number from 0 to 65535, got a list"),
      ("behind_proxy = 1", "onside.toml:1: behind_proxy should be true or false, got 1"),
      (
        "default_country = \"XX\"",
        "onside.toml:1: default_country should be an ISO 3166-1 alpha-2 country code such as \"NL\", got \"XX\""
      ),
      ("host = \"\"", "onside.toml:1: host should be a host name or an IP address such as \"127.0.0.1\", got \"\""),
      (
        "environment = \"prod\"",
        "onside.toml:1: environment should be one of \"sandbox\", \"production\", got \"prod\""
      ),
      (
        "[limits]\nhead_timeout = 0", "onside.toml:2: limits.head_timeout should be a whole number from 1 to 600, got 0"
      ),
    ])
  func mistakes(text: String, said: String) {
    #expect(refusal(text) == said)
  }

  @Test("A file that is no TOML is named with line and column")
  func syntax() throws {
    let said = try #require(refusal("port = 1\nhost = = 2\n"))
    #expect(said.hasPrefix("onside.toml:2:8: expected TOML: "))
    #expect(!said.contains("\n"))
  }

  @Test("A missing file and a wrong variable are named")
  func places() throws {
    #expect(throws: ConfigurationError.unreadable(path: "/none.toml", reason: "there is no such file")) {
      try ServeConfiguration(file: "/none.toml", environment: [:])
    }
    #expect(
      refusal(environment: ["ONSIDE_PORT": "many"])
        == "ONSIDE_PORT: port should be a whole number from 0 to 65535, got \"many\"")
  }

  @Test("A misspelt variable is named with what it was meant to be; the SDK's may stand beside the store's")
  func variables() throws {
    #expect(
      refusal(environment: ["ONSIDE_PROT": "1"])
        == "environment: unknown key \"ONSIDE_PROT\"; did you mean \"ONSIDE_PORT\"?")
    #expect(
      refusal(environment: ["ONSIDE_LIMITS_CONECTIONS": "1"])
        == "environment: unknown key \"ONSIDE_LIMITS_CONECTIONS\"; did you mean \"ONSIDE_LIMITS_CONNECTIONS\"?")
    #expect(refusal(environment: ["ONSIDE_": ""]) != nil)
    let others = [
      "ONSIDE_STORE_URL", "ONSIDE_APP_ID", "ONSIDE_STORAGE_FOLDER", "ONSIDE_CALLBACK_SCHEME", "ONSIDE_KILL_AT",
      "ONSIDE", "ONSIDES_PORT", "PORT",
    ]
    #expect(refusal(environment: Dictionary(uniqueKeysWithValues: others.map { ($0, "x") })) == nil)
  }

  @Test(
    "A public address with more than scheme, host and port is refused",
    arguments: [
      "store.example", "ftp://store.example", "https://store.example/shop", "https://a:b@store.example", "https://x?y",
    ])
  func publicAddress(text: String) {
    #expect(refusal("public_url = \"\(text)\"")?.contains("public_url should be https://") == true)
  }

  @Test("SEC-1: a secret is never shown: not in effect, not in an error, not in a description")
  func secrets() throws {
    let configuration = try read(environment: [
      "ONSIDE_MESSAGES_AUTHORIZATION": "Bearer hush", "ONSIDE_MESSAGES_PASSWORD": "hush",
      "ONSIDE_MESSAGES_HEADERS": "X-Key: hush", "ONSIDE_MAIL_PASSWORD": "hush",
    ])
    #expect(configuration.store.messages.authorization != nil)
    let actualText = try read(configuration.text).text
    #expect(actualText == configuration.text)
    #expect(configuration.text.contains("authorization = \"redacted\""))
    var dumped = ""
    dump(configuration, to: &dumped)
    for shown in [configuration.text, dumped, "\(configuration)", String(reflecting: configuration)] {
      #expect(!shown.contains("hush"))
    }
    #expect(
      refusal("[messages]\nauthorization = 4711")
        == "onside.toml:2: messages.authorization should be a text, got something else")
  }

  @Test("A production store is not served without https, a name and a way to reach phones")
  func production() throws {
    let address = "environment = \"production\"\npublic_url = \"https://store.example\"\n"
    for text in [
      "environment = \"production\"", address, address + Self.messages, address + "messages.sender = \"none\"",
      "environment = \"production\"\npublic_url = \"http://store.example\"\n" + Self.messages,
    ] {
      let configuration = try read(text)
      let error = #expect(throws: ConfigurationError.self) { try configuration.check() }
      #expect(error.map { "\($0)" }?.contains(" is needed in production: ") == true)
    }
    try read().check()
  }

  private static let messages = "[messages]\nsender = \"http\"\nurl = \"https://messages.example/send?to={to}\"\n"

  @Test("STO-13: a production store is not served while nothing takes real money, whatever else is configured")
  func productionWithoutProvider() throws {
    let address = "environment = \"production\"\nname = \"Shop\"\npublic_url = \"https://store.example\"\n"
    for others in [Self.messages, "messages.sender = \"none\"\n[mail]\nsender = \"smtp\"\nfrom = \"a@b.example\"\n"] {
      let configuration = try read(address + others)
      #expect(throws: ConfigurationError.noPaymentProvider) { try configuration.check() }
    }
  }

  @Test(
    "A sender that misses something is refused, and what it misses is named",
    arguments: [
      ("[messages]\nsender = \"http\"", "messages.url"), ("[messages]\nurl = \"https://m.example\"", "messages.sender"),
      ("[messages]\nsender = \"kannel\"\nurl = \"http://127.0.0.1\"\nuser = \"u\"", "messages.user"),
      ("[mail]\nsender = \"smtp\"", "mail.from"),
      ("[mail]\nsender = \"smtp\"\nfrom = \"a@b.example\"\nuser = \"u\"", "mail.password"),
      (
        "[mail]\nsender = \"smtp\"\nfrom = \"a@b.example\"\ntrusted_certificates = \"/nowhere.pem\"",
        "mail.trusted_certificates"
      ),
      (
        "[mail]\nsender = \"smtp\"\nfrom = \"a@b.example\"\nuser = \"u\"\npassword = \"p\"\nsecurity = \"none\"",
        "mail.security"
      ),
    ])
  func senders(text: String, missing: String) throws {
    let configuration = try read(text)
    let error = #expect(throws: ConfigurationError.self) { try configuration.check() }
    #expect(error.map { "\($0)" }?.hasPrefix("\(missing) is needed: ") == true)
  }

  @Test(
    "Any number of OpenID providers stand in tables of their own; a secret comes by its variable and is never shown")
  func providers() throws {
    let file = """
      [openid.zoo]
      name = "Zoo"
      issuer = "https://zoo.example/"
      client_id = "store"
      [openid.example]
      name = "Example ID"
      issuer = "http://127.0.0.1:9"
      client_id = "store"
      client_secret = "of-the-file"
      """
    let configuration = try read(file, environment: ["ONSIDE_OPENID_ZOO_CLIENT_SECRET": "of-the-environment"])
    try configuration.check()
    #expect(configuration.store.providers.map(\.id) == ["example", "zoo"])
    #expect(configuration.store.providers.map(\.issuer) == ["http://127.0.0.1:9", "https://zoo.example/"])
    #expect(configuration.store.providers.map(\.clientSecret?.value) == ["of-the-file", "of-the-environment"])
    #expect(configuration.text.contains("[openid.zoo]\nname = \"Zoo\"\n"))
    #expect(!configuration.text.contains("of-the-") && !"\(configuration)".contains("of-the-"))
    let error = #expect(throws: ConfigurationError.self) { try read(file).check() }
    #expect(error.map { "\($0)" }?.hasPrefix("openid.zoo.client_secret is needed: ") == true)
  }

  @Test(
    "A mistake in a provider is named with what to write instead",
    arguments: [
      ("[openid.a]\nisuer = \"x\"", "onside.toml:2: unknown key \"openid.a.isuer\"; did you mean \"openid.a.issuer\"?"),
      (
        "[openid.My-ID]\nname = \"x\"",
        "onside.toml:2: the name of an [openid.…] table should be lower-case letters and digits, got \"My-ID\""
      ),
      (
        "[openid.a]\nissuer = \"http://id.example\"",
        "onside.toml:2: openid.a.issuer should be the provider's https address, without a query, as it names itself (or http:// on this machine, for tests), got \"http://id.example\""
      ),
      (
        "[openid]\nissuer = \"https://id.example\"",
        "onside.toml:2: unknown key \"openid.issuer\"; docs/operating.md lists the known ones"
      ),
    ])
  func providerMistakes(text: String, message: String) { #expect(refusal(text) == message) }

  @Test("What --check-config prints can be read back as a file")
  func roundTrip() throws {
    let given =
      "port = 9\npublic_url = \"https://store.example/\"\ndatabase = \"a \\\"b\\\" \\\\ c\"\n"
      + "[limits]\nhead_timeout = 3\n"
    let configuration = try read(given)
    #expect(configuration.store.publicURL?.absoluteString == "https://store.example")
    #expect(configuration.database == .sqlite(path: "a \"b\" \\ c"))
    let again = try read(configuration.text)
    #expect(again.text == configuration.text)
    #expect(again.store.limits.headTimeout == .seconds(3))
  }

  #if canImport(PostgresClient)
    @Test("A PostgreSQL address is taken as one, and its password is shown nowhere")
    func postgres() throws {
      let configuration = try read("database = \"postgres://onside:hush@db1,db2:5433/store?sslmode=require\"")
      #expect(configuration.database.path == nil)
      #expect(configuration.database.description == "postgres://onside@db1,db2:5433/store")
      #expect(configuration.text.contains("database = \"postgres://onside@db1,db2:5433/store\""))
      #expect(!"\(configuration) \(configuration.text)".contains("hush"))
      let message = refusal("database = \"postgres://onside:hush@db1:port/store?mode=1\"")
      #expect(message?.contains("postgres://USER:PASSWORD@HOST:PORT/DATABASE") == true)
      #expect(message?.contains("hush") == false)
    }
  #endif

  @Test("docs/operating.md describes every key with its variable, default and unit, and no other key")
  func manual() throws {
    let manual = try Repository.text("docs/operating.md")
    let rows = manual.split(separator: "\n").filter { $0.contains("| `ONSIDE_") }
    let cells = rows.map { row in row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
    let keys = ServeConfiguration.keys + ServeConfiguration.openIDKeys("example")
    #expect(cells.map { $0[0] } == keys.map { "`\($0.name)`" })
    for (cell, key) in zip(cells, keys) {
      #expect(cell[1] == "`\(key.variable)`")
      #expect(cell[2] == (key.defaultLiteral.map { "`\($0)`" } ?? "none"), "\(key.name)")
      if let unit = key.unit { #expect(cell[3].hasPrefix(unit), "\(key.name)") }
      #expect(cell.count == 5 && !cell[4].isEmpty, "\(key.name) has no description")
    }
  }

  @Test("The Debian package's configuration is accepted, also with every key that it comments out")
  func packaged() throws {
    let shipped = try Repository.text("Packaging/onside.toml")
    let configuration = try read(shipped)
    #expect(configuration.database == .sqlite(path: "/var/lib/onside/onside.sqlite"))
    #expect(configuration.store.host == "127.0.0.1")
    // A key that is commented out has no space behind the number sign; prose has one.
    let lines = shipped.split(separator: "\n").map { $0.hasPrefix("#") && !$0.hasPrefix("# ") ? $0.dropFirst() : $0 }
    let complete = try read(lines.joined(separator: "\n"))
    #expect(complete.store.publicURL?.absoluteString == "https://store.example")
    #expect(complete.vaultGuard == configuration.vaultGuard)
  }

  @Test("A JSON log line is one object with the message, its metadata and the time")
  func jsonLog() throws {
    let lines = Lines()
    var logger = Logger(label: "test") { label in
      LineLog(label: label, format: .json, clock: ManualClock(Date(timeIntervalSince1970: 0))) { lines.add($0) }
    }
    logger[metadataKey: "a"] = "1"
    logger.info("two\nlines", metadata: ["b": "\"quoted\""])
    let line = try #require(lines.all.first)
    #expect(line.hasSuffix("}\n") && line.dropLast().contains("\n") == false)
    let fields = try JSONDecoder().decode([String: String].self, from: Data(line.utf8))
    #expect(
      fields == [
        "time": "1970-01-01T00:00:00Z", "level": "info", "logger": "test", "message": "two\nlines", "a": "1",
        "b": "\"quoted\"",
      ])
  }

  @Test("A text log line has the time, the level and the metadata before the message")
  func textLog() {
    let lines = Lines()
    var logger = Logger(label: "test") { label in
      LineLog(label: label, format: .text, clock: ManualClock(Date(timeIntervalSince1970: 0))) { lines.add($0) }
    }
    logger[metadataKey: "b"] = "2"
    logger.log(level: .warning, "slow", metadata: ["a": "1"], source: "Store")
    #expect(lines.all == ["1970-01-01T00:00:00Z warning test: a=1 b=2 [Store] slow\n"])
  }
}
