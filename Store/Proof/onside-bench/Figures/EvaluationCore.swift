import Foundation
import OnsideAPI
import OnsideVault

/// Measures the vault's own work for a try, on one thread and without HTTP, JSON and SQL, beside the same calls of
/// libsodium in C.
struct EvaluationCore {
  /// Tries per second of a thread's processor time, by round.
  struct Result {
    /// The rules count the try; the element is evaluated and proved.
    var evaluation = Pairs()
    /// Before that, the device's signature is checked and its request accepted.
    var signed = Pairs()
  }

  private static let count = 1_000

  func measure(rounds: Int, _ place: Workplace) async throws -> Result {
    let requests = VaultRequests()
    var result = Result()
    for round in 0...rounds {
      let (evaluation, signed) = try ours(requests)
      let peer = try await VaultPeer.core(Self.count, in: place)
      guard round > 0 else { continue }
      result.evaluation.add(ours: evaluation, peer: peer.evaluation)
      result.signed.add(ours: signed, peer: peer.signed)
    }
    return result
  }

  // Inlined into an async function, this crashes the compiler (Swift 6.3.1, while it splits the coroutine).
  @inline(never)
  private func ours(_ requests: VaultRequests) throws -> (evaluation: Double, signed: Double) {
    let tries = try (0..<Self.count).map { _ in
      let record = try requests.record(Platform.now())
      return (record, try requests.signed(record.enrolment, input: 0))
    }
    return (try rate(of: tries, isSigned: false), try rate(of: tries, isSigned: true))
  }

  private func rate(of tries: [(VaultRecord, VaultRequests.Signed)], isSigned: Bool) throws -> Double {
    let (now, start) = (Platform.now(), Platform.threadSeconds())
    for (record, signed) in tries {
      var record = record
      if isSigned { try admit(signed, to: &record, at: now) }
      guard case .evaluate(let key) = try record.handle(.evaluate, at: now) else {
        throw BenchFailure("a try was not let in")
      }
      _ = try key.evaluate(signed.input.element, publicKey: record.publicKey)
    }
    return Double(tries.count) / (Platform.threadSeconds() - start)
  }

  private func admit(_ signed: VaultRequests.Signed, to record: inout VaultRecord, at now: Date) throws {
    guard let signature = VaultSignature(header: signed.header, of: signed.request) else {
      throw BenchFailure("a signature is not right")
    }
    try record.admit(signature, clock: now)
  }
}
