import Foundation
package import Sodium

/// A PIN or passphrase, held in locked memory from where it was read to where it is used up. Prints as redacted.
public struct PIN: Sendable {
  /// UTF-8, in the normal form NFKD, so that one PIN has one spelling whichever keyboard it comes from.
  package let bytes: SecretBytes

  /// From bytes as they were read, which the caller overwrites. ASCII never becomes a `String`; other letters do for a
  /// moment, since only Foundation knows their normal form.
  public init(utf8 bytes: some Collection<UInt8>) {
    if bytes.allSatisfy({ $0 < 0x80 }) {
      self.bytes = SecretBytes(copying: bytes)
    } else {
      let text = String(decoding: bytes, as: UTF8.self).decomposedStringWithCompatibilityMapping
      self.bytes = SecretBytes(copying: Array(text.utf8))
    }
  }

  /// From text, for callers that have it as text anyway.
  public init(_ text: String) { self.init(utf8: text.utf8) }

  package init(bytes: SecretBytes) { self.bytes = bytes }

  /// Six random digits, each as likely as any other, and none of those that are guessed first.
  public static func random() -> PIN { random(from: .system) }

  package static func random(from source: RandomBytes) -> PIN {
    while true {
      let digits = SecretBytes(count: 6) { target in
        for index in target.indices { target[index] = UInt8(ascii: "0") + randomDigit(from: source) }
      }
      let pin = PIN(bytes: digits)
      if !pin.isCommon { return pin }
    }
  }

  /// Rejects bytes from 250 on, so that no digit is likelier.
  private static func randomDigit(from source: RandomBytes) -> UInt8 {
    while true {
      let byte = source.bytes(1)[0]
      if byte < 250 { return byte % 10 }
    }
  }

  /// Lets `body` show it to the person whom it belongs to.
  public func withUTF8<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try bytes.withBytes { try body($0) }
  }
}

extension PIN: CustomStringConvertible, CustomReflectable {
  /// Never the PIN.
  public var description: String { "redacted" }
  /// Empty: a dump shows nothing either.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension PIN {
  /// Whether both are the same, compared in a time that tells nothing but the lengths.
  public func isEqual(to other: PIN) -> Bool { bytes.isEqual(to: other.bytes) }
}
