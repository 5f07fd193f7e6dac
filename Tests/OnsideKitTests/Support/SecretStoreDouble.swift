import Synchronization

@testable import OnsideKit

/// A place for secrets that outlives folders and processes, with faults on demand.
final class SecretStoreDouble: SecretStore {
  struct State {
    var secrets: [SecretOwner: [String: [UInt8]]] = [:]
    /// Why it does nothing.
    var fault: String?
    /// How often the user was asked to unlock it.
    var asked = 0
    var isLocked = false
    /// How often a secret was asked for.
    var reads = 0
    /// `check()` waits until this stream ends.
    var gate: AsyncStream<Void>?
  }
  let state = Mutex(State())
  let name = "Secret Service"

  func set(fault: String?) { state.withLock { $0.fault = fault } }

  private func change<Result>(_ body: (inout State) throws(SecretStoreFailure) -> Result) throws(SecretStoreFailure)
    -> Result
  {
    try state.withLock { state throws(SecretStoreFailure) in
      if let fault = state.fault { throw SecretStoreFailure(fault) }
      return try body(&state)
    }
  }

  func check() async throws(SecretStoreFailure) {
    if let gate = state.withLock({ $0.gate }) { for await _ in gate {} }
    try change { state throws(SecretStoreFailure) in if state.isLocked { throw SecretStoreFailure("it is locked") } }
  }

  func installations(of owner: SecretOwner) async throws(SecretStoreFailure) -> Set<String> {
    try change { Set($0.secrets[owner, default: [:]].keys) }
  }

  func secret(
    of installation: String, _ owner: SecretOwner, mayAsk: Bool
  ) async throws(SecretStoreFailure) -> [UInt8]? {
    try change { state throws(SecretStoreFailure) in
      state.reads += 1
      if state.isLocked {
        if mayAsk { state.asked += 1 }
        throw SecretStoreFailure("it is locked")
      }
      return state.secrets[owner]?[installation]
    }
  }

  func keep(_ secret: [UInt8], of installation: String, owner: SecretOwner) async throws(SecretStoreFailure) {
    try change { $0.secrets[owner, default: [:]][installation] = secret }
  }

  func remove(_ installation: String, of owner: SecretOwner) async throws(SecretStoreFailure) {
    try change { $0.secrets[owner]?[installation] = nil }
  }
}
