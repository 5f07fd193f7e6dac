import PostgresClient
import Synchronization

/// Wakes by NOTIFY and LISTEN, in a session of their own: inside the transaction that writes, NOTIFY would take a lock of
/// all databases until the commit, and switch group commit off. The accounts of some milliseconds share a notification.
/// While the session is there, no other program changes the tables.
final class PostgresWakes: WakeRelay {
  private static let channel = "onside_wakes"

  private let board: WakeBoard
  private let listener: PostgresListener

  init(_ address: PostgresAddress) {
    board = WakeBoard()
    listener = PostgresListener(address, channel: Self.channel, opening: PostgresSQLConnection.use, client: board)
  }

  func tell(account: String) {
    if board.add(account) { listener.run() }
  }

  func listen(_ observer: @escaping @Sendable (RelayedWake) -> Void) {
    board.observe(observer)
    listener.run()
  }

  func shutDown() { listener.shutDown() }

  func close() async { await listener.close() }
}

/// What waits to be told, and who hears what is told.
final class WakeBoard: PostgresChannelClient {
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

  func listens() { state.withLock(\.observer)?(.all) }

  func heard(_ payload: String) {
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
