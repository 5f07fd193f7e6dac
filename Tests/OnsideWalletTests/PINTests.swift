import Foundation
import OnsideWallet
import Stellar
import Testing

@Suite("PINs", .timeLimit(.minutes(5)))
struct PINTests {
  @Test("Arabic digits, both forms of a letter, spaces, none and a thousand characters: each opens, and nothing else")
  func unicode() throws {
    let composed = "caf\u{e9}-\u{fb01}n"
    let decomposed = "cafe\u{301}-fin"
    let pins = [
      "\u{661}\u{662}\u{663}\u{664}\u{665}\u{666}", composed, " 12 34 ", "", String(repeating: "x", count: 1000),
    ]
    for pin in pins {
      let wallet = try TestWallet()
      let address = try wallet.service.signUp(userKeyPair: .random(), pin: pin)
      let actualAddress = try wallet.restarted().signIn(pin: pin)
      #expect(actualAddress == address)
      #expect(outcome { try wallet.restarted().signIn(pin: pin + " ") } == "invalidPin")
      if pin == composed {
        let secondAddress = try wallet.restarted().signIn(pin: decomposed)
        #expect(secondAddress == address)
      }
    }
  }

  @Test("Print as redacted")
  func redacted() {
    let pin = PIN("908172")
    var dumped = ""
    dump(pin, to: &dumped)
    #expect("\(pin) \(String(reflecting: pin)) \(dumped)".contains("908172") == false)
  }

  @Test(
    "Those that are guessed first are common",
    arguments: [
      "", "12345", "123456", "654321", "111111", "121212", "123123", "112233", "147852", "250190", "900125", "122590",
      "123321", "123789", "024680", "abcdef", "aaaaaaa", "abcabc",
    ])
  func common(pin: String) { #expect(PIN(pin).isCommon) }

  @Test(
    "WAL-6: Common passwords are guessed first, as people vary them",
    arguments: [
      "password", "Password", "PASSWORD1", "p@ssw0rd", "Pa$$w0rd!", "password123456", "passpass", "qwerty", "qwertz",
      "azerty", "qwerty12", "QWERTYuiop", "asdfgh", "1q2w3e4r", "1qaz2wsx", "zaq12wsx", "qweasdzxc", "iloveyou",
      "letmein", "Welcome1", "abc123", "abcd1234", "abcdef1", "hello123", "monkey", "dragon12", "football", "trustno1",
      "Summer2024",
      "michael", "12345678901",
    ])
  func commonPassword(pin: String) { #expect(PIN(pin).isCommon) }

  @Test(
    "WAL-6: Dates are guessed first, as people write them",
    arguments: [
      "24121990", "19901224", "12241990", "24.12.1990", "1990-12-24", "24.12.90", "1/2/1990", "1121990",
      "march1990", "24december1990",
    ])
  func date(pin: String) { #expect(PIN(pin).isCommon) }

  @Test(
    "Others are not",
    arguments: [
      "908172", "718260", "correct horse", "k3w9ql", "t7gm2xqd", "59301846", "9-2-6-5-3-5", "zebra tooth 81", "hxqpmd",
    ])
  func uncommon(pin: String) { #expect(!PIN(pin).isCommon) }

  @Test("About a tenth of six digits is common")
  func tenth() {
    // Every 7th of the million is enough; 7 divides none of the periods of the rule.
    let numbers = stride(from: 0, to: 1_000_000, by: 7)
    let common = numbers.count { number in digits(of: number).withUnsafeBytes(PIN.isCommon) }
    #expect(0.09..<0.11 ~= Double(common) / (1_000_000 / 7))
  }

  private func digits(of number: Int) -> [UInt8] {
    let text = Array(String(number).utf8)
    return [UInt8](repeating: UInt8(ascii: "0"), count: 6 - text.count) + text
  }

  @Test("A random one has six digits and is not common")
  func random() {
    for _ in 0..<200 {
      let pin = PIN.random()
      #expect(!pin.isCommon)
      #expect(pin.withUTF8 { $0.count == 6 && $0.allSatisfy { 0x30...0x39 ~= $0 } })
    }
  }

  @Test("Sign up and a change refuse a common one")
  func refused() throws {
    var settings = WalletSettings.small
    settings.refusesCommonPINs = true
    let wallet = try TestWallet(settings: settings)
    #expect(outcome { try wallet.service.signUp(userKeyPair: .random(), pin: "123456") } == "commonPIN")
    #expect(try !wallet.service.userIsSignedUp)
    #expect(outcome { try wallet.service.signUp(userKeyPair: .random(), pin: "908172") } == "ok")
    #expect(outcome { try wallet.service.changePIN(from: PIN("908172"), to: PIN("111111")) } == "commonPIN")
  }

  @Test("WAL-6: An empty PIN costs no try where PINs have six characters")
  func empty() throws {
    var settings = WalletSettings.small
    settings.refusesCommonPINs = true
    let vault = MemoryVault()
    let wallet = try TestWallet(vault: vault, settings: settings)
    try wallet.signUp("908172")
    #expect(outcome { try wallet.service.signIn(pin: "") } == "invalidPin")
    let remaining = try wallet.service.storage.status().tries?.remaining
    #expect(remaining == 10)
  }

  @Test("WAL-6: A wrong PIN says how many tries remain, the same one again as well; a right one says nothing")
  func remaining() throws {
    let wallet = try TestWallet(vault: MemoryVault())
    try wallet.signUp("908172")
    let storage = wallet.service.storage
    #expect(storage.triesAfterWrongPIN == nil)
    for (pin, remaining, wait) in [("1", 9, 0), ("1", 9, 0), ("2", 8, 0), ("3", 7, 0), ("4", 6, 60)] {
      #expect(outcome { try wallet.service.signIn(pin: pin) } == "invalidPin")
      let tries = try #require(storage.triesAfterWrongPIN)
      #expect(tries == (remaining, wait))
    }
    wallet.service.signOut()
    #expect(storage.triesAfterWrongPIN == nil)
  }

  @Test("WAL-6: A line that ends in CR LF is the line", arguments: ["908172\n", "908172\r\n", "908172\r", "908172"])
  func lineEnds(text: String) throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    defer { close(ends[0]) }
    _ = Array(text.utf8).withUnsafeBytes { write(ends[1], $0.baseAddress, $0.count) }
    close(ends[1])
    let line = try SecretLine(readingFrom: ends[0])
    #expect(PIN(line).isEqual(to: PIN("908172")))
  }
}
