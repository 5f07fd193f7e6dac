import Foundation
import Glibc
import Testing

@Suite(.timeLimit(.minutes(5))) struct WalletCommandTests {
  private let onside: Program

  init() throws { onside = try Program() }

  /// Runs a command on the wallet `w`, with lines on standard input for the PINs.
  private func wallet(_ arguments: String..., lines: String...) async throws -> Program.Outcome {
    let words = ["wallet"] + arguments + ["--wallet", "w"] + (lines.isEmpty ? [] : ["--pin-fd", "0"])
    // No keyring and no TPM of whoever runs this.
    let nowhere = ["ONSIDE_WALLET_TPM": "device:/nowhere/tpm", "DBUS_SESSION_BUS_ADDRESS": "disabled:"]
    return try await onside.run(words, environment: nowhere, input: lines.map { $0 + "\n" }.joined())
  }

  private func serve() async throws -> (ChildProgram, String) {
    let program = try onside.launch(["serve", "--port", "0"])
    return (program, try #require(try await program.line(after: "The store is open: "), "\(program.errors)"))
  }

  @Test("WAL-8: A wallet is made, signs, changes its PIN, shows its words, is destroyed and recovered by them")
  func life() async throws {
    let made = try await wallet("create", "--no-vault", "--network", "test", lines: "908172")
    #expect(made.status == 0, "\(made.errors)")
    #expect(made.output.contains("ATTEMPTS NOT LIMITED"))
    let address = try #require(made.output.split(separator: "\n").first)
    #expect(try await wallet("address").output == "\(address)\n")
    let signed = try await wallet("sign", "--message", "hello", lines: "908172")
    #expect(Data(base64Encoded: signed.output.trimmingCharacters(in: .newlines))?.count == 64)
    #expect(signed.errors.contains("Message: \"hello\""))
    #expect(try await wallet("change-pin", lines: "908172", "271809").status == 0)
    let wrong = try await wallet("sign-in", lines: "908172")
    #expect(wrong.status == 1)
    #expect(wrong.errors == "Error: expected the wallet's PIN, got another\n")
    let words = try await wallet("words", lines: "271809").output.trimmingCharacters(in: .newlines)
    #expect(words.split(separator: " ").count == 24)
    #expect(try await wallet("destroy", "--yes").status == 0)
    #expect(try await wallet("address").errors.contains("found none"))
    let recovered = try await wallet("recover", "--no-vault", "--network", "test", lines: words, "718260")
    #expect(recovered.output.hasPrefix(address), "\(recovered.errors)")
    #expect(try await wallet("sign-in", lines: "718260").output == "\(address)\n")
  }

  @Test("WAL-4: a wallet whose wallet.json is gone is not opened by guesses, and the words bring it back")
  func noProfile() async throws {
    #expect(try await wallet("create", "--no-vault", "--network", "test", lines: "908172").status == 0)
    let words = try await wallet("words", lines: "908172").output.trimmingCharacters(in: .newlines)
    try FileManager.default.removeItem(at: onside.folder.url.appending(path: "w/wallet.json"))
    for command in ["sign-in", "change-pin"] {
      let refused = try await wallet(command, lines: "908172", "271809")
      #expect(refused.status == 1 && refused.errors.contains("wallet.json"), "\(command): \(refused.errors)")
    }
    #expect(try await wallet("recover", "--no-vault", "--network", "test", lines: words, "718260").status == 0)
    #expect(try await wallet("sign-in", lines: "718260").status == 0)
  }

  @Test("Common PINs are refused, and a PIN is neither an argument nor asked of nobody")
  func refusals() async throws {
    #expect(try await wallet("create", "--no-vault", lines: "123456").errors.contains("guessed first"))
    #expect(try await wallet("create", lines: "908172").errors.contains("--vault URL"))
    #expect(try await onside.run("wallet", "sign-in", "--wallet", "w", "--pin", "908172").status == 64)
    #expect(try await wallet("sign-in", lines: "").status == 1)
  }

  @Test("WAL-6: With a store, wrong PINs count over processes, and a clock that is turned back gives nothing")
  func vault() async throws {
    let (store, address) = try await serve()
    let made = try await wallet("create", "--vault", address, lines: "908172")
    #expect(made.status == 0, "\(made.errors)")
    for pin in ["400301", "400302", "400303", "400304"] {
      #expect(try await wallet("sign-in", lines: pin).errors.contains("got another"))
    }
    #expect(try await wallet("sign-in", lines: "908172").errors.contains("try again in"))
    let doctor = try await wallet("doctor")
    #expect(doctor.output.contains("vault: 6 tries left, the next in "))
    let early = try await turnedBack(["sign-in"], line: "908172")
    #expect(early.errors.contains("try again in"), "\(early.errors)")
    #expect(try await onside.run("clock", "advance", "60s").status == 0)
    try await Task.sleep(for: .seconds(2))
    let right = try await turnedBack(["sign-in"], line: "908172")
    #expect(right.status == 0, "a device whose clock is off signs in all the same: \(right.errors)")
    store.send(SIGTERM)
    await store.ended()
    #expect(try await wallet("sign-in", lines: "908172").errors.contains("expected an answer of the vault"))
  }

  /// The same under faketime, two days ago.
  private func turnedBack(_ arguments: [String], line: String) async throws -> Program.Outcome {
    let library = "/usr/lib/\(machine)-linux-gnu/faketime/libfaketime.so.1"
    try #require(FileManager.default.fileExists(atPath: library), "faketime is missing (script/setup)")
    return try await onside.run(
      ["wallet"] + arguments + ["--wallet", "w", "--pin-fd", "0"],
      environment: ["LD_PRELOAD": library, "FAKETIME": "-2d"], input: line + "\n")
  }

  private var machine: String {
    #if arch(arm64)
      "aarch64"
    #else
      "x86_64"
    #endif
  }

  @Test("WAL-1 to WAL-8: onside wallet demo proves each of its steps")
  func demo() async throws {
    let outcome = try await onside.run("wallet", "demo")
    #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    #expect(outcome.output.contains("Each step proved what it says."))
  }
}
