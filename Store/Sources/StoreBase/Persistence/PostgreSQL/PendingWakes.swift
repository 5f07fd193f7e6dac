import PostgresClient
import Synchronization

/// The accounts that wait for the next notification, and the observer of what other processes notify.
final class PendingWakes: PostgresChannelClient {
  /// PostgreSQL's limit of a notification, in bytes.
  private static let limit = 7999
  /// A notification that is for all: there are too many accounts, or one has the separator in its name.
  private static let all = "*"
  private static let separator: Character = ","

  private struct State {
    var waiting: Set<String> = []
    var length = 0
    var observer: (@Sendable (RelayedWake) -> Void)?
  }

  private let state = Mutex(State())

  /// Notes an account; false when one waited already.
  func add(_ account: String) -> Bool {
    state.withLock { state in
      let wasEmpty = state.waiting.isEmpty
      // What is too long becomes "all": no more names are needed.
      if state.length <= Self.limit, state.waiting.insert(account).inserted { state.length += account.utf8.count + 1 }
      return wasEmpty
    }
  }

  func observe(_ observer: @escaping @Sendable (RelayedWake) -> Void) { state.withLock { $0.observer = observer } }

  func didListen() { state.withLock(\.observer)?(.all) }

  func didReceive(_ payload: String) {
    let accounts = payload.split(separator: Self.separator).map(String.init)
    state.withLock(\.observer)?(payload == Self.all ? .all : .accounts(accounts))
  }

  func nextPayload() -> String? {
    let (accounts, length) = state.withLock { state in
      defer { (state.waiting, state.length) = ([], 0) }
      return (state.waiting, state.length)
    }
    guard !accounts.isEmpty else { return nil }
    guard length <= Self.limit, !accounts.contains(where: { $0.contains(Self.separator) }) else { return Self.all }
    return accounts.sorted().joined(separator: String(Self.separator))
  }
}
