import OnsideAPI
import Sodium
import Stellar

extension SecureStorage {
  /// An opened slot: its payload, and the device secret that opened it.
  struct Opened {
    let payload: Payload
    let slot: Slot
    let device: DeviceSecret
    /// The vault wants a new enrolment under the same PIN.
    var enrolsAnew: Bool
    /// Why the vault was not updated after the opening; the slot is open all the same.
    var failure: WalletError?
  }

  /// Opens the box with the PIN. Takes the lock.
  func unlock(_ pin: PIN) throws -> Payload {
    try storage.withLock {
      enrolmentFailed(nil)
      var opened = try open(try currentSlot(), with: pin)
      if opened.enrolsAnew { opened.failure = failure { try enrolAnew(opened, with: pin) } }
      enrolmentFailed(opened.failure)
      return opened.payload
    }
  }

  /// Opens a slot. Only a box that does not open shows that a PIN is wrong.
  ///
  /// Where the vault has one try left, after which it deletes its half of the key, the next enrolment is made before
  /// the try: afterwards only what is already enrolled can be opened again.
  func open(_ slot: Slot, with pin: PIN) throws -> Opened {
    let device = try device(of: slot)
    guard !isEmpty(pin), !wrongPINs.isLast(pin, of: slot.enrolment) else { throw SecureStorageError.invalidPin }
    let seat = try seat(of: slot, device)
    let successor = try seat.flatMap { try self.successor(of: slot, device: device, at: $0, pin: pin) }
    do {
      let opened = try tryPIN(pin, on: slot, device: device, at: seat)
      guard let successor else { return opened }
      return moveOn(opened, to: successor)
    } catch {
      if let successor { discard(successor) }
      throw error
    }
  }

  /// Where PINs have at least six characters, an empty PIN is a typing error and costs no try.
  private func isEmpty(_ pin: PIN) -> Bool { settings.refusesCommonPINs && pin.bytes.count == 0 }

  private func tryPIN(_ pin: PIN, on slot: Slot, device: DeviceSecret, at seat: VaultSeat?) throws -> Opened {
    let stretched = try KeySchedule.stretch(pin, salt: slot.header.salt, with: slot.header.argon2id)
    let answer = try seat?.evaluate(stretched.input, publicKey: slot.header.vaultKey)
    guard let output = try output(of: slot, stretched: stretched, answer: answer),
      case let keys = KeySchedule.keys(stretched, output: output, device: device, enrolment: slot.enrolment),
      let payload = try slot.open(with: keys)
    else {
      wrongPINs.remember(pin, of: slot.enrolment, tries: answer?.tries ?? triesAtChip(of: slot))
      throw SecureStorageError.invalidPin
    }
    wrongPINs.forget()
    var opened = Opened(payload: payload, slot: slot, device: device, enrolsAnew: answer?.enrolsAnew ?? false)
    // A confirmation that is lost costs a try; the first one puts the enrolment into use, and is missed.
    let failure = self.failure { try seat?.confirm(keys.unlockTag) }
    if answer?.isUnconfirmed == true { opened.failure = failure }
    return opened
  }

  private func triesAtChip(of slot: Slot) -> WrongPINs.Tries? {
    guard slot.header.limit == .tpm, let lockout = try? secrets.counter(of: slot.enrolment)?.lockout else { return nil }
    return (lockout.remaining, lockout.secondsToWait)
  }

  /// y from the counter of this slot's tries; nil when the device's chip has counted a wrong PIN.
  func output(
    of slot: Slot, stretched: KeySchedule.Stretched, answer: VaultSeat.Answer?
  ) throws -> KeySchedule.Output? {
    if let answer { return .vault(answer.output) }
    guard slot.header.limit == .tpm else { return .unlimited }
    guard let counter = try secrets.counter(of: slot.enrolment) else { throw WalletError.deviceSecretMissing }
    let proof = KeySchedule.proof(stretched, enrolment: slot.enrolment)
    return try proof.withBytes { try counter.withSecret(for: $0, SecretBytes.init(copying:)) }.map { .tpm($0) }
  }

  /// The stored item. Throws ``SecureStorageError/userNotFound`` when there is none.
  func readItem() throws -> WalletItem {
    guard let bytes = try storage.read() else { throw SecureStorageError.userNotFound }
    return try WalletItem(decoding: bytes)
  }

  /// The device's secret for a slot that is whole and of this network.
  func device(of slot: Slot) throws -> DeviceSecret {
    guard let device = try secret(of: slot.enrolment) else { throw WalletError.deviceSecretMissing }
    guard slot.isWhole(by: device) else { throw WalletError.damaged("a slot that this device did not write") }
    guard slot.header.network == settings.network.id else { throw WalletError.wrongNetwork }
    return device
  }

  func secret(of enrolment: [UInt8]) throws -> DeviceSecret? {
    guard let bytes = try secrets.withSecret(of: enrolment, SecretBytes.init(copying:)) else { return nil }
    guard let secret = DeviceSecret(bytes) else { throw WalletError.damaged("a device secret of another length") }
    return secret
  }

  /// The vault for a slot that counts on one; nil for a slot that does not.
  func seat(of slot: Slot, _ device: DeviceSecret) throws -> VaultSeat? {
    guard slot.header.limit == .server else { return nil }
    guard let vault else { throw WalletError.vaultMissing }
    return try VaultSeat(vault, enrolment: slot.enrolment, device: device)
  }
}
