import Foundation
import OnsideVault
import Sodium
import Stellar
import Testing

@testable import OnsideWallet

extension KeySchedule.Output {
  /// y.
  fileprivate var share: SecretBytes? {
    switch self {
    case .vault(let y), .tpm(let y): y
    case .unlimited: nil
    }
  }
}

@Suite("What stays in memory", .timeLimit(.minutes(20)))
struct MemoryTests {
  @Test("WAL-10 After sign out neither seed, PIN, box key nor the vault's share is in the process's memory")
  func signOut() async throws { try await search(TestWallet(vault: MemoryVault())) }

  #if os(Linux)
    @Test(
      "WAL-10 Nor is it when the TPM has the device's secret, and counts",
      .enabled(if: SoftwareTPM.isThere, Comment(rawValue: SoftwareTPM.missing)), arguments: AuthServiceTests.ways)
    func withTPM(withVault: Bool) async throws {
      let device = try await SoftwareTPM()
      try await search(TestWallet(vault: withVault ? MemoryVault() : nil, tpm: device.tcti))
    }
  #endif

  private func search(_ wallet: TestWallet) async throws {
    let pin = PIN(bytes: SecretBytes(random: 32))
    let needles = try makeNeedles(wallet, pin: pin)
    // Every way that a secret goes.
    _ = try await wallet.service.signIn(pin: pin)
    _ = try await wallet.service.withSigningKey(pin: pin) { $0.signature(of: [1]) }
    _ = try wallet.service.words(pin: pin)
    try await wallet.service.changePIN(from: pin, to: PIN(bytes: SecretBytes(random: 32)))
    await #expect(throws: SecureStorageError.invalidPin) { try await wallet.service.signIn(pin: pin) }
    wallet.service.signOut()
    for (name, needle) in needles { #expect(OwnMemory.count(needle) <= (name == "PIN" ? 1 : 0), "\(name)") }
    // The PIN is this function's own until here: that it was found shows that the search finds.
    let needle = try #require(needles["PIN"])
    #expect(withExtendedLifetime(pin) { OwnMemory.count(needle) } == 1)
  }

  @Test("WAL-10 The search finds a copy that is there")
  func positiveControl() {
    let secret = SecretBytes(random: 32)
    let needle = secret.withBytes(OwnMemory.Needle.init)
    #expect(OwnMemory.count(needle) == 1)
    let copy = secret.withBytes { Array($0) }
    #expect(withExtendedLifetime((copy, secret)) { OwnMemory.count(needle) } == 2)
  }

  /// Signs up, and remembers masked what must not be found later.
  private func makeNeedles(_ wallet: TestWallet, pin: PIN) throws -> [String: OwnMemory.Needle] {
    let words = Mnemonic.random()
    _ = try wallet.service.signUp(words: words, pin: pin)
    let storage = wallet.service.storage
    let slot = try storage.currentSlot()
    let device = try storage.device(of: slot)
    let stretched = try KeySchedule.stretch(pin, salt: slot.header.salt, with: slot.header.argon2id)
    let answer = try storage.seat(of: slot, device)?.evaluate(stretched.input, publicKey: slot.header.vaultKey)
    let output = try #require(try storage.output(of: slot, stretched: stretched, answer: answer))
    let keys = KeySchedule.keys(stretched, output: output, device: device, enrolment: slot.enrolment)
    return [
      "PIN": pin.bytes.withBytes(OwnMemory.Needle.init),
      "seed": try words.keyPair().seed.withBytes(OwnMemory.Needle.init),
      "entropy": words.storedEntropy.withBytes(OwnMemory.Needle.init),
      "y": try #require(output.share).withBytes(OwnMemory.Needle.init),
      "proof": KeySchedule.proof(stretched, enrolment: slot.enrolment).withBytes(OwnMemory.Needle.init),
      "Argon2id's output": stretched.input.withBytes(OwnMemory.Needle.init),
      "box key": keys.box.withBytes(OwnMemory.Needle.init),
      "device secret": device.share.withBytes(OwnMemory.Needle.init),
    ]
  }
}
