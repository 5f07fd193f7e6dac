import Foundation
import OnsideWallet
import Stellar
import Synchronization
import Testing

@Suite("Changing the PIN", .timeLimit(.minutes(5)))
struct PINChangeTests {
  @Test(
    "WAL-7 Afterwards the new PIN opens; the old file with the old PIN opens nothing", arguments: AuthServiceTests.ways)
  func change(withVault: Bool) throws {
    let wallet = try TestWallet(vault: withVault ? MemoryVault() : nil)
    let address = try wallet.service.signUp(userKeyPair: .random(), pin: "908172")
    let old = try Data(contentsOf: wallet.item)
    let oldSecrets = wallet.folder.appending(path: "old")
    try FileManager.default.copyItem(at: wallet.secrets, to: oldSecrets)
    try wallet.service.changePIN(from: PIN("908172"), to: PIN("271809"))
    let actualAddress = try wallet.restarted().signIn(pin: "271809")
    #expect(actualAddress == address)
    #expect(outcome { try wallet.restarted().signIn(pin: "908172") } == "invalidPin")
    let epoch = try wallet.restarted().storage.status().epoch
    #expect(epoch == 2)
    try old.write(to: wallet.item)
    #expect(outcome { try wallet.restarted().signIn(pin: "908172") } == "deviceSecretMissing")
    guard withVault else { return }
    // Also with the device's secrets of then: the vault has deleted its half.
    try FileManager.default.removeItem(at: wallet.secrets)
    try FileManager.default.moveItem(at: oldSecrets, to: wallet.secrets)
    #expect(outcome { try wallet.restarted().signIn(pin: "908172") } == "outdated")
  }

  @Test(
    "WAL-7 A change that loses a call, or its answer, leaves exactly one PIN that opens",
    arguments: ["enrol", "evaluate", "seal", "confirm"], [true, false])
  func lost(call: String, answerOnly: Bool) throws {
    let vault = MemoryVault()
    let wallet = try TestWallet(vault: vault)
    _ = try wallet.service.signUp(userKeyPair: .random(), pin: "908172")
    vault.faults.withLock { $0 = answerOnly ? .init(answersLost: [call]) : .init(lost: [call]) }
    #expect(outcome { try wallet.service.changePIN(from: PIN("908172"), to: PIN("271809")) } == "vaultUnreachable")
    vault.faults.withLock { $0 = .init() }
    let isChanged = call == "confirm" && answerOnly
    for _ in 0..<2 {
      #expect(outcome { try wallet.restarted().signIn(pin: "908172") } == (isChanged ? "invalidPin" : "ok"))
      #expect(outcome { try wallet.restarted().signIn(pin: "271809") } == (isChanged ? "ok" : "invalidPin"))
    }
    let current = isChanged ? "271809" : "908172"
    try wallet.service.changePIN(from: PIN(current), to: PIN("314152"))
    #expect(outcome { try wallet.restarted().signIn(pin: "314152") } == "ok")
    #expect(outcome { try wallet.restarted().signIn(pin: current) } == "invalidPin")
    let left = try FileManager.default.contentsOfDirectory(atPath: wallet.secrets.path(percentEncoded: false))
    #expect(left.count == 1, "no secret of a change that came to nothing stays behind")
  }

  @Test("WAL-7 A change that was never confirmed is forgotten when the vault has dropped it")
  func dropped() throws {
    let vault = MemoryVault()
    let wallet = try TestWallet(vault: vault)
    _ = try wallet.service.signUp(userKeyPair: .random(), pin: "908172")
    vault.faults.withLock { $0 = .init(lost: ["confirm"]) }
    _ = try? wallet.service.changePIN(from: PIN("908172"), to: PIN("271809"))
    vault.faults.withLock { $0 = .init() }
    let long = try Data(contentsOf: wallet.item).count
    vault.advance(by: 100_000)
    #expect(outcome { try wallet.restarted().signIn(pin: "908172") } == "ok")
    let dataCount = try Data(contentsOf: wallet.item).count
    #expect(dataCount < long)
  }

