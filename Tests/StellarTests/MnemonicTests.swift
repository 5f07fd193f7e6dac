import Sodium
import Testing

@testable import Stellar

@Suite("Words (BIP-39, SEP-5)", .timeLimit(.minutes(5)))
struct MnemonicTests {
  let vectors: Vectors
  init() throws { vectors = try Vectors.load() }

  @Test("WAL-8, WAL-9: words give SEP-5's seed and keys")
  func keys() throws {
    #expect(vectors.sep5.tests.count == 5)
    for vector in vectors.sep5.tests {
      let words = try Mnemonic(text: vector.mnemonic)
      #expect(
        hex(words.seed(SecretBytes(copying: vector.passphrase.utf8)).withBytes(Array.init)) == vector.bip39SeedHex)
      for key in vector.keys {
        let pair = try words.keyPair(key.index, passphrase: vector.passphrase)
        #expect(
          pair.address == key.public && pair.withSecret { String(decoding: $0, as: UTF8.self) } == key.secret)
      }
      let branch = [44, 148].reduce(ExtendedKey(master: words.seed(SecretBytes(copying: vector.passphrase.utf8)))) {
        $0.child($1)
      }
      #expect(hex(branch.key.withBytes(Array.init)) == vector.m44148KeyHex)
    }
  }

  @Test("words are read in upper case and with any white space between them, and written in one form")
  func spelling() throws {
    let text = vectors.sep5.tests[2].mnemonic
    let words = try Mnemonic(text: "\n" + text.uppercased().split(separator: " ").joined(separator: " \t\n") + "  ")
    #expect(words.withWords { String(decoding: $0, as: UTF8.self) } == text)
    #expect(words.word(1).withBytes { String(decoding: $0, as: UTF8.self) } == text.split(separator: " ")[1])
  }

  @Test("WAL-8: wrong words are refused, and the error names the place, not the word")
  func invalid() {
    for vector in vectors.sep5.invalidMnemonics {
      #expect(throws: MnemonicError.self, "\(vector.why)") { try Mnemonic(text: vector.mnemonic) }
    }
    let text = vectors.sep5.tests[0].mnemonic
    #expect(throws: MnemonicError.unknownWord(3)) { try Mnemonic(text: text.replacing("retreat", with: "retreats")) }
    #expect(throws: MnemonicError.count(0)) { try Mnemonic(text: "") }
    #expect(throws: MnemonicError.checksum) { try Mnemonic(text: text.replacing("toe", with: "abandon")) }
    #expect(throws: MnemonicError.self) { try Mnemonic(text: text).keyPair(1 << 31) }
  }

  @Test(
    "new words are as many as asked for, else 24, differ from the next, and read back to the same key",
    arguments: [
      Mnemonic.Length.twelve, .twentyFour,
    ])
  func random(_ length: Mnemonic.Length) throws {
    #expect(Mnemonic.random().count == 24)
    let one = Mnemonic.random(length)
    #expect(one.count == (length == .twelve ? 12 : 24))
    let again = try Mnemonic(one.text)
    let account = try one.keyPair().account
    let expected = try again.keyPair().account
    #expect(account == expected)
    let secondAccount = try one.keyPair().account
    let secondExpected = try Mnemonic.random(length).keyPair().account
    #expect(secondAccount != secondExpected)
  }

  @Test("a passphrase is the same in composed and decomposed letters")
  func passphrase() throws {
    let words = try Mnemonic(text: vectors.sep5.tests[0].mnemonic)
    let composed = try words.keyPair(passphrase: "\u{E9}\u{FB01}").account
    let expected = try words.keyPair(passphrase: "e\u{301}fi").account
    #expect(composed == expected)
    let secondExpected = try words.keyPair(passphrase: "efi").account
    #expect(composed != secondExpected)
  }

  @Test("WAL-10: words and key pairs print as redacted")
  func redacted() throws {
    let words = try Mnemonic(text: vectors.sep5.tests[0].mnemonic)
    let pair = try words.keyPair()
    for text in ["\(words)", String(reflecting: words), "\(pair)", String(reflecting: pair)] {
      #expect(!text.contains("illness") && !text.contains("SBGWSG6B") && text.contains("redacted"))
    }
    var dump = ""
    Swift.dump((words, pair), to: &dump)
    #expect(!dump.contains("illness") && !dump.contains("SBGWSG6B"))
  }
}
