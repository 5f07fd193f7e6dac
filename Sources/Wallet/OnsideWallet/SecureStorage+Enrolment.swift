import Sodium
import Stellar

extension SecureStorage {
  /// A PIN that is enrolled, with the keys of a box that is not sealed yet.
  struct Prepared {
    let header: Header
    let keys: KeySchedule.Keys
    let device: DeviceSecret
    let seat: VaultSeat?

    /// The signing key in the box.
    func sealing(_ payload: Payload, random: RandomBytes) -> Enrolled {
      let slot = Slot(payload, header: header, keys: keys, device: device, random: random)
      return Enrolled(slot: slot, seat: seat, unlockTag: keys.unlockTag)
    }
  }

  /// A PIN that is enrolled and sealed, but not in use yet.
  struct Enrolled {
    let slot: Slot
    let seat: VaultSeat?
    let unlockTag: SecretBytes

    /// Puts it into use, and takes the one out of use that it replaces.
    func confirm() throws { try seat?.confirm(unlockTag) }
  }

  /// The enrolment that a new one follows.
  struct Predecessor {
    let slot: Slot
    let device: DeviceSecret
    /// Whether the vault is to delete it when the new one is confirmed; not when its own last try has done that.
    var isReplacedByVault = true
  }

  func signUp(_ payload: Payload, pin: PIN) throws -> AccountAddress {
    try refuseCommon(pin)
    return try storage.withLock {
      guard try !storage.hasItem() else { throw WalletError.alreadySignedUp }
      settle()
      let enrolled = try enrol(payload, pin: pin, replacing: nil)
      do {
        try storage.write(WalletItem(slots: [enrolled.slot]).encoded)
        try enrolled.confirm()
      } catch {
        // There was nothing before, and the caller has the key: nothing stays.
        try? storage.remove()
        try? secrets.remove(enrolled.slot.enrolment)
        throw error
      }
      settle()
      let address = try AccountAddress(of: enrolled.slot)
      signIn(as: address)
      return address
    }
  }

  /// Makes a slot under a new enrolment: device secret on disk, vault enrolled, box sealed.
  func enrol(_ payload: Payload, pin: PIN, replacing old: Predecessor?) throws -> Enrolled {
    try prepare(pin, for: try keyPair(of: payload).account.publicKey, replacing: old).sealing(payload, random: random)
  }

  /// Enrols a PIN for a signing key of which the public half is enough. The enrolment is noted before its device secret
  /// is stored, so that a process that is killed leaves none behind for good.
  func prepare(_ pin: PIN, for publicKey: [UInt8], replacing old: Predecessor?) throws -> Prepared {
    let enrolment = random.bytes(16)
    let device = DeviceSecret(random: random, keyOf: old?.device)
    try storage.setPendingEnrolments(try storage.pendingEnrolments() + [enrolment])
    do {
      try device.bytes.withBytes { try secrets.store($0, of: enrolment) }
      return try prepare(pin, for: publicKey, as: enrolment, on: device, replacing: old)
    } catch {
      try? secrets.remove(enrolment)
      throw error
    }
  }

  private func prepare(
    _ pin: PIN, for publicKey: [UInt8], as enrolment: [UInt8], on device: DeviceSecret, replacing old: Predecessor?
  ) throws -> Prepared {
    let salt = random.bytes(Argon2id.saltLength)
    let stretched = try KeySchedule.stretch(pin, salt: salt, with: settings.argon2id)
    let seat = try vault.map { try VaultSeat($0, enrolment: enrolment, device: device) }
    let isReplaced = old?.isReplacedByVault == true && old?.slot.header.limit == .server
    let vaultKey = try seat?.enrol(replacing: isReplaced ? old?.slot.enrolment : nil)
    let answer = try vaultKey.flatMap { try seat?.evaluate(stretched.input, publicKey: $0) }
    let output = try answer.map { .vault($0.output) } ?? count(stretched, of: enrolment)
    let keys = KeySchedule.keys(stretched, output: output, device: device, enrolment: enrolment)
    try seat?.seal(keys.unlockTag)
    let header = Header(
      network: settings.network.id, enrolment: enrolment, epoch: (old?.slot.header.epoch ?? 0) + 1,
      limit: output.limit, argon2id: settings.argon2id, salt: salt,
      vaultKey: vaultKey ?? [UInt8](repeating: 0, count: 32), publicKey: publicKey)
    return Prepared(header: header, keys: keys, device: device, seat: seat)
  }

  /// y from the device's chip, which counts wrong PINs from now on, when there is a chip that limits tries.
  private func count(_ stretched: KeySchedule.Stretched, of enrolment: [UInt8]) throws -> KeySchedule.Output {
    guard let counter = try secrets.counter(of: enrolment), try counter.lockout.limitsTries else { return .unlimited }
    let output = SecretBytes(random: 32, from: random)
    let proof = KeySchedule.proof(stretched, enrolment: enrolment)
    try output.withBytes { output in try proof.withBytes { try counter.store(output, for: $0) } }
    return .tpm(output)
  }

  func refuseCommon(_ pin: PIN) throws {
    if settings.refusesCommonPINs && pin.isCommon { throw WalletError.commonPIN }
  }
}
