import Foundation
import Glibc
import StoreTestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct WalletCommandTests {
  private let onside: Program

  init() throws { onside = try Program() }

  /// Runs a command on the wallet `w`, with lines on standard input for the PINs.
  private func wallet(_ arguments: String..., lines: String...) async throws -> Program.Outcome {
    let words = ["wallet"] + arguments + ["--wallet", "w"] + (lines.isEmpty ? [] : ["--pin-fd", "0"])
    // Disables the keyring and the TPM of the machine that runs the test.
    let nowhere = ["ONSIDE_WALLET_TPM": "device:/nowhere/tpm", "DBUS_SESSION_BUS_ADDRESS": "disabled:"]
    return try await onside.run(words, environment: nowhere, input: lines.map { $0 + "\n" }.joined())
  }

  private func serve() async throws -> (ChildProgram, String) {
    let (program, address) = try await onside.serve()
    return (program, address.absoluteString)
  }

  @Test("WAL-8: A wallet is made, signs, changes its PIN, shows its words, is destroyed and recovered by them")
  func life() async throws {
    let made = try await wallet("create", "--no-vault", "--network", "test", lines: "908172")
    #expect(made.status == 0, "\(made.errors)")
    #expect(made.output.contains("ATTEMPTS NOT LIMITED"))
    let address = try #require(made.output.split(separator: "\n").first)
    let output = try await wallet("address").output
    #expect(output == "\(address)\n")
    let signed = try await wallet("sign", "--message", "hello", lines: "908172")
    #expect(Data(base64Encoded: signed.output.trimmingCharacters(in: .newlines))?.count == 64)
    #expect(signed.errors.contains("Message: \"hello\""))
    let status = try await wallet("change-pin", lines: "908172", "271809").status
    #expect(status == 0)
    let wrong = try await wallet("sign-in", lines: "908172")
    #expect(wrong.status == 1)
    #expect(wrong.errors == "Error: expected the wallet's PIN, got another\n")
    let words = try await wallet("words", lines: "271809").output.trimmingCharacters(in: .newlines)
    #expect(words.split(separator: " ").count == 24)
    let secondStatus = try await wallet("destroy", "--yes").status
    #expect(secondStatus == 0)
    let errors = try await wallet("address").errors
    #expect(errors.contains("found none"))
    let recovered = try await wallet("recover", "--no-vault", "--network", "test", lines: words, "718260")
    #expect(recovered.output.hasPrefix(address), "\(recovered.errors)")
    let secondOutput = try await wallet("sign-in", lines: "718260").output
    #expect(secondOutput == "\(address)\n")
  }

  @Test("WAL-4: a wallet whose wallet.json is gone is not opened by guesses, and the words bring it back")
  func noProfile() async throws {
    let status = try await wallet("create", "--no-vault", "--network", "test", lines: "908172").status
    #expect(status == 0)
    let words = try await wallet("words", lines: "908172").output.trimmingCharacters(in: .newlines)
    try FileManager.default.removeItem(at: onside.folder.url.appending(path: "w/wallet.json"))
    for command in ["sign-in", "change-pin"] {
      let refused = try await wallet(command, lines: "908172", "271809")
      #expect(refused.status == 1 && refused.errors.contains("wallet.json"), "\(command): \(refused.errors)")
    }
    let secondStatus = try await wallet("recover", "--no-vault", "--network", "test", lines: words, "718260").status
    #expect(secondStatus == 0)
    let thirdStatus = try await wallet("sign-in", lines: "718260").status
    #expect(thirdStatus == 0)
  }

  @Test(
    "WAL-4: a recovery that is killed at any of its files leaves the former wallet or the new one, with its own rules",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/strace"), "sudo apt-get install strace"),
    arguments: [("rename", 1), ("rename", 2), ("rename", 3), ("rename", 4), ("rename", 5), ("unlink", 1)])
  func killedRecovery(call: String, number: Int) async throws {
    let status = try await wallet("create", "--no-vault", "--network", "test", lines: "908172").status
    #expect(status == 0)
    let words = try await wallet("words", lines: "908172").output
    let killed = try await onside.run(
      ["wallet", "recover", "--no-vault", "--network", "public", "--wallet", "w", "--pin-fd", "0"],
      under: ["ONSIDE_WALLET_TPM=device:/nowhere/tpm", "DBUS_SESSION_BUS_ADDRESS=disabled:"]
        + ["strace", "-f", "-o", "trace", "-e", "inject=/^\(call):signal=SIGKILL:when=\(number)"],
      input: words + "718260\n")
    #expect(killed.output.isEmpty && onside.folder.text("trace").contains("killed by SIGKILL"), "\(killed.errors)")
    let former = try await wallet("change-pin", lines: "908172", "271809").status == 0
    let new = try await wallet("change-pin", lines: "718260", "271809").status == 0
    #expect(former != new && new == (call == "unlink" || number == 5))
    let secondStatus = try await wallet("sign-in", lines: "271809").status
    #expect(secondStatus == 0)
    #expect(onside.folder.text("w/wallet.json").contains(new ? "Public Global" : "Test SDF"))
  }

  @Test("WAL-4: of two wallets that are made in one folder at once one is made, with its own rules")
  func twoAtOnce() async throws {
    let names = ["test": "Test SDF", "public": "Public Global"]
    let made = try await withThrowingTaskGroup(of: (network: String, status: Int32).self) { group in
      for network in names.keys {
        group.addTask {
          (network, try await wallet("create", "--no-vault", "--network", network, lines: "908172").status)
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    let winners = made.filter { $0.status == 0 }
    #expect(winners.count == 1)
    let name = try #require(names[winners.first?.network ?? ""])
    #expect(onside.folder.text("w/wallet.json").contains(name))
    let status = try await wallet("sign-in", lines: "908172").status
    #expect(status == 0)
  }

  @Test("Common PINs and empty PINs are refused, a store or --no-vault is required, and --pin is no argument")
  func refusals() async throws {
    let errors = try await wallet("create", "--no-vault", lines: "123456").errors
    #expect(errors.contains("guessed first"))
    let secondErrors = try await wallet("create", lines: "908172").errors
    #expect(secondErrors.contains("--vault URL"))
    let status = try await onside.run("wallet", "sign-in", "--wallet", "w", "--pin", "908172").status
    #expect(status == 64)
    let secondStatus = try await wallet("sign-in", lines: "").status
    #expect(secondStatus == 1)
  }

  @Test("WAL-6: With a store, wrong PINs count over processes, and a clock that is turned back gives nothing")
  func vault() async throws {
    let (store, address) = try await serve()
    let made = try await wallet("create", "--vault", address, lines: "908172")
    #expect(made.status == 0, "\(made.errors)")
    for pin in ["400301", "400302", "400303", "400304"] {
      let errors = try await wallet("sign-in", lines: pin).errors
      #expect(errors.contains("got another"))
    }
    #expect(try await wallet("sign-in", lines: "908172").errors.contains("try again in"))
    let doctor = try await wallet("doctor")
    #expect(doctor.output.contains("vault: 6 tries left, the next in "))
    let early = try await turnedBack(["sign-in"], line: "908172")
    #expect(early.errors.contains("try again in"), "\(early.errors)")
    try await advance(store, by: 60)
    let right = try await turnedBack(["sign-in"], line: "908172")
    #expect(right.status == 0, "a device whose clock is off signs in all the same: \(right.errors)")
    await store.stopCleanly()
    let secondErrors = try await wallet("sign-in", lines: "908172").errors
    #expect(secondErrors.contains("expected an answer of the vault"))
  }

  /// Runs a wallet command with a clock that is two days slow (faketime).
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

  @Test("WAL-6: a wrong PIN says what remains, an empty line and CR LF cost no try, doctor knows a destroyed wallet")
  func destroyed() async throws {
    let (store, address) = try await serve()
    let status = try await wallet("create", "--vault", address, lines: "908172\r").status
    #expect(status == 0)
    let secondStatus = try await wallet("sign-in", lines: "908172").status
    #expect(secondStatus == 0, "CR LF is the end of a line, not of a PIN")
    for line in ["", "\r"] {
      let empty = try await wallet("sign-in", lines: line)
      #expect(empty.status == 1 && empty.errors.contains("nothing was tried"), "\(empty.errors)")
    }
    let output = try await wallet("doctor").output
    #expect(output.contains("vault: 10 tries left"))
    for guess in 1...10 {
      let wrong = try await wallet("sign-in", lines: "40030\(guess % 10)")
      let remaining = guess == 10 ? "no try remains" : guess == 9 ? "1 try remains" : "\(10 - guess) tries remain"
      #expect(wrong.status == 1 && wrong.errors.contains(remaining), "\(wrong.errors)")
      try await advance(store, by: 30_000)
    }
    let doctor = try await wallet("doctor")
    #expect(doctor.status == 3 && doctor.output.contains("is destroyed"), "\(doctor.output)")
    let errors = try await wallet("sign-in", lines: "908172").errors
    #expect(errors.contains("has destroyed its half"))
    await store.stopCleanly()
    let thirdStatus = try await wallet("doctor").status
    #expect(thirdStatus == 1, "a vault that is away is another fault")
  }

  /// Advances the store's clock, and waits until the running store uses the new time.
  private func advance(_ store: ChildProgram, by seconds: Int) async throws {
    let status = try await onside.run("clock", "advance", "\(seconds)s").status
    #expect(status == 0)
    try await NamedDeadline.wait(for: "a try that is due", every: .milliseconds(50)) {
      try await !wallet("doctor").output.contains(", the next in ")
    }
  }

  @Test("WAL-13: a wallet follows HOME and the XDG folders, and destroy touches no other")
  func homes() async throws {
    func run(_ arguments: [String], environment: [String: String], line: String = "") async throws -> Program.Outcome {
      let nowhere = ["ONSIDE_WALLET_TPM": "device:/nowhere/tpm", "DBUS_SESSION_BUS_ADDRESS": "disabled:"]
      let words = ["wallet"] + arguments + (line.isEmpty ? [] : ["--pin-fd", "0"])
      return try await onside.run(words, environment: nowhere.merging(environment) { $1 }, input: line + "\n")
    }
    func home(_ name: String) -> [String: String] {
      ["HOME": onside.folder.file(name), "XDG_DATA_HOME": "", "XDG_STATE_HOME": ""]
    }
    for name in ["one", "two"] {
      let status = try await run(["create", "--no-vault"], environment: home(name), line: "908172").status
      #expect(status == 0)
      #expect(!onside.folder.text("\(name)/.local/share/onside-wallet/wallet.json").isEmpty)
      #expect(FileManager.default.fileExists(atPath: onside.folder.file("\(name)/.local/state/onside-wallet")))
    }
    let xdg = home("one").merging(["XDG_DATA_HOME": onside.folder.file("d"), "XDG_STATE_HOME": onside.folder.file("s")])
    {
      $1
    }
    let status = try await run(["address"], environment: xdg).status
    #expect(status == 1)
    let secondStatus = try await run(["destroy", "--yes"], environment: home("two")).status
    #expect(secondStatus == 0)
    let thirdStatus = try await run(["address"], environment: home("two")).status
    #expect(thirdStatus == 1)
    let left = try FileManager.default.contentsOfDirectory(
      atPath: onside.folder.file("two/.local/state/onside-wallet"))
    #expect(left.isEmpty)
    let fourthStatus = try await run(["sign-in"], environment: home("one"), line: "908172").status
    #expect(fourthStatus == 0)
    let refused = try await run(
      ["destroy", "--yes"], environment: ["HOME": "", "XDG_DATA_HOME": "", "XDG_STATE_HOME": ""])
    #expect(refused.status == 1 && refused.errors.contains("absolute path in HOME"))
  }

  @Test("WAL-7: only with a vault a PIN change says that old copies open nothing")
  func oldCopies() async throws {
    let status = try await wallet("create", "--no-vault", lines: "908172").status
    #expect(status == 0)
    let alone = try await wallet("change-pin", lines: "908172", "271809")
    #expect(alone.output.contains("still opens with the old PIN") && !alone.output.contains("open nothing"))
    let secondStatus = try await wallet("destroy", "--yes").status
    #expect(secondStatus == 0)
    let (store, address) = try await serve()
    let thirdStatus = try await wallet("create", "--vault", address, lines: "908172").status
    #expect(thirdStatus == 0)
    let output = try await wallet("change-pin", lines: "908172", "271809").output
    #expect(output.contains("from before open nothing"))
    await store.stopCleanly()
  }

  @Test("WAL-1 to WAL-8: onside wallet demo proves each of its steps")
  func demo() async throws {
    let outcome = try await onside.run("wallet", "demo")
    #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    #expect(outcome.output.contains("Each step proved what it says."))
  }
}
