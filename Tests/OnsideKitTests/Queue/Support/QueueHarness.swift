import DeterministicRandom
import Foundation
import OnsideAPI
import OnsideCommerce
import Synchronization
import TestSupport
import Testing

@testable import OnsideKit

/// An account whose login is scripted.
@MainActor
final class FakeAccount: AccountGate {
  private(set) var signedIn: SignedIn?
  private(set) var storefront: OnsideStorefront?
  var provisionalCountry: CountryCode?
  var onChange: (@MainActor (AccountChange) -> Void)?
  var beforeRevoking: (@MainActor (AccountID) async -> Void)?
  /// Who a login signs in; `nil` is a user who closes the screen.
  var nextLogin: SignedIn?
  private(set) var logins = 0
  private let store: FakeStore

  init(store: FakeStore) { self.store = store }

  /// The same account in another process.
  convenience init(copying other: FakeAccount, _ store: FakeStore) {
    self.init(store: store)
    signedIn = other.signedIn
    storefront = other.storefront
  }

  func signIn(_ next: SignedIn) async {
    await store.signIn(next.accountID)
    let old = signedIn
    signedIn = next
    storefront = OnsideStorefront(id: "account-\(next.country)", countryCode: next.country.alpha2)
    if old != next { onChange?(.signedIn(next)) }
  }

  func signOut() {
    guard let old = signedIn else { return }
    signedIn = nil
    storefront = nil
    onChange?(.signedOut(old))
  }

  func ensureSignedIn() async -> Result<SignInEffort, LoginFailure> {
    if signedIn != nil { return .success(.alreadySignedIn) }
    logins += 1
    guard let nextLogin else { return .failure(.loginDiscarded) }
    await signIn(nextLogin)
    return .success(.loggedIn)
  }

  func regionLearned(_ country: CountryCode, for account: SignedIn) {
    guard var current = signedIn, current.accountID == account.accountID, current.country != country else { return }
    current.country = country
    signedIn = current
    storefront = OnsideStorefront(id: "account-\(country)", countryCode: country.alpha2)
    onChange?(.storefrontChanged(current))
  }

  func sessionEnded() { signOut() }
}

/// A clock whose pauses end at once, unless it is stopped.
final class TestClock: Sendable {
  private struct State {
    var now = FakeRules.date
    var slept: [Double] = []
    var isStopped = false
  }
  private let state = Mutex(State())

  var now: Date { state.withLock { $0.now } }
  var slept: [Double] { state.withLock { $0.slept } }
  /// Pauses that begin from now on never end by themselves.
  func stop() { state.withLock { $0.isStopped = true } }

  func sleep(_ seconds: Double) async throws {
    let isStopped = state.withLock { state in
      state.slept.append(seconds)
      if !state.isStopped { state.now += seconds }
      return state.isStopped
    }
    if isStopped {
      let (never, continuation) = AsyncStream.makeStream(of: Void.self)
      for await _ in never {}
      continuation.finish()
      throw CancellationError()
    }
    await Task.yield()
    try Task.checkCancellation()
  }
}

/// A presenter that shows nothing: the fake store's user acts by its own script.
struct NoScreens: ScreenPresenter {
  func present(
    _ screen: OnsideScreen, page: @Sendable (URL) async throws -> URL
  ) async throws -> ScreenOutcome { .dismissed }
}

/// A payment queue on a folder of its own, with a store, an account and an observer; it can be started anew.
@MainActor
final class QueueHarness {
  let folder: URL
  let store = FakeStore()
  let clock = TestClock()
  let account: FakeAccount
  private(set) var queue: PaymentQueue
  private(set) var watcher = Watcher()
  let logs = LogRecorder()

  nonisolated static let alice = SignedIn(accountID: AccountID(uuid(1)), country: .netherlands)
  nonisolated static let bob = SignedIn(accountID: AccountID(uuid(2)), country: .netherlands)

  nonisolated static func uuid(_ number: UInt8) -> UUID {
    UUID(uuid: (number, 0, 0, 0, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, number))
  }