  @Test("WAL-7 A change that was cut short loses nothing at a vault that knows neither of both")
  func anotherVault() throws {
    let vault = MemoryVault()
    let wallet = try TestWallet(vault: vault)
    try wallet.signUp("908172")
    vault.faults.withLock { $0 = .init(answersLost: ["confirm"]) }
    #expect(outcome { try wallet.changePIN("908172", to: "271809") } == "vaultUnreachable")
    vault.faults.withLock { $0 = .init() }
    let other = TestWallet.service(wallet.folder, vault: MemoryVault(), settings: .small)
    for pin in ["908172", "271809"] { #expect(outcome { try other.signIn(pin: pin) } == "vaultUnknown") }
    #expect(outcome { try wallet.signIn("271809") } == "ok")
  }

  @Test("WAL-7 A change that was cut short loses nothing where its secrets are not")
  func elsewhere() throws {
    let wallet = try TestWallet()
    try wallet.signUp("908172")
    let torn = TornStorage(FileStorage(folder: wallet.folder.appending(path: "item")), writes: 1)
    let service = AuthService(
      storage: SecureStorage(
        storage: torn, secrets: FileDeviceSecrets(folder: wallet.secrets), vault: nil, settings: .small))
    #expect(outcome { try service.changePIN(from: PIN("908172"), to: PIN("271809")) } == "storage")
    let both = try Data(contentsOf: wallet.item)
    let aside = wallet.folder.appending(path: "aside")
    try FileManager.default.moveItem(at: wallet.secrets, to: aside)
    for pin in ["908172", "271809"] { #expect(outcome { try wallet.signIn(pin) } == "deviceSecretMissing") }
    let result = try Data(contentsOf: wallet.item)
    #expect(result == both)
    try FileManager.default.moveItem(at: aside, to: wallet.secrets)
    #expect(outcome { try wallet.signIn("271809") } == "ok")
  }

  @Test("WAL-4 Damage during a change is damage", arguments: AuthServiceTests.ways)
  func twoSlots(withVault: Bool) throws {
    let vault = withVault ? MemoryVault() : nil
    let wallet = try TestWallet(vault: vault)
    let one = TornStorage(FileStorage(folder: wallet.folder.appending(path: "item")), writes: 2)
    let service = AuthService(
      storage: SecureStorage(
        storage: one, secrets: FileDeviceSecrets(folder: wallet.secrets), vault: vault, settings: .small))
    _ = try service.signUp(userKeyPair: .random(), pin: "908172")
    _ = try? service.changePIN(from: PIN("908172"), to: PIN("271809"))
    let both = try Array(Data(contentsOf: wallet.item))
    for bit in stride(from: 0, to: both.count * 8, by: 3) {
      var bad = both
      bad[bit / 8] ^= 1 << (bit % 8)
      try Data(bad).write(to: wallet.item)
      #expect(outcome { try wallet.restarted().signIn(pin: "271809") } == "damaged", "bit \(bit)")
    }
    try Data(both).write(to: wallet.item)
    #expect(outcome { try wallet.restarted().signIn(pin: "271809") } == "ok")
    #expect(outcome { try wallet.restarted().signIn(pin: "908172") } == "invalidPin")
  }
}

/// Writes as often as it is told, and fails from then on: a process that ends.
private final class TornStorage: WalletStorage {
  private let storage: FileStorage
  private let writes: Mutex<Int>

  init(_ storage: FileStorage, writes: Int) {
    self.storage = storage
    self.writes = Mutex(writes)
  }

  func hasItem() throws -> Bool { try storage.hasItem() }
  func read() throws -> [UInt8]? { try storage.read() }
  func remove() throws { try storage.remove() }
  func withLock<Result>(_ body: () throws -> Result) throws -> Result { try storage.withLock(body) }

  func write(_ item: [UInt8]) throws {
    let mayWrite = writes.withLock { writes in
      writes -= 1
      return writes >= 0
    }
    guard mayWrite else { throw WalletError.storage("the disk is gone") }
    try storage.write(item)
  }
}
