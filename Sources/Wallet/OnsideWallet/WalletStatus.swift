import OnsideAPI
import Sodium
public import Stellar

/// The status of a wallet, as far as it is known without the PIN.
public struct WalletStatus: Sendable {
  /// The public key, `G…`.
  public let address: AccountAddress
  /// The limit on PIN tries by an attacker who has the device.
  public let limit: AttemptLimit
  /// Where the device secret is kept: "TPM 2.0", "Secret Service", "file".
  public let deviceSecret: String
  /// Counts the PINs that the wallet has had, from 1.
  public let epoch: UInt64
  /// Argon2id's memory in MiB, and its passes.
  public let argon2id: (memory: Int, passes: Int)
  /// Where wrong PINs are counted: how many more there may be, and seconds until the next try.
  public let tries: (remaining: Int, secondsToWait: Int)?
  /// Where the device's chip counts: its rules.
  public let lockout: Lockout?
  /// The vault has destroyed its half of the key: no PIN opens the wallet, its words bring the key back.
  public let isDestroyed: Bool
}

extension SecureStorage {
  /// The status of the wallet: its address, and what limits wrong PINs. Needs no PIN; asks the vault where there is
  /// one.
  ///
  /// Show ``WalletStatus/limit`` to the user: `attemptsNotLimited` means that a thief of the device can try every PIN
  /// (WAL-5). It counts as no try.
  ///
  /// - Throws: ``SecureStorageError/userNotFound``; ``WalletError/Kind/outdated`` for a copy from before a PIN change;
  ///   ``WalletError/Kind/vaultUnreachable`` and other kinds of ``WalletError``.
  public func status() throws -> WalletStatus {
    try storage.withLock {
      let slot = try currentSlot()
      let device = try device(of: slot)
      let state = try seat(of: slot, device)?.state
      if state?.state == .replaced { throw WalletError.outdated }
      let lockout = slot.header.limit == .tpm ? try secrets.counter(of: slot.enrolment)?.lockout : nil
      // The chip's administrator can have turned its counting off.
      let isCounted = slot.header.limit != .tpm || lockout?.limitsTries == true
      return WalletStatus(
        address: try AccountAddress(of: slot), limit: isCounted ? slot.header.limit : .attemptsNotLimited,
        deviceSecret: try secrets.name(of: slot.enrolment), epoch: slot.header.epoch,
        argon2id: (slot.header.argon2id.memory / 1024, slot.header.argon2id.passes),
        tries: state.map { ($0.triesRemaining, $0.retryAfter) } ?? lockout.map { ($0.remaining, $0.secondsToWait) },
        lockout: lockout, isDestroyed: state?.state == .destroyed)
    }
  }
}
