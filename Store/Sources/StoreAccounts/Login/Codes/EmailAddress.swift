/// An e-mail address, in lower case: no mail system in use distinguishes addresses by case, so that one person does not
/// get two accounts by a shift key.
///
/// Printing or logging one shows next to nothing of it; `text` is the address itself.
public struct EmailAddress: Hashable, Sendable {
  /// The address itself, for sending and for lookups.
  public let text: String

  /// Parses typed text: a local part of letters, digits and the signs of a dot-atom (RFC 5322), and a domain with a dot
  /// in it. Spaces around it are removed.
  public init(parsing typed: String) throws(EmailAddressError) {
    let characters = typed.drop(while: \.isWhitespace)
    let address = characters.reversed().drop(while: \.isWhitespace).reversed().map { $0 }
    guard !address.isEmpty else { throw .empty }
    if let strange = address.first(where: { !Self.isKnown($0) }) { throw .unexpected(strange) }
    guard address.count(where: { $0 == "@" }) == 1, let at = address.firstIndex(of: "@") else { throw .malformed }
    let (local, domain) = (String(address[..<at]).lowercased(), String(address[(at + 1)...]).lowercased())
    guard (1...64).contains(local.count), domain.count <= 253, Self.areDots(local), !domain.contains("_") else {
      throw .malformed
    }
    let labels = domain.split(separator: ".", omittingEmptySubsequences: false)
    guard labels.count >= 2, labels.allSatisfy(Self.isLabel), labels.last?.allSatisfy(\.isNumber) == false else {
      throw .malformed
    }
    text = local + "@" + domain
  }

  /// The address without the part of its local name from a `+` on, which most mail systems deliver to the same mailbox.
  var mailbox: String { String(text.prefix { $0 != "@" && $0 != "+" } + text.drop { $0 != "@" }) }

  /// `j•••@example.org`: enough for its owner to recognise.
  public var masked: String {
    text.prefix(1) + "•••" + text.drop { $0 != "@" }
  }

  private static func isKnown(_ character: Character) -> Bool {
    guard let byte = character.asciiValue else { return false }
    return character.isLetter || character.isNumber || "!#$%&'*+-/=?^_`{|}~.@".utf8.contains(byte)
  }

  private static func areDots(_ local: String) -> Bool {
    !local.hasPrefix(".") && !local.hasSuffix(".") && !local.contains("..")
  }

  private static func isLabel(_ label: Substring) -> Bool {
    (1...63).contains(label.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
      && label.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" }
  }
}

extension EmailAddress: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The masked address.
  public var description: String { masked }
  /// The masked address.
  public var debugDescription: String { masked }
  /// Nothing but the masked address.
  public var customMirror: Mirror { Mirror(self, children: ["masked": masked]) }
}

/// Why a text is no e-mail address that codes can be sent to.
public enum EmailAddressError: Error, Hashable, Sendable {
  /// Nothing was typed.
  case empty
  /// It has not the form `name@example.org`.
  case malformed
  /// A character that no such address has.
  case unexpected(Character)
}