  /// - Parameters:
  ///   - signedIn: who is signed in from the start.
  ///   - observed: whether an observer is there from the start.
  ///   - runsShop: whether the README's observer runs inside the watcher's callbacks.
  init(signedIn: SignedIn? = QueueHarness.alice, observed: Bool = true, runsShop: Bool = false) async throws {
    folder = ProcessFolder.url.appending(path: "queue-\(UUID().uuidString)")
    account = FakeAccount(store: store)
    await store.change {
      $0.move(QueueHarness.alice.accountID, to: .netherlands)
      $0.move(QueueHarness.bob.accountID, to: .netherlands)
    }
    if let signedIn { await account.signIn(signedIn) }
    queue = Self.queue(folder, store: store, account: account, clock: clock, logs: logs)
    if runsShop {
      watcher.shop = try ReadmeSample.Shop(file: ProcessFolder.url.appending(path: "shop-\(UUID().uuidString).json"))
    }
    if observed { queue.add(observer: watcher) }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  var country: CountryCode { account.signedIn?.country ?? .netherlands }

  func payment(_ product: String, token: String? = nil, in country: CountryCode = .netherlands) throws -> OnsidePayment
  {
    var payment = OnsidePayment(product: OnsideProduct(try #require(RuleProducts.product(product, in: country))))
    payment.appAccountToken = token
    return payment
  }

  /// Adds a payment whose completion the watcher hears.
  func add(_ product: String, token: String? = nil) throws {
    queue.add(try payment(product, token: token)) { [watcher] result in
      watcher.hear(.completed("\(product): \(result.name)"))
    }
  }

  func restore() {
    queue.restoreCompletedTransactions { [watcher] result in watcher.hear(.completed("restore: \(result.name)")) }
  }

  /// Buys and pays.
  func buy(_ product: String) async throws -> OnsidePaymentTransaction {
    let before = Set(watcher.updates.map(\.id))
    try add(product)
    await watcher.until { $0.updates.contains { !before.contains($0.id) && $0.transactionState == .purchased } }
    return try #require(watcher.updates.first { !before.contains($0.id) && $0.transactionState == .purchased })
  }

  /// Finishes, and returns when the store knows.
  func finish(_ transaction: OnsidePaymentTransaction) async {
    queue.finishTransaction(transaction)
    await store.until { rules, _ in rules.orders[transaction.id]?.finished == true }
  }

  /// Ends the queue as a kill would and starts another one on the same folder.
  func restart(observed: Bool = true) async {
    await queue.close()
    watcher = Watcher()
    queue = Self.queue(folder, store: store, account: account, clock: clock, logs: logs)
    if observed { queue.add(observer: watcher) }
  }

  /// What a second process has on the same folder.
  func anotherQueue() -> PaymentQueue {
    Self.queue(folder, store: store, account: FakeAccount(copying: account, store), clock: clock, logs: logs)
  }

  /// The folder of the transaction files.
  var transactions: URL { folder.appendingPathComponent("transactions") }

  /// The names of the transaction files.
  var files: [String] {
    let names = try? FileManager.default.contentsOfDirectory(atPath: transactions.path)
    // One that is being written has another file beside it for a moment.
    return (names ?? []).filter { !$0.hasSuffix(DurableFolder.temporarySuffix) }.sorted()
  }

  private static func queue(
    _ folder: URL, store: FakeStore, account: FakeAccount, clock: TestClock, logs: LogRecorder
  ) -> PaymentQueue {
    let dependencies = Dependencies(
      now: { clock.now }, sleep: { try await clock.sleep($0) }, randomBytes: { SeededBytes.ids.next($0) },
      storageFolder: folder, screens: NoScreens(), languages: { ["en"] }, systemRegion: { "NL" }, logger: logs.logger)
    return PaymentQueue(store: store, account: account, dependencies: dependencies)
  }
}

extension Result where Success == Void {
  var name: String {
    switch self {
    case .success: "success"
    case .failure(let error): "\(error)"
    }
  }
}
