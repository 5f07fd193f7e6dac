package import CoreMetrics
import OnsideAPI
import StoreBase
import StoreWeb

/// Counts tries of PINs: those that were counted and answered, and those that were refused, by the refusal's code.
package struct VaultMetrics: Sendable {
  private static let answered = "answered"

  private let tries: CountersByLabel

  package init(_ factory: any MetricsFactory) {
    let refusals: [ProblemCode] = [
      .notFound, .invalidSignature, .vaultClock, .vaultReplayed, .vaultWait, .vaultDestroyed, .vaultReplaced,
      .vaultNotCurrent, .vaultElementInvalid,
    ]
    tries = CountersByLabel(
      "onside_vault_tries_total", by: "outcome", [Self.answered, "storage"] + refusals.map(\.rawValue), factory)
  }

  func tryAnswered() { tries.increment(Self.answered) }

  func tryRefused(_ error: any Error) {
    switch error {
    case let error as VaultError: tries.increment(error.code.rawValue)
    case is StorageError: tries.increment("storage")
    default: tries.incrementOther()
    }
  }
}
