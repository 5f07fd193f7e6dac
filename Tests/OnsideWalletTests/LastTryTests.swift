import Foundation
import OnsideAPI
import OnsideWallet
import Stellar
import Synchronization
import Testing

@Suite("The vault's last try", .timeLimit(.minutes(5)))
struct LastTryTests {
  /// How a wallet comes to its last try.
  enum Way: CaseIterable {
    case restored
    case nineWrong
  }

  private let vault = MemoryVault()
  private let wallet: TestWallet
  private let address: String

  init() throws {
    wallet = try TestWallet(vault: vault)
    address = try wallet.signUp("908172")
  }

  private func come(to way: Way) throws {
    switch way {
    case .restored: vault.restore()
    case .nineWrong:
      for guess in 0..<9 {
        vault.advance(by: 100_000)
        #expect(outcome { try wallet.signIn("10000\(guess)") } == "invalidPin")
      }
      vault.advance(by: 100_000)
    }
    let remaining = try wallet.restarted().storage.status().tries?.remaining
    #expect(remaining == 1)
  }

  @Test(
    "WAL-12: wherever the network goes during the last try, the right PIN has the key afterwards",
    arguments: Way.allCases, 0...7)
  func networkGoes(way: Way, arriving: Int) throws {
    try come(to: way)
    vault.faults.withLock { $0.arriving = arriving }
    let service = wallet.restarted()
    let first = outcome { try service.signIn(pin: "908172") }
    // state, enrol, evaluate, seal; the try itself is the fifth.
    #expect(first == (arriving < 5 ? "vaultUnreachable" : "ok"))
    vault.faults.withLock { $0.arriving = nil }
    for _ in 0..<2 {
      let actualAddress = try wallet.signIn("908172")
      #expect(actualAddress == address)
    }
    let status = try wallet.restarted().storage.status()
    #expect(status.tries?.remaining == 10 && !status.isDestroyed)
    #expect(outcome { try wallet.signIn("908173") } == "invalidPin")
    let secretFileCount = try wallet.secretFiles().count
    #expect(secretFileCount == 1)
  }

  @Test(
    "WAL-12: a re-enrolment whose end fails is reported beside the key, and repeated without a further guess",
    arguments: Way.allCases, [true, false])
  func reported(way: Way, answerOnly: Bool) throws {
    try come(to: way)
    vault.faults.withLock { $0 = answerOnly ? .init(answersLost: ["confirm"]) : .init(lost: ["confirm"]) }
    let service = wallet.restarted()
    let pair = try service.userKeyPair(pin: "908172")
    #expect(pair.address == address)
    #expect(service.storage.enrolmentFailure?.kind == .vaultUnreachable)
    vault.faults.withLock { $0 = .init() }
    let actualAddress = try service.signIn(pin: "908172")
    #expect(actualAddress == address)
    #expect(service.storage.enrolmentFailure == nil)
    let remaining = try wallet.restarted().storage.status().tries?.remaining
    #expect(remaining == 10)
    let epoch = try wallet.restarted().storage.status().epoch
    #expect(epoch == 2)
  }

  @Test(
    "WAL-12: before the last try nothing is spent where the new enrolment cannot be made", arguments: ["enrol", "seal"])
  func unspent(call: String) throws {
    try come(to: .restored)
    vault.faults.withLock { $0.lost = [call] }
    for _ in 0..<3 { #expect(outcome { try wallet.signIn("908172") } == "vaultUnreachable") }
    vault.faults.withLock { $0 = .init() }
    let remaining = try wallet.restarted().storage.status().tries?.remaining
    #expect(remaining == 1)
    let actualAddress = try wallet.signIn("908172")
    #expect(actualAddress == address)
  }

  @Test("WAL-6: a wrong PIN as the last try destroys the vault's half, and leaves no secret of the enrolment behind it")
  func wrongPIN() throws {
    try come(to: .restored)
    #expect(outcome { try wallet.signIn("100000") } == "invalidPin")
    #expect(outcome { try wallet.signIn("908172") } == "triesExhausted")
    #expect(try wallet.restarted().storage.status().isDestroyed)
    let secretFileCount = try wallet.secretFiles().count
    #expect(secretFileCount == 1)
    #expect(vault.states.contains(.destroyed))
  }

  @Test(
    "WAL-12: a PIN change as the last try leaves the new PIN, or the old one when the network goes", arguments: 0...12)
  func change(arriving: Int) throws {
    try come(to: .restored)
    vault.faults.withLock { $0.arriving = arriving }
    _ = try? wallet.changePIN("908172", to: "271809")
    vault.faults.withLock { $0.arriving = nil }
    let opening = ["908172", "271809"].filter { pin in outcome { try wallet.signIn(pin) } == "ok" }
    #expect(opening.count == 1)
    let actualAddress = try wallet.signIn(opening.first ?? "")
    #expect(actualAddress == address)
  }

  @Test("WAL-6: during a change that was cut short, ten wrong PINs destroy the vault's half for the new PIN, too")
  func cutShort() throws {
    vault.faults.withLock { $0.lost = ["confirm"] }
    #expect(outcome { try wallet.changePIN("908172", to: "271809") } == "vaultUnreachable")
    vault.faults.withLock { $0 = .init() }
    let actualAddress = try wallet.signIn("908172")
    #expect(actualAddress == address)
    for guess in 0..<10 {
      vault.advance(by: guess < 9 ? 3600 : 28_800)
      #expect(outcome { try wallet.signIn("10000\(guess)") } == "invalidPin")
    }
    #expect(try wallet.restarted().storage.status().isDestroyed)
    for pin in ["908172", "271809"] { #expect(outcome { try wallet.signIn(pin) } == "triesExhausted") }
  }

  @Test("WAL-12: a full disk at the last try keeps the key in hand, and the item is written by a later call")
  func fullDisk() throws {
    try come(to: .restored)
    let disk = FullDisk(FileStorage(folder: wallet.folder.appending(path: "item")))
    let service = AuthService(
      storage: SecureStorage(
        storage: disk, secrets: FileDeviceSecrets(folder: wallet.secrets), vault: vault, settings: .small))
    disk.isFull.withLock { $0 = true }
    let actualAddress = try service.signIn(pin: "908172")
    #expect(actualAddress == address)
    #expect(service.storage.enrolmentFailure?.kind == .storage)
    disk.isFull.withLock { $0 = false }
    let secondAddress = try service.signIn(pin: "908172")
    #expect(secondAddress == address)
    let thirdAddress = try wallet.signIn("908172")
    #expect(thirdAddress == address)
  }
}

/// Takes no item while it is full.
private final class FullDisk: WalletStorage {
  let isFull = Mutex(false)
  private let storage: FileStorage

  init(_ storage: FileStorage) { self.storage = storage }

  func hasItem() throws -> Bool { try storage.hasItem() }
  func read() throws -> [UInt8]? { try storage.read() }
  func remove() throws { try storage.remove() }
  func pendingEnrolments() throws -> [[UInt8]] { try storage.pendingEnrolments() }
  func setPendingEnrolments(_ enrolments: [[UInt8]]) throws { try storage.setPendingEnrolments(enrolments) }
  func withLock<Result>(_ body: () throws -> Result) throws -> Result { try storage.withLock(body) }

  func write(_ item: [UInt8]) throws {
    if isFull.withLock({ $0 }) { throw WalletError.storage("the disk is full") }
    try storage.write(item)
  }
}
