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
      #expect(try wallet.restarted().signIn(pin: pin) == address)
      #expect(outcome { try wallet.restarted().signIn(pin: pin + " ") } == "invalidPin")
      if pin == composed { #expect(try wallet.restarted().signIn(pin: decomposed) == address) }
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

  @Test("Others are not", arguments: ["908172", "718260", "correct horse", "k3w9ql"])
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
}
