public import Stellar
import Synchronization

extension SecureStorage {
  /// Recovers the wallet from its words under a new PIN, and signs in (WAL-8).
  ///
  /// What is stored is replaced if it has the same address, which the words prove, or cannot be read any more.
  ///
  /// - Returns: the address.
  /// - Throws: ``WalletError/Kind/alreadySignedUp`` for a wallet with another address, which stays;
  ///   ``WalletError/Kind/commonPIN``; other kinds of ``WalletError``.
  public func recover(_ words: Mnemonic, pin: PIN) throws -> AccountAddress {
    try refuseCommon(pin)
    let payload = try Payload(words)
    let address = try keyPair(of: payload).account
    return try storage.withLock {
      settle()
      let old = try replaceable(by: address)
      let enrolled = try enrol(payload, pin: pin, replacing: nil)
      try write([enrolled.slot])
      try enrolled.confirm()
      for slot in old { forget(slot) }
      settle()
      wrongPINs.forget()
      signIn(as: address)
      return address
    }
  }

  /// Destroys the wallet on this device, and the vault's half of its key when the vault can be reached; signs out.
  ///
  /// - Throws: ``WalletError`` when the file or the device's secret cannot be reached now: then the wallet stays, and
  ///   is whole for another attempt.
  public func deleteAll() throws {
    try storage.withLock {
      unwritten.withLock { $0 = nil }
      for slot in try itemIfReadable({ $0 }) ?? [] {
        if let device = try readableSecret(of: slot) { try? seat(of: slot, device)?.destroy() }
        try secrets.remove(slot.enrolment)
      }
      try storage.remove()
      settle()
      // The trace itself goes, too, and what a killed write of it left; not as long as it is needed.
      if try storage.pendingEnrolments().isEmpty { try storage.setPendingEnrolments([]) }
      signOut()
    }
  }

  /// Nil for a secret that is lost or damaged for good; what is only locked or away is an error.
  private func readableSecret(of slot: Slot) throws -> DeviceSecret? {
    do {
      return try secret(of: slot.enrolment)
    } catch let error as WalletError
      where ![.deviceSecretLocked, .deviceSecretUnreachable, .storage].contains(error.kind)
    {
      return nil
    }
  }

  /// The slots of what is stored, if it may be replaced.
  private func replaceable(by address: AccountAddress) throws -> [Slot] {
    let found = try itemIfReadable { slots in (slots, address: try AccountAddress(of: slots[0])) }
    guard found == nil || found?.address == address else { throw WalletError.alreadySignedUp }
    return found?.0 ?? []
  }

  /// What `body` makes of the item's slots; nil when there is none, or it cannot be read any more.
  private func itemIfReadable<Value>(_ body: ([Slot]) throws -> Value) throws -> Value? {
    do {
      return try body(readItem().slots)
    } catch SecureStorageError.userNotFound {
      return nil
    } catch let error as WalletError where error.kind == .damaged {
      return nil
    }
  }

  /// Destroys both halves of an enrolment's key: the vault's if it answers, the device's in any case.
  func forget(_ slot: Slot) {
    if let device = try? secret(of: slot.enrolment) { try? seat(of: slot, device)?.destroy() }
    try? secrets.remove(slot.enrolment)
  }
}
