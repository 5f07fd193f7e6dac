import CTPM
package import Sodium

/// Seals secrets with a TPM 2.0, under a storage key that it makes anew each time from its owner's seed and a fixed
/// template, so that nothing has to stay in it. The caller stores the sealed bytes.
///
/// Secrets go in and out under a session salted with that key, and encrypted; the key's name was pinned when the secret
/// was sealed. An attacker who listens on the bus reads no secret; one who answers in the TPM's place later is
/// detected. Loaded objects are flushed at the end of each call.
package struct TPM: Sendable {
  /// The kernel's resource manager, as tpm2-tss names it.
  package static let hardware = "device:/dev/tpmrm0"

  private let tcti: String
  private let libraries: TPMLibraries

  /// - Parameter tcti: which TPM, as a TCTI configuration of tpm2-tss.
  package init(tcti: String = hardware, libraries: TPMLibraries = TPMLibraries()) {
    self.tcti = tcti
    self.libraries = libraries
  }

  /// Seals a secret of up to 128 bytes: the bytes to keep.
  /// - Parameter auth: 32 bytes, the last not zero, without which it will not be unsealed; the TPM counts wrong ones.
  ///   Without it, every process with access to the TPM can unseal the secret.
  package func seal(_ secret: SecretBytes, auth: SecretBytes? = nil) throws(TPMError) -> [UInt8] {
    let connection = try TPMConnection(tcti, libraries: libraries)
    let name = try connection.begin()
    return SealedObject(parent: name, try connection.seal(secret, auth: auth)).encoded
  }

  /// Unseals a secret. Counts as one try when an `auth` is needed.
  package func unseal(_ bytes: [UInt8], auth: SecretBytes? = nil) throws(TPMError) -> SecretBytes {
    guard let object = SealedObject(decoding: bytes) else { throw .damaged }
    let connection = try TPMConnection(tcti, libraries: libraries)
    guard try connection.begin() == object.parent else { throw .another }
    return try connection.unseal(object.sealed, auth: auth)
  }

  /// How it limits tries, and the current count. Needs no key.
  package func lockout() throws(TPMError) -> TPMLockout { try TPMConnection(tcti, libraries: libraries).lockout() }

  /// Checks that secrets can be sealed now; throws the reason otherwise.
  package func check() throws(TPMError) { _ = try TPMConnection(tcti, libraries: libraries).begin() }
}

/// Under which names tpm2-tss's libraries are looked for.
package struct TPMLibraries: Sendable {
  let esys: String
  let tctildr: String

  package init(esys: String = "libtss2-esys.so.0", tctildr: String = "libtss2-tctildr.so.0") {
    self.esys = esys
    self.tctildr = tctildr
  }
}

/// How a TPM limits tries of what it protects (TPM 2.0 Library, part 1, "Dictionary Attack Protection").
package struct TPMLockout: Sendable, Hashable {
  /// Failed tries, of all its users.
  package let failed: Int
  /// At how many failed ones it locks.
  package let tries: Int
  /// After how many seconds one failed try is forgotten.
  package let interval: Int
  package let isLocked: Bool
  /// The lockout has no password: root can reset it.
  package let isClearable: Bool

  package init(failed: Int, tries: Int, interval: Int, isLocked: Bool, isClearable: Bool) {
    self.failed = failed
    self.tries = tries
    self.interval = interval
    self.isLocked = isLocked
    self.isClearable = isClearable
  }
}
