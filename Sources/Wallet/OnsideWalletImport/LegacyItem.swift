import CryptoExtras
public import OnsideWallet
import Sodium
public import Stellar

import struct Foundation.Data

/// An item as SwiftBasicPay stored it in its keychain: `base64(IV);base64(AES-256-CBC of the secret seed's text)`,
/// under a key from the PIN with one salt for all users. It is read once, for the import: an attacker with an old
/// backup of it finds the PIN within minutes, and the item has no authentication, so changes to it go undetected.
public struct LegacyItem: Sendable {
  private let iv: [UInt8]
  private let box: [UInt8]

  /// Reads the item's text.
  /// - Throws: ``WalletError/Kind/damaged`` for anything but two parts of 16 and 64 bytes in canonical base64.
  public init(_ text: String) throws(WalletError) {
    let parts = text.split(separator: ";", omittingEmptySubsequences: false)
    guard parts.count == 2, let iv = Self.decode(parts[0]), let box = Self.decode(parts[1]),
      iv.count == 16, box.count == 64
    else { throw .damaged("no item of the old format") }
    self.iv = iv
    self.box = box
  }

  /// The signing key that it keeps. Show its address to the person: the item cannot prove that it is theirs.
  /// - Throws: ``SecureStorageError/invalidPin`` when no key comes out, which is a wrong PIN or a changed item: the old
  ///   format cannot tell one from the other.
  public func keyPair(pin: PIN) throws -> SigningKeyPair {
    let text = try decrypted(pin)
    guard let pair = try? SigningKeyPair(secret: text) else { throw SecureStorageError.invalidPin }
    return pair
  }

  /// The seed's text, 56 bytes.
  private func decrypted(_ pin: PIN) throws -> SecretBytes {
    let key = try pin.withUTF8 { bytes in
      try KDF.Insecure.PBKDF2.deriveKey(
        from: Data(bytes), salt: Data("stellar".utf8), using: .sha256, outputByteCount: 32, unsafeUncheckedRounds: 4096)
    }
    var padded = try AES._CBC.decrypt(
      Data(box), using: key, iv: AES._CBC.IV(ivBytes: iv), noPadding: true)
    defer { padded.resetBytes(in: padded.startIndex..<padded.endIndex) }
    guard padded.count == 64, Self.isPadded(padded.suffix(8)) else { throw SecureStorageError.invalidPin }
    return SecretBytes(copying: padded.prefix(56))
  }

  /// PKCS#7 of eight bytes, which is what 56 bytes of text have; looks at all of them whatever the first ones are.
  private static func isPadded(_ padding: Data) -> Bool { padding.reduce(0) { $0 | ($1 ^ 8) } == 0 }

  /// Canonical base64, so that one item has one text.
  private static func decode(_ text: Substring) -> [UInt8]? {
    guard let data = Data(base64Encoded: String(text)), data.base64EncodedString() == text else { return nil }
    return Array(data)
  }
}

extension AuthService {
  /// Imports an old item once its address was confirmed: under a new PIN, since the old one is as good as known. The
  /// old item is the caller's to delete, when this has returned.
  /// - Throws: ``WalletError/Kind/commonPIN`` when the new PIN is the old one; what sign up throws.
  public func signUp(importing pair: SigningKeyPair, oldPIN: PIN, newPIN: PIN) throws -> String {
    guard !newPIN.isEqual(to: oldPIN) else { throw WalletError.sameAsImported }
    return try signUp(userKeyPair: pair, pin: newPIN)
  }
}
