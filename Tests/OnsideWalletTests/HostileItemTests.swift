import Foundation
import OnsideWallet
import Sodium
import Stellar
import Testing

@Suite("What lies in the item's place", .timeLimit(.minutes(5)))
struct HostileItemTests {
  @Test("WAL-4 No bit flip anywhere opens, and each says damaged", arguments: AuthServiceTests.ways)
  func bitFlips(withVault: Bool) throws {
    let wallet = try TestWallet(vault: withVault ? MemoryVault() : nil)
    _ = try wallet.service.signUp(userKeyPair: .random(), pin: "908172")
    let good = try Array(Data(contentsOf: wallet.item))
    let tries = wallet.vault?.evaluations
    for bit in 0..<good.count * 8 {
      var bad = good
      bad[bit / 8] ^= 1 << (bit % 8)
      try Data(bad).write(to: wallet.item)
      #expect(outcome { try wallet.restarted().signIn(pin: "908172") } == "damaged", "bit \(bit)")
    }
    #expect(wallet.vault?.evaluations == tries, "no try was spent on a damaged item")
    try Data(good).write(to: wallet.item)
    #expect(outcome { try wallet.restarted().signIn(pin: "908172") } == "ok")
  }

  /// An attacker who changes a bit can recompute the checksum, but not the seal, which needs the device's secret. A
  /// changed enrolment names a secret that this device does not have.
  @Test("WAL-4 No bit flip under a right checksum opens, or spends a try")
  func forgedBits() throws {
    let wallet = try TestWallet(vault: MemoryVault())
    _ = try wallet.service.signUp(userKeyPair: .random(), pin: "908172")
    let good = try Array(Data(contentsOf: wallet.item).dropLast(32))
    let tries = wallet.vault?.evaluations
    for bit in 0..<good.count * 8 {
      var bad = good
      bad[bit / 8] ^= 1 << (bit % 8)
      try Data(bad + Hash.sha256(bad)).write(to: wallet.item)
      let result = outcome { try wallet.restarted().signIn(pin: "908172") }
      #expect(["damaged", "deviceSecretMissing"].contains(result), "bit \(bit)")
      #expect(result == "damaged" || 48..<64 ~= bit / 8, "bit \(bit)")
    }
    #expect(wallet.vault?.evaluations == tries)
  }

  @Test("WAL-4 Every prefix is damaged")
  func prefixes() throws {
    let wallet = try TestWallet()
    _ = try wallet.service.signUp(userKeyPair: .random(), pin: "908172")
    let good = try Data(contentsOf: wallet.item)
    for count in 0..<good.count {
      try good.prefix(count).write(to: wallet.item)
      #expect(outcome { try wallet.restarted().signIn(pin: "908172") } == "damaged", "\(count) bytes")
    }
    try (good + [0]).write(to: wallet.item)
    #expect(outcome { try wallet.restarted().signIn(pin: "908172") } == "damaged")
  }

  @Test(
    "WAL-4 A folder, a link, a pipe and a gigabyte of zeros are damaged, and a sign-up does not replace them",
    arguments: ["folder", "link", "pipe", "zeros"])
  func otherThings(thing: String) throws {
    let wallet = try TestWallet()
    _ = try wallet.service.signUp(userKeyPair: .random(), pin: "908172")
    let aside = wallet.folder.appending(path: "aside")
    try FileManager.default.moveItem(at: wallet.item, to: aside)
    let path = wallet.item.path(percentEncoded: false)
    switch thing {
    case "folder": try FileManager.default.createDirectory(at: wallet.item, withIntermediateDirectories: false)
    case "link": try FileManager.default.createSymbolicLink(at: wallet.item, withDestinationURL: aside)
    case "pipe": #expect(mkfifo(path, 0o600) == 0)
    default:
      #expect(FileManager.default.createFile(atPath: path, contents: nil))
      #expect(truncate(path, 1 << 30) == 0)
    }
    let service = wallet.restarted()
    #expect(outcome { try service.signIn(pin: "908172") } == "damaged")
    #expect(try service.userIsSignedUp)
    #expect(outcome { try service.signUp(userKeyPair: .random(), pin: "1") } == "alreadySignedUp")
  }

  @Test("WAL-5 The item without the device's secret opens nothing, and spends no try")
  func withoutDevice() throws {
    let wallet = try TestWallet(vault: MemoryVault())
    _ = try wallet.service.signUp(userKeyPair: .random(), pin: "908172")
    let tries = wallet.vault?.evaluations
    try FileManager.default.removeItem(at: wallet.secrets)
    #expect(outcome { try wallet.restarted().signIn(pin: "908172") } == "deviceSecretMissing")
    #expect(wallet.vault?.evaluations == tries)
  }

  @Test("A device secret of another size is damaged")
  func damagedDevice() throws {
    let wallet = try TestWallet()
    _ = try wallet.service.signUp(userKeyPair: .random(), pin: "908172")
    for name in try FileManager.default.contentsOfDirectory(atPath: wallet.secrets.path(percentEncoded: false)) {
      try Data(count: 10).write(to: wallet.secrets.appending(path: name))
    }
    #expect(outcome { try wallet.restarted().signIn(pin: "908172") } == "damaged")
  }

  @Test("A wallet of another network is told apart, before a try is spent")
  func otherNetwork() throws {
    let wallet = try TestWallet(vault: MemoryVault())
    _ = try wallet.service.signUp(userKeyPair: .random(), pin: "908172")
    var settings = WalletSettings.small
    settings.network = .public
    let other = TestWallet.service(wallet.folder, vault: wallet.vault, settings: settings)
    #expect(outcome { try other.signIn(pin: "908172") } == "wrongNetwork")
  }

  @Test("Files and folders are for their owner only")
  func modes() throws {
    let wallet = try TestWallet()
    _ = try wallet.service.signUp(userKeyPair: .random(), pin: "908172")
    let files = try #require(FileManager.default.enumerator(at: wallet.folder, includingPropertiesForKeys: nil))
    var count = 0
    for case let file as URL in files {
      var status = stat()
      #expect(stat(file.path(percentEncoded: false), &status) == 0)
      #expect(status.st_mode & 0o077 == 0, "\(file)")
      count += 1
    }
    #expect(count == 5)
  }
}
