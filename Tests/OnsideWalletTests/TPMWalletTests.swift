#if os(Linux)
  import Foundation
  import OnsideWallet
  import Stellar
  import Testing

  @Suite(
    "A wallet whose device secret is in the TPM", .timeLimit(.minutes(20)),
    .enabled(if: SoftwareTPM.isThere, Comment(rawValue: SoftwareTPM.missing)))
  struct TPMWalletTests {
    @Test("WAL-5 Without a vault the TPM counts wrong PINs, locks, and stays locked after a restart")
    func limited() async throws {
      let device = try await SoftwareTPM()
      let wallet = try TestWallet(tpm: device.tcti)
      let address = try wallet.signUp("908172")
      var status = try wallet.restarted().storage.status()
      #expect(status.limit == .tpm)
      #expect(status.deviceSecret == "TPM 2.0")
      #expect(
        status.lockout == Lockout(tries: 3, failed: 0, interval: 1000, isLocked: false, isClearable: true))
      for pin in ["1", "2", "3"] { #expect(outcome { try wallet.signIn(pin) } == "invalidPin") }
      for _ in 0..<2 {
        #expect(outcome { try wallet.signIn("908172") } == "wait")
        status = try wallet.restarted().storage.status()
        #expect(status.tries?.remaining == 0)
        #expect(status.tries?.secondsToWait == 1000)
        device.stop()
        try await device.start()
      }
      try await device.tool("tpm2_dictionarylockout", "--clear-lockout")
      let actualAddress = try wallet.signIn("908172")
      #expect(actualAddress == address)
    }

    @Test("WAL-5 The error of a lock says how long it may last")
    func wait() async throws {
      let device = try await SoftwareTPM()
      let wallet = try TestWallet(tpm: device.tcti)
      try wallet.signUp("908172")
      let service = wallet.service
      for pin in ["1", "2", "3"] { #expect(outcome { try service.signIn(pin: pin) } == "invalidPin") }
      let error = #expect(throws: WalletError.self) { try service.userKeyPair(pin: PIN("908172")) as SigningKeyPair }
      #expect(error?.secondsToWait == 1000)
      // The same wrong PIN again is neither sent nor counted.
      try await device.tool("tpm2_dictionarylockout", "--clear-lockout")
      for _ in 0..<5 { #expect(outcome { try service.signIn(pin: "3") } == "invalidPin") }
      let failed = try device.failed
      #expect(failed == 0)
    }

    @Test("WAL-5 With a vault the vault counts, and the TPM does not")
    func withVault() async throws {
      let device = try await SoftwareTPM()
      let wallet = try TestWallet(vault: MemoryVault(), tpm: device.tcti)
      let address = try wallet.signUp("908172")
      for pin in ["1", "2", "3"] { #expect(outcome { try wallet.service.signIn(pin: pin) } == "invalidPin") }
      let status = try wallet.service.storage.status()
      #expect(status.limit == .server)
      #expect(status.deviceSecret == "TPM 2.0")
      #expect(status.tries?.remaining == 7)
      #expect(status.lockout == nil)
      let failed = try device.failed
      #expect(failed == 0)
      let actualAddress = try wallet.signIn("908172")
      #expect(actualAddress == address)
    }

    @Test("WAL-5 A TPM that forgets at once is not said to limit", arguments: [false, true])
    func unlimited(afterwards: Bool) async throws {
      let device = try await SoftwareTPM()
      let wallet = try TestWallet(tpm: device.tcti)
      if !afterwards { try await device.setLockout(tries: 5, interval: 0) }
      let address = try wallet.signUp("908172")
      if afterwards { try await device.setLockout(tries: 5, interval: 0) }
      let limit = try wallet.service.storage.status().limit
      #expect(limit == .attemptsNotLimited)
      let actualAddress = try wallet.signIn("908172")
      #expect(actualAddress == address)
    }

    @Test("WAL-4 Another TPM, and one that was cleared, open nothing and say so", arguments: AuthServiceTests.ways)
    func otherDevice(withVault: Bool) async throws {
      let vault = withVault ? MemoryVault() : nil
      let (device, other) = (try await SoftwareTPM(), try await SoftwareTPM())
      let wallet = try TestWallet(vault: vault, tpm: device.tcti)
      let words = Mnemonic.random()
      let address = try wallet.signUp("908172", words: words)
      let stolen = TestWallet.service(wallet.folder, vault: vault, tpm: other.tcti, settings: .small)
      let tries = vault?.evaluations
      #expect(outcome { try stolen.signIn(pin: "908172") } == "otherDevice")
      #expect(outcome { try stolen.storage.status() } == "otherDevice")
      #expect(outcome { try stolen.changePIN(from: PIN("908172"), to: PIN("271809")) } == "otherDevice")
      #expect(vault?.evaluations == tries)
      let actualAddress = try wallet.signIn("908172")
      #expect(actualAddress == address)
      try await device.tool("tpm2_clear")
      #expect(outcome { try wallet.signIn("908172") } == "otherDevice")
      let secondAddress = try wallet.recover(words, pin: "271809")
      #expect(secondAddress == address)
      let thirdAddress = try wallet.signIn("271809")
      #expect(thirdAddress == address)
    }

    @Test("A TPM that is away is an error that loses nothing", arguments: AuthServiceTests.ways)
    func away(withVault: Bool) async throws {
      let device = try await SoftwareTPM()
      let wallet = try TestWallet(vault: withVault ? MemoryVault() : nil, tpm: device.tcti)
      let address = try wallet.signUp("908172")
      device.stop()
      #expect(outcome { try wallet.signIn("908172") } == "deviceSecretUnreachable")
      #expect(
        outcome { try wallet.changePIN("908172", to: "2") } == "deviceSecretUnreachable")
      let empty = try TestWallet(tpm: device.tcti)
      #expect(outcome { try empty.signUp("1") } == "deviceSecretUnreachable")
      #expect(try !empty.service.userIsSignedUp)
      try await device.start()
      let actualAddress = try wallet.signIn("908172")
      #expect(actualAddress == address)
    }

    @Test("WAL-4 A changed bit of what the TPM sealed is damage, and no try", arguments: ["device", "pin"])
    func damaged(kind: String) async throws {
      let device = try await SoftwareTPM()
      let wallet = try TestWallet(tpm: device.tcti)
      try wallet.signUp("908172")
      let file = try #require(try wallet.secretFiles().first { $0.pathExtension == kind })
      let good = try Data(contentsOf: file)
      for byte in good.indices {
        var bad = good
        bad[byte] ^= 1 << (byte % 8)
        try bad.write(to: file)
        #expect(outcome { try wallet.signIn("908172") } == "damaged", "byte \(byte)")
      }
      try FileManager.default.removeItem(at: file)
      #expect(outcome { try wallet.signIn("908172") } == "deviceSecretMissing")
      try good.write(to: file)
      #expect(outcome { try wallet.signIn("908172") } == "ok")
      let failed = try device.failed
      #expect(failed == 0)
    }

    @Test(
      "WAL-7 After a PIN change the new one opens, and nothing of the old one stays", arguments: AuthServiceTests.ways)
    func change(withVault: Bool) async throws {
      let device = try await SoftwareTPM()
      let wallet = try TestWallet(vault: withVault ? MemoryVault() : nil, tpm: device.tcti)
      let address = try wallet.signUp("908172")
      let before = try wallet.secretFiles()
      try wallet.changePIN("908172", to: "271809")
      let actualAddress = try wallet.signIn("271809")
      #expect(actualAddress == address)
      #expect(outcome { try wallet.signIn("908172") } == "invalidPin")
      let after = try wallet.secretFiles()
      #expect(after.count == before.count && Set(after).isDisjoint(with: before))
      try wallet.destroy()
      #expect(try wallet.secretFiles().isEmpty)
    }

    @Test(
      "WAL-7 A PIN change that is killed leaves exactly one PIN that opens",
      .enabled(if: Disturbance.isPossible, "needs strace"),
      arguments: ["fsync", "rename", "unlink", "write"], AuthServiceTests.ways)
    func killed(call: String, withVault: Bool) async throws {
      let device = try await SoftwareTPM()
      // The wrong tries of this test are not to lock it.
      try await device.setLockout(tries: 1000, interval: 1000)
      let environment = ["WALLET_PLACE": "tpm", "WALLET_TPM": device.tcti, "TSS2_LOG": "all+none"]
      // The kernel's resource manager flushes for an ended process; swtpm has none.
      let disturbance = Disturbance(withVault: withVault, environment: environment) { try await device.flush() }
      try await disturbance.run(call, with: "signal=KILL")
    }

    @Test("A secret that is a file is opened as a file, and moves with the next PIN")
    func moves() async throws {
      let device = try await SoftwareTPM()
      let wallet = try TestWallet()
      try wallet.signUp("908172")
      let service = TestWallet.service(wallet.folder, vault: nil, tpm: device.tcti, settings: .small)
      #expect(outcome { try service.signIn(pin: "908172") } == "ok")
      let deviceSecret = try service.storage.status().deviceSecret
      #expect(deviceSecret == "file")
      let limit = try service.storage.status().limit
      #expect(limit == .attemptsNotLimited)
      #expect(outcome { try service.changePIN(from: PIN("908172"), to: PIN("271809")) } == "ok")
      let secondDeviceSecret = try service.storage.status().deviceSecret
      #expect(secondDeviceSecret == "TPM 2.0")
      let secondLimit = try service.storage.status().limit
      #expect(secondLimit == .tpm)
      #expect(outcome { try service.signIn(pin: "271809") } == "ok")
    }

    @Test("The TPM is found where there is one, and is not where there is none")
    func found() async throws {
      let device = try await SoftwareTPM()
      #expect(DeviceSecretPlace.find(tpm: device.tcti) == .tpm)
      device.stop()
      #expect(DeviceSecretPlace.find(tpm: device.tcti) != .tpm)
      #expect(throws: WalletError.self) { try DeviceSecretPlace.tpm.check(tpm: device.tcti) }
    }
  }
#endif
