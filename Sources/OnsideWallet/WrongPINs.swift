import Sodium
import Synchronization

/// Remembers the last wrong PIN, so that the same one is not counted twice; in memory only, as a hash under a key that
/// nobody else has.
final class WrongPINs: Sendable {
  private let key: SecretBytes
  private let last = Mutex<SecretBytes?>(nil)

  init(random: RandomBytes) { key = SecretBytes(random: 32, from: random) }

  func isLast(_ pin: PIN, of enrolment: [UInt8]) -> Bool {
    let hash = hash(pin, enrolment)
    return last.withLock { $0?.isEqual(to: hash) ?? false }
  }

  func remember(_ pin: PIN, of enrolment: [UInt8]) {
    let hash = hash(pin, enrolment)
    last.withLock { $0 = hash }
  }

  func forget() { last.withLock { $0 = nil } }

  private func hash(_ pin: PIN, _ enrolment: [UInt8]) -> SecretBytes {
    Hash.hmacSHA512(key: key, [SecretBytes(copying: enrolment), pin.bytes])
  }
}
