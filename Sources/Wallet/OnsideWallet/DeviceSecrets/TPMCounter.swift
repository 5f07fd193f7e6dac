import Sodium
import TPM

/// A TPM that counts one enrolment's wrong PINs. What it sealed lies in a file.
struct TPMCounter: PINCounter {
  let tpm: TPM
  let file: DurableFile

  var lockout: Lockout {
    get throws {
      let found = try WalletError.ofTPM { () throws(TPMError) in try tpm.lockout() }
      return Lockout(
        tries: found.tries, failed: found.failed, interval: found.interval, isLocked: found.isLocked,
        isClearable: found.isClearable)
    }
  }

  func store(_ secret: UnsafeRawBufferPointer, for proof: UnsafeRawBufferPointer) throws {
    let (secret, proof) = (SecretBytes(copying: secret), SecretBytes(copying: proof))
    try file.write(WalletError.ofTPM { () throws(TPMError) in try tpm.seal(secret, auth: proof) })
  }

  func withSecret<Result>(
    for proof: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws -> Result
  ) throws -> Result? {
    guard let bytes = try file.read()?.withBytes(Array.init) else { throw WalletError.deviceSecretMissing }
    let secret: SecretBytes
    do throws(TPMError) {
      secret = try tpm.unseal(bytes, auth: SecretBytes(copying: proof))
    } catch .wrongAuth {
      return nil
    } catch .locked {
      throw WalletError.wait(try lockout.interval)
    } catch {
      throw WalletError(error)
    }
    return try secret.withBytes(body)
  }
}

extension WalletError {
  /// A TPM's error as a wallet's.
  static func ofTPM<Value>(_ body: () throws(TPMError) -> Value) throws(WalletError) -> Value {
    do throws(TPMError) { return try body() } catch { throw WalletError(error) }
  }

  init(_ error: TPMError) {
    self =
      switch error {
      case .another: .otherDevice
      case .damaged, .wrongAuth: .damaged("a sealed secret that was changed")
      default: .deviceSecretUnreachable("the TPM", "\(error)")
      }
  }
}
