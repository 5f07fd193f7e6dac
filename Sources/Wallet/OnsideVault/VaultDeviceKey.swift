import OnsideAPI
package import Sodium

/// The key with which a device signs its requests to the vault (Ed25519, RFC 8032). One for each wallet.
public struct VaultDeviceKey: Sendable {
  private let key: Ed25519.PrivateKey

  /// The public half, 32 bytes, by which the vault knows the device.
  public var publicKey: [UInt8] { key.publicKey }

  /// A new key.
  public init() { key = Ed25519.PrivateKey(seed: SecretBytes(random: Ed25519.seedLength)) }

  /// A key as it was kept; nil for a seed that has not 32 bytes.
  package init?(seed: SecretBytes) {
    guard seed.count == Ed25519.seedLength else { return nil }
    key = Ed25519.PrivateKey(seed: seed)
  }

  /// What is to be kept.
  package var seed: SecretBytes { key.seed }

  /// Signs a request: the value of its header `Onside-Vault-Signature`.
  ///
  /// - Parameters:
  ///   - time: milliseconds since 1970, as the vault's clock shows it.
  ///   - nonce: 16 bytes that were never used before.
  public func sign(_ request: VaultRequest, time: Int64, nonce: [UInt8]) -> String {
    let parts = VaultSignature.Parts(key: publicKey, time: time, nonce: nonce)
    return VaultSignature.text(parts, signature: key.signature(of: parts.message(request)))
  }

  /// Signs a request with a fresh nonce.
  public func sign(_ request: VaultRequest, time: Int64) -> String {
    sign(request, time: time, nonce: RandomBytes.system.bytes(VaultSignature.nonceLength))
  }
}
