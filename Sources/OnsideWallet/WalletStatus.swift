import OnsideAPI
import Sodium
public import Stellar

/// How a wallet stands, as far as it can be known without the PIN.
public struct WalletStatus: Sendable {
  public let address: AccountAddress
  /// What keeps a thief who has the device from trying every PIN.
  public let limit: AttemptLimit
  /// Who keeps the device secret: "file", "Secret Service".
  public let deviceSecret: String
  /// Counts the PINs that the wallet has had, from 1.
  public let epoch: UInt64
  /// Argon2id's memory in MiB, and its passes.
  public let argon2id: (memory: Int, passes: Int)
  /// With a vault that answers: how many more wrong PINs there may be, and seconds until the next try.
  public let tries: (remaining: Int, secondsToWait: Int)?
}

extension SecureStorage {
  /// How the wallet stands. Asks the vault where there is one.
  /// - Throws: ``SecureStorageError/userNotFound``, ``WalletError``.
  public func status() throws -> WalletStatus {
    try storage.withLock {
      let slot = try currentSlot()
      let device = try device(of: slot)
      let state = try seat(of: slot, device)?.state
      return WalletStatus(
        address: try AccountAddress(of: slot), limit: slot.header.limit, deviceSecret: secrets.name,
        epoch: slot.header.epoch, argon2id: (slot.header.argon2id.memory / 1024, slot.header.argon2id.passes),
        tries: state.map { ($0.triesRemaining, $0.retryAfter) })
    }
  }
}
