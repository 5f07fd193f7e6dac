import Sodium
import Synchronization

/// Remembers the last wrong PIN, so that the same one is not counted twice; in memory only, as a hash under a random
/// key of this object.
final class WrongPINs: Sendable {
  /// How many more wrong PINs there may be, and seconds until the next try.
  typealias Tries = (remaining: Int, secondsToWait: Int)

  private struct Wrong {
    let hash: SecretBytes
    let tries: Tries?
  }

  private let key: SecretBytes
  private let last = Mutex<Wrong?>(nil)

  init(random: RandomBytes) { key = SecretBytes(random: 32, from: random) }

  /// What the vault or chip that counts reported after the last wrong PIN.
  var tries: Tries? { last.withLock { $0?.tries } }

  func isLast(_ pin: PIN, of enrolment: [UInt8]) -> Bool {
    let hash = hash(pin, enrolment: enrolment)
    return last.withLock { $0?.hash.isEqual(to: hash) ?? false }
  }

  func remember(_ pin: PIN, of enrolment: [UInt8], tries: Tries?) {
    let wrong = Wrong(hash: hash(pin, enrolment: enrolment), tries: tries)
    last.withLock { $0 = wrong }
  }

  func forget() { last.withLock { $0 = nil } }

  private func hash(_ pin: PIN, enrolment: [UInt8]) -> SecretBytes {
    Hash.hmacSHA512(key: key, [SecretBytes(copying: enrolment), pin.bytes])
  }
}
