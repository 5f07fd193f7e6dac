package import OnsideVault
package import Sodium

/// 64 random bytes that stay on this device: d, which the box's key needs, and the seed of the key that signs what is
/// asked of the vault. d is new with each PIN; the device's key stays.
package struct DeviceSecret: Sendable {
  package static let length = 64

  package let bytes: SecretBytes

  /// Nil for another length.
  package init?(_ bytes: SecretBytes) {
    guard bytes.count == Self.length else { return nil }
    self.bytes = bytes
  }

  /// A new one; with the device's key of another.
  init(random source: RandomBytes, keyOf other: DeviceSecret? = nil) {
    let share = SecretBytes(random: 32, from: source)
    let seed = other?.bytes.slice(32..<64) ?? SecretBytes(random: 32, from: source)
    bytes = SecretBytes(joining: [share, seed])
  }

  /// d.
  var share: SecretBytes { bytes.slice(0..<32) }

  /// Signs requests to the vault.
  package var key: VaultDeviceKey {
    guard let key = VaultDeviceKey(seed: bytes.slice(32..<64)) else { preconditionFailure("seeds have 32 bytes") }
    return key
  }

  /// The seal of a slot, 32 bytes.
  func seal(of message: [UInt8]) -> [UInt8] {
    let key = Hash.hkdfSHA512(secret: bytes, salt: [], label: "onside wallet 1 seal", count: 32)
    return Hash.hmacSHA512(key: key, [SecretBytes(copying: message)]).withBytes { Array($0.prefix(Slot.sealLength)) }
  }
}
