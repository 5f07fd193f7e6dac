#if os(Linux)
  import DesktopSession
  import Foundation
  import Testing

  /// Each wallet is in a process of its own, since GLib finds a session by the environment of its process.
  @Suite(
    "A wallet whose device secret is in the Secret Service", .timeLimit(.minutes(20)),
    .enabled(if: DesktopSession.isThere, "sudo apt-get install dbus gnome-keyring libsecret-1-0 libglib2.0-bin"))
  struct KeyringWalletTests {
    /// A desktop session with a keyring, and a wallet that is to use it.
    private final class Desk: Sendable {
      let session: DesktopSession
      let client: ClientProgram
      let wallet: WalletProcess

      init(withVault: Bool = false) async throws {
        session = try DesktopSession()
        try await session.startBus()
        try await session.startKeyring()
        client = try ClientProgram("desktop-client", in: session)
        wallet = WalletProcess(
          folder: session.folder.appending(path: "home"), vault: withVault ? MemoryVault() : nil,
          environment: session.environment.merging(["WALLET_PLACE": "keyring"]) { $1 })
      }

      /// The enrolments whose secrets the keyring has.
      var kept: Set<String> {
        get async throws {
          let answer = try await client.ask("values enrolment xdg:schema=org.onside.Wallet")
          return Set(answer.split(separator: ",").map(String.init))
        }
      }

      /// What lies in the folder of the device secrets.
      var files: [URL] {
        get throws {
          try FileManager.default.contentsOfDirectory(
            at: wallet.folder.appending(path: "secrets"), includingPropertiesForKeys: nil)
        }
      }
    }

    @Test(
      "WAL-7 It is kept there, is replaced with the PIN, and goes with the wallet", arguments: AuthServiceTests.ways)
    func life(withVault: Bool) async throws {
      let desk = try await Desk(withVault: withVault)
      let result = try desk.wallet.run("sign-up", "908172")
      #expect(result == "ok")
      let secondResult = try desk.wallet.run("name")
      #expect(secondResult == "Secret Service")
      let first = try await desk.kept
      #expect(first.count == 1)
      let fileCount = try desk.files.count
      #expect(fileCount == 1)
      let dataCount = try Data(contentsOf: desk.files[0]).count
      #expect(dataCount < 64, "no secret is in the file")
      let thirdResult = try desk.wallet.run("sign-in", "908172")
      #expect(thirdResult == "ok")
      let fourthResult = try desk.wallet.run("change", "908172", "271809")
      #expect(fourthResult == "ok")
      let second = try await desk.kept
      #expect(second.count == 1 && second != first)
      let fifthResult = try desk.wallet.run("sign-in", "271809")
      #expect(fifthResult == "ok")
      let sixthResult = try desk.wallet.run("sign-in", "908172")
      #expect(sixthResult == "invalidPin")
      let seventhResult = try desk.wallet.run("destroy")
      #expect(seventhResult == "ok")
      let kept = try await desk.kept
      #expect(kept == [])
      #expect(try desk.files.isEmpty)
    }

    @Test("A locked keyring is an error that loses nothing", arguments: AuthServiceTests.ways)
    func locked(withVault: Bool) async throws {
      let desk = try await Desk(withVault: withVault)
      let result = try desk.wallet.run("sign-up", "908172")
      #expect(result == "ok")
      try await desk.session.lock()
      let secondResult = try desk.wallet.run("sign-in", "908172")
      #expect(secondResult == "deviceSecretLocked")
      let thirdResult = try desk.wallet.run("change", "908172", "271809")
      #expect(thirdResult == "deviceSecretLocked")
      let fourthResult = try await signUpElsewhere(desk)
      #expect(fourthResult == "deviceSecretLocked")
      let fifthResult = try desk.wallet.run("destroy")
      #expect(fifthResult == "deviceSecretLocked", "nothing is half destroyed")
      desk.session.killKeyring()
      try await desk.session.startKeyring()
      let sixthResult = try desk.wallet.run("sign-in", "908172")
      #expect(sixthResult == "ok")
      let seventhResult = try desk.wallet.run("change", "908172", "271809")
      #expect(seventhResult == "ok")
    }

    @Test("A keyring that is gone is an error that loses nothing, and no file takes its place")
    func gone() async throws {
      let desk = try await Desk()
      let result = try desk.wallet.run("sign-up", "908172")
      #expect(result == "ok")
      let files = try desk.files
      desk.session.killKeyring()
      var other = desk.wallet
      other.environment["WALLET_PLACE"] = "file"
      for wallet in [desk.wallet, other] {
        let secondResult = try wallet.run("sign-in", "908172")
        #expect(secondResult == "deviceSecretUnreachable")
        let thirdResult = try wallet.run("change", "908172", "271809")
        #expect(thirdResult == "deviceSecretUnreachable")
      }
      let fourthResult = try await signUpElsewhere(desk)
      #expect(fourthResult == "deviceSecretUnreachable")
      let actualFiles = try desk.files
      #expect(actualFiles == files)
      try await desk.session.startKeyring()
      let fifthResult = try desk.wallet.run("sign-in", "908172")
      #expect(fifthResult == "ok")
    }

    @Test("A secret that was removed from the keyring is missing, and not a wrong PIN")
    func removed() async throws {
      let desk = try await Desk()
      let result = try desk.wallet.run("sign-up", "908172")
      #expect(result == "ok")
      let answer = try await desk.client.ask("remove xdg:schema=org.onside.Wallet")
      #expect(answer == "done")
      let secondResult = try desk.wallet.run("sign-in", "908172")
      #expect(secondResult == "deviceSecretMissing")
    }

    @Test(
      "WAL-7 A PIN change that is killed leaves exactly one PIN that opens",
      .enabled(if: Disturbance.isPossible, "needs strace"),
      arguments: ["fsync", "rename", "unlink"], AuthServiceTests.ways)
    func killed(call: String, withVault: Bool) async throws {
      let desk = try await Desk()
      try await Disturbance(withVault: withVault, environment: desk.wallet.environment).run(call, with: "signal=KILL")
    }

    /// The outcome of a sign up in another folder, where nothing may stay when it fails.
    private func signUpElsewhere(_ desk: Desk) async throws -> String {
      let folder = desk.session.folder.appending(path: "elsewhere")
      let wallet = WalletProcess(folder: folder, vault: nil, environment: desk.wallet.environment)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let outcome = try wallet.run("sign-up", "908172")
      let result = try wallet.run("sign-in", "908172")
      #expect(result == "userNotFound")
      return outcome
    }
  }
#endif
