package import Sodium

/// The words that restore a key (BIP-39 in English, SEP-5). They suffice to sign, so they are in locked memory, are
/// overwritten when the last copy is released, and print as redacted.
public struct Mnemonic: Sendable {
  /// How many words there are: 12, 15, 18, 21 or 24.
  public let count: Int
  let entropy: SecretBytes

  /// How many words a new one has.
  public struct Length: Sendable, Hashable {
    let entropyCount: Int
    /// 12 words, 128 bits.
    public static let twelve = Length(entropyCount: 16)
    /// 24 words, 256 bits.
    public static let twentyFour = Length(entropyCount: 32)
  }

  /// Random words.
  public static func random(_ length: Length = .twentyFour) -> Mnemonic { Mnemonic(random: length, from: .system) }

  package init(random length: Length, from source: RandomBytes) {
    entropy = SecretBytes(random: length.entropyCount, from: source)
    count = length.entropyCount * 3 / 4
  }

  /// Reads words out of their text, in large or small letters with white space between them. The bytes stay the
  /// caller's to overwrite.
  /// - Throws: ``MnemonicError``, which names the place of a wrong word, never the word.
  public init(_ text: UnsafeRawBufferPointer) throws(MnemonicError) {
    let words = Self.split(text)
    guard [12, 15, 18, 21, 24].contains(words.count) else { throw .count(words.count) }
    count = words.count
    let entropyCount = words.count * 4 / 3
    var unknown: Int?
    let packed = SecretBytes(count: entropyCount + 1) { bits in
      for (place, word) in words.enumerated() where unknown == nil {
        guard let index = EnglishWords.index(of: word) else {
          unknown = place
          return
        }
        for bit in 0..<11 where index & 1 << (10 - bit) != 0 {
          let position = place * 11 + bit
          bits[position / 8] |= 0x80 >> (position % 8)
        }
      }
    }
    if let unknown { throw .unknownWord(unknown + 1) }
    entropy = packed.slice(0..<entropyCount)
    guard packed.withBytes({ $0[entropyCount] }) == Self.checksum(entropy) else { throw .checksum }
  }

  /// Reads words out of locked memory.
  package init(_ text: SecretBytes) throws(MnemonicError) {
    self = try text.withBytes { (bytes) throws(MnemonicError) in try Mnemonic(bytes) }
  }

  /// Reads words of a text that is in memory anyway: a Swift string cannot be overwritten.
  public init(text: String) throws(MnemonicError) { try self.init(SecretBytes(copying: text.utf8)) }

  /// Lends the words' text, small letters with a space between words; it is overwritten when `body` is done.
  public func withWords<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try text.withBytes(body)
  }

  /// The words with a space between them, in locked memory.
  package var text: SecretBytes {
    let space = SecretBytes(copying: " ".utf8)
    let parts = (0..<count).flatMap { $0 == 0 ? [word($0)] : [space, word($0)] }
    return SecretBytes(joining: parts)
  }

  /// One of the words, counted from 0.
  package func word(_ place: Int) -> SecretBytes {
    let checksum = SecretBytes(copying: [Self.checksum(entropy)])
    let index = SecretBytes(joining: [entropy, checksum]).withBytes { bits in
      (place * 11..<place * 11 + 11).reduce(0) { index, position in
        index << 1 | (bits[position / 8] & 0x80 >> UInt8(position % 8) == 0 ? 0 : 1)
      }
    }
    return SecretBytes(copying: EnglishWords.all[index])
  }

  /// The first bits of SHA-256, one for 32 bits of entropy, at the upper end of a byte.
  private static func checksum(_ entropy: SecretBytes) -> UInt8 {
    Hash.sha256(entropy).withBytes { $0[0] } & ~(0xff >> UInt8(entropy.count / 4))
  }

  private static func split(_ text: UnsafeRawBufferPointer) -> [UnsafeRawBufferPointer] {
    text.split { $0 == 0x20 || (0x09...0x0d).contains($0) }.map(UnsafeRawBufferPointer.init(rebasing:))
  }
}

extension Mnemonic: CustomStringConvertible, CustomReflectable {
  /// How many words; never the words.
  public var description: String { "\(count) words (redacted)" }
  /// How many words; never the words.
  public var customMirror: Mirror { Mirror(self, children: ["count": count]) }
}

/// Why words are no mnemonic. It never repeats a word.
public struct MnemonicError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was expected, what came, and what to do.
  public let description: String

  /// Another number of words.
  public static func count(_ count: Int) -> MnemonicError {
    MnemonicError(description: "Expected 12, 15, 18, 21 or 24 words, got \(count).")
  }
  /// A word, counted from 1, that is not in the list.
  public static func unknownWord(_ place: Int) -> MnemonicError {
    MnemonicError(description: "Word \(place) is not one of BIP-39's English words. Look at its spelling.")
  }
  /// Words of the list that do not belong together.
  public static let checksum = MnemonicError(
    description: "The words do not belong together: one is another, or the order is. Compare them with your note.")
}
