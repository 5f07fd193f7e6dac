import CTPM
import Sodium

/// One exchange with a TPM. What it has in there is flushed when it goes.
struct TPMConnection: ~Copyable {
  private let tpm: OpaquePointer
  private let tcti: String

  init(_ tcti: String, libraries: TPMLibraries) throws(TPMError) {
    var opened: OpaquePointer?
    let code = ctpm_open(libraries.esys, libraries.tctildr, tcti, &opened)
    guard code == 0, let opened else { throw TPMError(code: code, tcti) }
    (tpm, self.tcti) = (opened, tcti)
  }

  deinit { ctpm_close(tpm) }

  /// Makes the storage key, and the session; the key's name.
  func begin() throws(TPMError) -> [UInt8] {
    var name = [UInt8](repeating: 0, count: CTPM_NAME)
    let code = ctpm_begin(tpm, &name)
    // TPM_RC_BAD_AUTH, of the first session.
    guard code != 0x9a2 else { throw .unavailable("the TPM's owner hierarchy has a password") }
    do throws(TPMError) { try check(code) } catch .damaged { throw .refused(code) }
    return name
  }

  func seal(_ secret: SecretBytes, auth: SecretBytes?) throws(TPMError) -> ctpm_sealed {
    var sealed = ctpm_sealed()
    let code = secret.withBytes { secret in
      withBytes(of: auth) { ctpm_seal(tpm, start(secret), secret.count, start($0), $0.count, &sealed) }
    }
    try check(code)
    return sealed
  }

  func unseal(_ object: ctpm_sealed, auth: SecretBytes?) throws(TPMError) -> SecretBytes {
    var (count, code) = (CTPM_SECRET_MAX, UInt32(0))
    let room = SecretBytes(count: count) { target in
      let secret = target.baseAddress?.assumingMemoryBound(to: UInt8.self)
      code = withUnsafePointer(to: object) { object in
        withBytes(of: auth) { ctpm_unseal(tpm, object, start($0), $0.count, secret, &count) }
      }
    }
    try check(code)
    return room.slice(0..<count)
  }

  func lockout() throws(TPMError) -> TPMLockout {
    // TPM2_PT_PERMANENT.
    let permanent = try properties(from: 0x200, count: 1)
    // TPM2_PT_LOCKOUT_COUNTER, TPM2_PT_MAX_AUTH_FAIL, TPM2_PT_LOCKOUT_INTERVAL.
    let values = try properties(from: 0x20e, count: 3)
    return TPMLockout(
      failed: Int(values[0]), tries: Int(values[1]), interval: Int(values[2]), isLocked: permanent[0] & 1 << 9 != 0,
      isClearable: permanent[0] & 1 << 2 == 0)
  }

  private func properties(from first: UInt32, count: Int) throws(TPMError) -> [UInt32] {
    var values = [UInt32](repeating: 0, count: count)
    try check(ctpm_properties(tpm, first, &values, count))
    return values
  }

  private func check(_ code: UInt32) throws(TPMError) {
    if code != 0 { throw TPMError(code: code, tcti) }
  }

  private func start(_ bytes: UnsafeRawBufferPointer) -> UnsafePointer<UInt8>? {
    bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
  }

  private func withBytes(of auth: SecretBytes?, _ body: (UnsafeRawBufferPointer) -> UInt32) -> UInt32 {
    auth.map { $0.withBytes(body) } ?? body(UnsafeRawBufferPointer(start: nil, count: 0))
  }
}
