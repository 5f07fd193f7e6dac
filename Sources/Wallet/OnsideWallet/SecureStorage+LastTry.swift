import OnsideAPI
import Sodium
import Synchronization

/// The vault's last try: after nine wrong PINs, or after its database was put back from a backup. It takes the vault's
/// half of the key with it, so a right PIN goes on under a new enrolment.
extension SecureStorage {
  /// A new enrolment to continue with, if the coming try is the vault's last one. When the vault cannot be reached, the
  /// try is not made, so that nothing is lost.
  func successor(of slot: Slot, device: DeviceSecret, at seat: VaultSeat, pin: PIN) throws -> Prepared? {
    let state = try seat.state
    guard state.triesRemaining == 1, state.retryAfter == 0 else { return nil }
    return try prepare(
      pin, for: slot.publicKey, replacing: Predecessor(slot: slot, device: device, isReplacedByVault: false))
  }

  /// Deletes the device secret of a new enrolment for which nothing was opened. The vault drops the enrolment after a
  /// day, as it does with every unconfirmed one.
  func discard(_ successor: Prepared) { try? secrets.remove(successor.header.enrolment) }

  /// Stores what was opened under the new enrolment. A failure is returned with what was opened, and later calls repeat
  /// the step: the item keeps both slots until the vault has confirmed the new one.
  func moveOn(_ opened: Opened, to successor: Prepared) -> Opened {
    let enrolled = successor.sealing(opened.payload, random: random)
    var opened = opened
    opened.enrolsAnew = false
    let item = WalletItem(slots: [enrolled.slot, opened.slot])
    opened.failure = failure {
      unwritten.withLock { $0 = item }
      let others = try readItem().slots.filter { $0.enrolment != opened.slot.enrolment }
      try storage.write(item.encoded)
      unwritten.withLock { $0 = nil }
      for other in others { try? secrets.remove(other.enrolment) }
      try enrolled.confirm()
      try keep(enrolled.slot, dropping: opened.slot)
      settle()
    }
    guard opened.failure == nil else { return opened }
    return Opened(payload: opened.payload, slot: enrolled.slot, device: successor.device, enrolsAnew: false)
  }

  /// The error that `body` throws, as a ``WalletError``.
  func failure(_ body: () throws -> Void) -> WalletError? {
    do {
      try body()
      return nil
    } catch {
      return error as? WalletError ?? .storage("\(error)")
    }
  }
}
