/// Why a text is no key. It never repeats the text, which may be a secret.
public struct StrKeyError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was expected, what came, and what to do.
  public let description: String

  /// No key has this many characters.
  public static func length(_ count: Int) -> StrKeyError {
    StrKeyError(
      description: "No key has \(count) characters: an account or a seed has 56, a muxed account 69. Copy it whole.")
  }
  /// A character that base32 does not have, or unused bits that are set.
  public static let notBase32 = StrKeyError(
    description: "A key has capital letters and the digits 2 to 7, nothing else. Copy it again.")
  /// The first letter stands for nothing that is known.
  public static let unknownKind = StrKeyError(description: "The key's first character stands for no known kind of key.")
  /// The checksum does not fit: a character was mistyped.
  public static let checksum = StrKeyError(
    description: "The key's checksum is wrong: a character was changed. Copy it again.")
  /// The payload is not what the kind has.
  public static func payload(_ kind: StrKey.Kind) -> StrKeyError {
    StrKeyError(description: "The key is not \(kind): its content has another form.")
  }
  /// Another kind of key was expected.
  public static func expected(_ kind: StrKey.Kind, found: StrKey.Kind) -> StrKeyError {
    StrKeyError(description: "Expected \(kind), got \(found).")
  }
  /// A secret seed where something public was expected.
  public static let secretSeed = StrKeyError(
    description:
      "This is a secret seed (S…), and an address was expected. The seed can sign for the account: never share it.")
  /// Something else where a secret seed was expected.
  public static let noSecretSeed = StrKeyError(description: "Expected a secret seed: S and 55 more characters.")
}
