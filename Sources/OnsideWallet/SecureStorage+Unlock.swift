import Sodium
import Stellar

extension SecureStorage {
  /// What was opened, and with what.
  struct Opened {
    let payload: Payload
    let slot: Slot
    let device: DeviceSecret
    /// The vault wants a new enrolment under the same PIN.
    let enrolsAnew: Bool
  }

  /// What the box keeps, for the PIN. Takes the lock.
  func unlock(_ pin: PIN) throws -> Payload {
    try storage.withLock {
      let opened = try open(try currentSlot(), pin)
      if opened.enrolsAnew { try enrolAnew(opened, pin) }
      return opened.payload
    }
  }

  /// Opens a slot. A wrong PIN is found by the box that does not open, and by nothing else.
  func open(_ slot: Slot, _ pin: PIN) throws -> Opened {
    let device = try device(of: slot)
    guard !wrongPINs.isLast(pin, of: slot.enrolment) else { throw SecureStorageError.invalidPin }
    let stretched = try KeySchedule.stretch(pin, salt: slot.header.salt, with: slot.header.argon2id)
    let seat = try seat(of: slot, device)
    let answer = try seat?.evaluate(stretched.input, publicKey: slot.header.vaultKey)
    guard let output = try output(of: slot, stretched, answer),
      case let keys = KeySchedule.keys(stretched, output, device: device, enrolment: slot.enrolment),
      let payload = try slot.open(with: keys)
    else {
      wrongPINs.remember(pin, of: slot.enrolment)
      throw SecureStorageError.invalidPin
    }
    wrongPINs.forget()
    if let seat, let answer { try confirm(seat, keys.unlockTag, isFirst: answer.isUnconfirmed) }
    return Opened(payload: payload, slot: slot, device: device, enrolsAnew: answer?.enrolsAnew ?? false)
  }

  /// y of whoever counts the tries of this slot; nil when the device's chip has counted a wrong PIN.
  func output(
    of slot: Slot, _ stretched: KeySchedule.Stretched, _ answer: VaultSeat.Answer?
  ) throws -> KeySchedule.Output? {
    if let answer { return .vault(answer.output) }
    guard slot.header.limit == .tpm else { return .nobody }
    guard let counter = try secrets.counter(of: slot.enrolment) else { throw WalletError.deviceSecretMissing }
    let proof = KeySchedule.proof(stretched, enrolment: slot.enrolment)
    return try proof.withBytes { try counter.withSecret(for: $0, SecretBytes.init(copying:)) }.map { .tpm($0) }
  }

  /// A confirmation that is lost costs a try, no more; the first one puts the enrolment into use, and has to arrive.
  private func confirm(_ seat: VaultSeat, _ tag: SecretBytes, isFirst: Bool) throws {
    do {
      try seat.confirm(tag)
    } catch {
      if isFirst { throw error }
    }
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
    return try VaultSeat(vault, slot.enrolment, device)
  }
}
