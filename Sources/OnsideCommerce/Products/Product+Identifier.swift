extension Product {
  /// The rule of ``isIdentifier(_:)`` in words, for errors.
  public static let identifierRule = "a string of 1 to 255 letters, digits, dots, dashes and underscores"

  /// Returns whether a text can be the identifier of a product, or of an offer or offering: 1 to 255 ASCII letters,
  /// digits, dots, dashes and underscores.
  ///
  ///     Product.isIdentifier("coins_100")   // true
  ///     Product.isIdentifier("100 coins")   // false
  ///
  /// - Parameter text: the text as an app asks for it or a catalogue has it. It is compared byte by byte: the Kelvin
  ///   sign is no `K`.
  public static func isIdentifier(_ text: String) -> Bool {
    (1...255).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
          true
        default: false
        }
      }
  }
}
