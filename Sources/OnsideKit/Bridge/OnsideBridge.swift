import Foundation
import Logging
import OnsideAPI

/// Published namespace of the web bridge; hosts extend it with `configureOnsideForWebView`.
@preconcurrency @MainActor
public enum OnsideJS {}

/// Connects web pages with an ``OnsideClient``: it is the client's delegate, its queue's delegate and an observer, so
/// native code sets none of its own (contract, section 3). Keep it as long as there are pages.
@MainActor
public final class OnsideBridge {
  let client: OnsideClient
  let gates: BridgeGates
  /// The limits of a page's calls and events.
  public nonisolated let limits: BridgeLimits
  /// The products that pages may buy: those loaded in this process (JSB-4).
  var products: [String: OnsideProduct] = [:]
  var forcesLocalMethods = false
  var countryHint: String?
  /// The view of the page that has called `purchase`, by payment.
  var acting = ActingViews()
  /// The unfinished transactions that the queue has delivered to the bridge. It delivers the others soon.
  var told: Set<UUID> = []
  /// The revocations that no page has reported as delivered. The queue has them on disk until one does.
  private var undelivered: [OnsidePaymentTransaction] = []
  nonisolated let storefront = StorefrontSnapshot()
  nonisolated let transactions = TransactionJSONCache()
  private var isEncodingAhead = false
  /// Notifies pages of changed entitlements, after the first `getEntitlements()`.
  private var entitlements: Task<Void, Never>?
  nonisolated let views: ViewList
  private nonisolated let logger: Logger
  private nonisolated let randomBytes: @Sendable (Int) -> [UInt8]

  /// Connects a client with future pages. Transactions are processed from now on; events wait for a page.
  public init(client: OnsideClient, limits: BridgeLimits = BridgeLimits()) {
    self.client = client
    self.limits = limits
    views = ViewList(limits: limits)
    logger = client.dependencies.logger
    randomBytes = client.dependencies.randomBytes
    gates = BridgeGates(views: views, deadline: limits.gateDeadline, sleep: client.dependencies.sleep)
    client.delegate = self
    client.queue.delegate = self
    refresh()
    client.queue.onChange = { [weak self] in self?.transactionsChanged() }
    client.queue.add(observer: self)
  }

  private static var processBridge: OnsideBridge?

  /// The bridge of the process's ``Onside``, which must be initialized.
  public static func shared() -> OnsideBridge {
    let client = Onside.client(for: "client of OnsideBridge.shared()")
    if let processBridge, processBridge.client === client { return processBridge }
    let bridge = OnsideBridge(client: client)
    processBridge = bridge
    return bridge
  }

  /// Makes a view: one for each web view or browser tab. It stays while pages come and go in it.
  public nonisolated func makeView() -> BridgeView {
    views.add { id in
      BridgeView(
        id: id, bridge: self, limits: limits, storefront: storefront, transactions: transactions, logger: logger,
        newPageID: { [randomBytes] in Hexadecimal.encode(randomBytes(12)) })
    }
  }

  /// Sends a page that is ready every unfinished transaction, as the queue does for an observer (QUE-3, JSB-11), and
  /// every undelivered revocation (JSB-15). Transactions that the queue is still delivering, a few in each turn, reach
  /// the page as events.
  func start(_ page: String, of view: BridgeView) {
    let queue = client.queue
    // The queue repeats the revocations of an account that has logged out at its next login.
    view.start(
      page, with: queue.transactions.filter { told.contains($0.id) },
      undelivered: undelivered.filter { queue.machine.book[$0.id] != nil })
  }

  /// Sends revocations to the open pages that have a handler; later pages get them until one reports them as delivered.
  func revoke(_ transactions: [OnsidePaymentTransaction]) {
    // The queue repeats those of an account that has logged out and in again.
    let known = Set(undelivered.map(\.id))
    undelivered += transactions.filter { !known.contains($0.id) }
    views.tell(.revoked(transactions))
  }

  /// Records revocations as delivered: the handler of a page has returned.
  func revocationsDelivered(_ ids: [UUID]) {
    let delivered = Set(ids).intersection(undelivered.map(\.id))
    undelivered.removeAll { delivered.contains($0.id) }
    client.queue.revocationsDelivered(Array(delivered))
  }

  private func transactionsChanged() {
    transactions.invalidate()
    guard !isEncodingAhead else { return }
    isEncodingAhead = true
    Task(priority: .background) { [weak self] in await self?.encodeAhead() }
  }

  /// Encodes the transactions at background priority, because a page calls `getTransactions()` when it has loaded.
  private func encodeAhead() async {
    var isEncoded = true
    while isEncoded, transactions.list == nil {
      let encode = transactions.encoding(client.queue.transactions)
      isEncoded = await Task.detached(priority: .background) { (try? encode()) != nil }.value
    }
    isEncodingAhead = false
  }

  /// Begins to notify pages of entitlements and their changes.
  func followEntitlements() {
    guard entitlements == nil else { return }
    entitlements = Task { [views, updates = client.entitlementUpdates] in
      for await changed in updates { views.tell(.entitlementsChanged(changed)) }
    }
  }

  deinit { entitlements?.cancel() }

  /// Takes the storefront into the snapshot that reads are answered from.
  func refresh() { storefront.set(client.queue.storefront) }
}
