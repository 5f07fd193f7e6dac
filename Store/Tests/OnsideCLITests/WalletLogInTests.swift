import Foundation
import Glibc
import ScriptedBrowser
import Testing

/// `onside wallet log-in` against stores that really run.
@Suite(.timeLimit(.minutes(5))) struct WalletLogInTests {
  private let onside: Program

  init() throws { onside = try Program() }

  private func wallet(
    _ arguments: String..., pin: String? = nil, environment: [String: String] = [:]
  ) async throws -> Program.Outcome {
    let words = ["wallet"] + arguments + ["--wallet", "w"] + (pin == nil ? [] : ["--pin-fd", "0"])
    return try await onside.run(words, environment: environment, input: pin.map { $0 + "\n" } ?? "")
  }

  /// A store that runs, and a wallet of a network with the PIN 908172.
  private func make(network: String = "test") async throws -> (ChildProgram, address: String, wallet: String) {
    let (program, address) = try await onside.serve()
    let made = try await wallet("create", "--no-vault", "--network", network, pin: "908172")
    return (
      program, address.absoluteString,
      try #require(made.output.split(separator: "\n").first.map(String.init), "\(made.errors)")
    )
  }

  @Test("WAL-11: A wallet logs in to a running store: who it is, that it is new, no token unless it is asked for")
  func logIn() async throws {
    let (store, address, account) = try await make()
    defer { store.send(SIGKILL) }
    let outcome = try await wallet("log-in", "--store", address, pin: "908172")
    #expect(outcome.status == 0, "\(outcome.errors)")
    let domain = address.dropFirst("http://".count)
    #expect(outcome.output.contains("Logged in to \(domain) as \(account)"))
    #expect(outcome.output.contains("New to the store") && !outcome.output.contains("eyJ"))
    #expect(outcome.errors.contains("no payment"))
    let token = try await wallet("log-in", "--store", address, "--print-token", pin: "908172")
    #expect(token.output.wholeMatch(of: /eyJ[\w-]+\.[\w-]+\.[\w-]+\n/) != nil && token.errors.contains("New to"))
    let wrong = try await wallet("log-in", "--store", address, pin: "908173")
    #expect(wrong.status == 1 && wrong.errors.hasSuffix("Error: expected the wallet's PIN, got another\n"))
    let errors = try await wallet("log-in", pin: "908172").errors
    #expect(errors.contains("expected --store URL"))
  }

  @Test("WAL-11: A wallet ends the login of a page; from then on the store knows it")
  func page() async throws {
    let (store, address, _) = try await make()
    defer { store.send(SIGKILL) }
    let account = try await wallet("address").output.trimmingCharacters(in: .newlines)
    let browser = Browser()
    let first = try await browser.open(try #require(URL(string: address + "/login?next=/account")))
    let login = try #require(first.url.path().split(separator: "/").last)
    let asked = try #require(URL(string: "\(address)/login/\(login)/wallet?account=\(account)"))
    let page = try await browser.open(asked)
    let shown = try #require(page.html.firstMatch(of: /(?s)<textarea[^>]*id="challenge"[^>]*>(.*?)<\/textarea>/)?.1)
    let challenge = HTMLForm.unescaped(String(shown))
    let signed = try await wallet("log-in", "--store", address, "--challenge", challenge, pin: "908172")
    #expect(signed.status == 0, "\(signed.errors)")
    var form = try #require(HTMLForm.all(in: page.html).first { $0.method == "post" && $0.action.hasSuffix("/wallet") })
    form.set("signed", to: signed.output)
    let region = try await browser.submit(form, of: page)
    var country = try region.form(with: "country")
    country.set("country", to: "NL")
    let path = try await browser.submit(country, of: region).url.path()
    #expect(path == "/account")
    let again = try await wallet("log-in", "--store", address, pin: "908172")
    #expect(again.output.contains("The store knows this wallet"), "\(again.output)\(again.errors)")
  }

  @Test("WAL-11: Another network, another domain and no store are refused before the PIN is tried")
  func refused() async throws {
    let (store, address, _) = try await make(network: "public")
    defer { store.send(SIGKILL) }
    let network = try await wallet("log-in", "--store", address, pin: "908173")
    #expect(network.status == 1 && network.errors.contains("is on Stellar's test network: nothing was signed"))
    let made = try await wallet("destroy", "--yes")
    #expect(made.status == 0)
    _ = try await wallet("create", "--no-vault", "--network", "test", pin: "908172")
    let other = address.replacing("127.0.0.1", with: "localhost")
    let domain = try await wallet("log-in", "--store", other, pin: "908173")
    #expect(domain.status == 1 && domain.errors.contains("has its logins at 127.0.0.1:"), "\(domain.errors)")
    let plain = try await wallet("log-in", "--store", "http://store.example", pin: "908173")
    #expect(plain.status == 1 && plain.errors.contains("expected the store at an https address"))
    await store.stopCleanly()
    let gone = try await wallet("log-in", "--store", address, pin: "908173")
    #expect(gone.status == 1 && gone.errors.contains("expected an answer of 127.0.0.1, got none"))
  }

  @Test("WAL-11: A challenge that is not good by this machine's clock is not signed", arguments: ["-2d", "+2d"])
  func expired(_ shift: String) async throws {
    let (store, address, _) = try await make()
    defer { store.send(SIGKILL) }
    let library = try #require(
      FileManager.default.subpaths(atPath: "/usr/lib")?.first { $0.hasSuffix("faketime/libfaketimeMT.so.1") },
      "faketime is missing (script/setup)")
    let outcome = try await wallet(
      "log-in", "--store", address, pin: "908172",
      environment: ["LD_PRELOAD": "/usr/lib/\(library)", "FAKETIME": shift])
    #expect(outcome.status == 1 && outcome.errors.contains("this machine's clock says"), "\(outcome.errors)")
    #expect(outcome.errors.contains("nothing was signed"))
  }

  @Test("WAL-11: The store is the vault's, unless another is named")
  func vaultStore() async throws {
    let (program, address) = try await onside.serve()
    defer { program.send(SIGKILL) }
    let made = try await wallet("create", "--vault", address.absoluteString, "--network", "test", pin: "908172")
    #expect(made.status == 0, "\(made.errors)")
    let output = try await wallet("log-in", pin: "908172").output
    #expect(output.contains("Logged in to 127.0.0.1:"))
    let both = try await wallet("log-in", "--challenge", "x", "--print-token", pin: "908172")
    #expect(both.status == 64)
  }
}
