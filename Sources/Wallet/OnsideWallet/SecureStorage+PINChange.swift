import OnsideAPI
import Sodium

/// The change of a PIN: writes both slots, the new one first; then the vault takes the new enrolment into use and
/// deletes the key of the old one, in one transaction; then the new slot is written alone. Without a vault the file
/// with both slots is what decides.
extension SecureStorage {
  /// Changes the PIN. If the process is killed during it, exactly one of the two PINs opens the wallet (WAL-7).
  ///
  /// - Parameters:
  ///   - old: the present PIN; a wrong one is counted.
  ///   - new: the new PIN; a common one is refused before anything else happens.
  /// - Throws: ``SecureStorageError``, ``WalletError``. After ``WalletError/Kind/vaultUnreachable`` or
  ///   ``WalletError/Kind/storage`` the change may have happened or not: one of both PINs opens, and never both.
  public func changePIN(from old: PIN, to new: PIN) throws {
    try refuseCommon(new)
    try storage.withLock {
      let opened = try open(try currentSlot(), with: old)
      enrolmentFailed(opened.failure)
      if let failure = opened.failure { throw failure }
      try replace(opened, with: new)
    }
  }

  /// Another copy of this device took the try before the last one meanwhile: a new enrolment under the same PIN, too
  /// late for ``moveOn(_:to:)``. When the vault is lost in the middle of it, the words are what is left.
  func enrolAnew(_ opened: Opened, with pin: PIN) throws { try replace(opened, with: pin) }

  private func replace(_ old: Opened, with pin: PIN) throws {
    let others = try readItem().slots.filter { $0.enrolment != old.slot.enrolment }
    let enrolled = try enrol(
      old.payload, pin: pin, replacing: Predecessor(slot: old.slot, device: old.device))
    try write([enrolled.slot, old.slot])
    // The vault has dropped other enrolments for the same place. If one had been confirmed meanwhile, the vault would
    // have refused this one.
    for other in others { try? secrets.remove(other.enrolment) }
    try enrolled.confirm()
    try keep(enrolled.slot, dropping: old.slot)
    settle()
  }

  /// Writes slots, of which the first is new; its device secret does not stay behind when that fails.
  func write(_ slots: [Slot]) throws {
    do {
      try storage.write(WalletItem(slots: slots).encoded)
    } catch {
      let isThere = try? readItem().slots[0].enrolment == slots[0].enrolment
      if isThere != true { try? secrets.remove(slots[0].enrolment) }
      throw error
    }
  }

  /// The slot that is in use. Of two, a change that was cut short is ended first, as far as it can be known.
  func currentSlot() throws -> Slot {
    settle()
    let item = try readItem()
    guard item.slots.count == 2 else { return item.slots[0] }
    let (new, old) = (item.slots[0], item.slots[1])
    guard try secret(of: new.enrolment) != nil else {
      // Neither is here: another device's copy, of which nothing may be lost.
      guard try secret(of: old.enrolment) != nil else { throw WalletError.deviceSecretMissing }
      return try keep(old, dropping: new)
    }
    guard let seat = try seat(of: new, try device(of: new)) else { return try keep(new, dropping: old) }
    let found = try stateIfKnown(seat)
    switch found?.state {
    case .confirmed: return try keep(new, dropping: old)
    case nil:
      // A vault that knows neither is another one, or has lost its data: nothing is given up for it.
      if let seat = try self.seat(of: old, try device(of: old)), try stateIfKnown(seat) == nil {
        throw WalletError.vaultUnknown
      }
      return try keep(old, dropping: new)
    // The confirmation may still be on its way, so both stay until the vault says one or the other. An enrolment made
    // for the old one's last try replaces nothing at the vault, and so begins there at epoch 1.
    default: return try found?.epoch == 1 && isSpent(old) ? new : old
    }
  }

  /// Whether the vault's half of a slot went with its last try, which the other slot was made for.
  private func isSpent(_ slot: Slot) throws -> Bool {
    guard let secret = try secret(of: slot.enrolment), slot.isWhole(by: secret), let seat = try seat(of: slot, secret)
    else { return false }
    return try stateIfKnown(seat)?.state == .destroyed
  }

  /// Nil when the vault has dropped the enrolment, which was never confirmed.
  private func stateIfKnown(_ seat: VaultSeat) throws -> VaultMessage? {
    do {
      return try seat.state
    } catch let error as WalletError where error.kind == .vaultUnknown {
      return nil
    }
  }

  /// Leaves one slot. Without a vault it is the loss of its device secret that closes the other one for good.
  @discardableResult
  func keep(_ slot: Slot, dropping other: Slot) throws -> Slot {
    try secrets.remove(other.enrolment)
    try storage.write(WalletItem(slots: [slot]).encoded)
    return slot
  }
}
