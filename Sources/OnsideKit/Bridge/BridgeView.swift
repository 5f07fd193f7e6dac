import Foundation
import Logging
import Synchronization

/// One web view or browser tab, with one page after the other. May be used from any thread.
public final class BridgeView: Sendable {
  /// The arrivals that are carried out in one turn of the main actor.
  private static let turn = 50
  /// A message with more bytes is decoded on another thread: some megabytes from a hostile page take many seconds.
  private static let sizeDecodedAtOnce = 1 << 17
  /// That thread, one for all views: on many, each would keep some of the memory that it once needed.
  private static let decodingQueue = DispatchQueue(label: "onside.bridge.decoding")

  /// Unique in its bridge.
  let id: Int
  private let bridge: OnsideBridge
  private let limits: BridgeLimits
  private let storefront: StorefrontSnapshot
  private let transactions: TransactionJSONCache
  private let logger: Logger
  private let newPageID: @Sendable () -> String
  /// The products as the pages of this view have loaded them, each with its region (GAT-1).
  let loaded = Mutex<[String: OnsideProduct]>([:])
  private let machine: Mutex<ViewMachine>
  /// The size of the messages that wait to be decoded, in bytes. A message behind them waits as well.
  private let undecoded = Atomic(0)

  nonisolated init(
    id: Int, bridge: OnsideBridge, limits: BridgeLimits, storefront: StorefrontSnapshot,
    transactions: TransactionJSONCache, logger: Logger, newPageID: @escaping @Sendable () -> String
  ) {
    self.id = id
    self.bridge = bridge
    self.limits = limits
    self.storefront = storefront
    self.transactions = transactions
    self.logger = logger
    self.newPageID = newPageID
    machine = Mutex(ViewMachine(limits: limits))
  }

  /// Begins a new document. The former page of this view ends: its promises are gone with it. Events that it was not
  /// yet sent, and gates that it has not answered, go to the new page as soon as that is ready.
  /// - Parameter send: gives a message to the page. Called from any thread, one message after the other, and every one
  ///   of them has to reach the page, in order, unless the page ends.
  public func beginPage(send: @escaping @Sendable (_ message: String) -> Void) -> BridgePage {
    let id = newPageID()
    change { $0.begin(page: id, send: send) }
    pagesChanged()
    return BridgePage(view: self, id: id)
  }

  /// Ends the view: calls that are open settle with `bridgeDetached`, as far as the page still hears; later ones do so
  /// at once.
  public func close() {
    bridge.views.remove(self)
    bridge.views.keep(change { $0.close() })
    pagesChanged()
  }

  /// Logs that the pages of a view that was configured without origins get no `window.onside`, and why (JSB-13).
  ///
  /// - Parameters:
  ///   - address: the address that the view came to. The log has its origin or scheme alone.
  ///   - expected: the origin that the app itself loaded; nil if that address has none.
  package func warnOfFirstPage(at address: String, expected: WebOrigin?) {
    let scheme = address.prefix { $0 != ":" }
    let came = WebOrigin(address)?.description ?? "an address with the scheme \(scheme), which has no origin"
    logger.warning(
      """
      window.onside is missing in this web view: expected a first page of \(expected?.description ?? "a web origin"), \
      got \(came); name the origins with configureOnsideForWebView(_:allowedOrigins:)
      """)
  }

  // MARK: For the page

  func receive(_ text: String, from page: String) -> String {
    let size = text.utf8.count
    guard size <= limits.messageBytes else { return refuse(messageOfSize: size, from: page) }
    let waiting = undecoded.load(ordering: .acquiring)
    guard waiting == 0, size <= Self.sizeDecodedAtOnce else {
      guard waiting + size <= 2 * limits.messageBytes else {
        return encode(MessageToPage(page: page, error: .tooMuchWaits))
      }
      receiveLate(text, from: page)
      return encode(MessageToPage(page: page))
    }
    do {
      let message = try MessageFromPage(text)
      return encode(change { $0.receive(message, from: page, known: known) })
    } catch {
      return encode(MessageToPage(page: page, error: error))
    }
  }

  private func receiveLate(_ text: String, from page: String) {
    let size = text.utf8.count
    undecoded.add(size, ordering: .acquiringAndReleasing)
    Self.decodingQueue.async { [self] in
      do {
        let message = try MessageFromPage(text)
        change { $0.receiveLate(message, from: page, known: known) }
      } catch {
        // Not a message of `page.js`, which writes no others: no promise waits for it.
        logger.warning("A page's message was refused: \(error)")
      }
      undecoded.subtract(size, ordering: .acquiringAndReleasing)
    }
  }

  /// The result of a request, if it is known without the app.
  private func known(_ request: BridgeRequest) -> JSONText? {
    switch request {
    case .getCurrentStorefront: storefront.json
    case .getTransactions: transactions.list
    default: nil
    }
  }

  func refuse(messageOfSize size: Int, from page: String) -> String {
    encode(MessageToPage(page: page, error: .tooLarge(size, limits: limits)))
  }

  func end(_ page: String) {
    if change({ $0.end(page: page) }) { pagesChanged() }
  }

  // MARK: For the bridge

  var hasPage: Bool { machine.withLock { $0.hasPage } }
  /// Whether there is a page that listens to gates.
  var isReady: Bool { machine.withLock { $0.isReady } }

  func settle(_ call: Int, of page: String, with outcome: BridgeOutcome) {
    change { $0.settle(call, of: page, with: outcome) }
  }
  func tell(_ event: BridgeEvent) { change { $0.tell(event) } }
  func ask(_ gate: BridgeGate) { change { $0.ask(gate) } }
  func withdraw(_ gate: Int) { change { $0.withdraw(gate) } }
  func beat() { change { $0.beat() } }
  func start(
    _ page: String, with unfinished: [OnsidePaymentTransaction], undelivered: [OnsidePaymentTransaction]
  ) {
    change { $0.start(page: page, with: unfinished, undelivered: undelivered) }
  }

  // MARK: Carrying out

  private func change<Value: Sendable>(_ body: (inout ViewMachine) -> Value) -> Value {
    let (value, mustTake, mustSend) = machine.withLock { machine in
      let value = body(&machine)
      return (value, machine.mustTake(), machine.mustSend())
    }
    if mustTake { Task { @MainActor in await take() } }
    if mustSend { Task { await send() } }
    return value
  }

  /// Gives arrivals to the bridge, a few in each turn.
  @MainActor
  private func take() async {
    while true {
      let arrivals = machine.withLock { $0.take() }
      guard !arrivals.isEmpty else { return }
      for (index, arrival) in arrivals.enumerated() {
        carryOut(arrival)
        if (index + 1).isMultiple(of: Self.turn) { await Task.yield() }
      }
    }
  }

  @MainActor
  private func carryOut(_ arrival: ViewMachine.Arrival) {
    switch arrival {
    case .call(let page, let id, let request):
      bridge.perform(BridgeCall(view: self, page: page, id: id), with: request)
    case .answer(let answer): bridge.gates.answer(answer, from: self)
    case .delivered(let ids): bridge.revocationsDelivered(ids)
    case .ready(let page):
      bridge.start(page, of: self)
      bridge.gates.pagesChanged(in: self)
    case .alive: bridge.gates.heard(from: self)
    }
  }

  /// Writes and sends what there is to say, off the main actor. There is one at a time, so messages keep their order.
  private func send() async {
    while let (send, message) = machine.withLock({ $0.next() }) {
      send(encode(message))
    }
  }

  /// The message as JSON. When one of its events or gates cannot be written, it goes without them: that is logged, and
  /// the answer to the gates is no.
  private func encode(_ message: MessageToPage) -> String {
    do { return try message.text(encodingTransactionsWith: transactions.json(for:)) } catch {
      logger.error(
        """
        \(message.events.count) events and \(message.gates.count) gates cannot be written as JSON and do not reach \
        their page; report it as a fault in OnsideKit: \(error)
        """)
    }
    Task { @MainActor in
      for gate in message.gates { bridge.gates.answer(PageAnswer(gate: gate.id, value: false), from: self) }
    }
    return (try? message.withoutEventsAndGates.text(encodingTransactionsWith: transactions.json(for:))) ?? ""
  }

  private func pagesChanged() {
    Task { @MainActor in bridge.gates.pagesChanged(in: self) }
  }
}

/// One document in a view.
public final class BridgePage: Sendable {
  private let view: BridgeView
  private let id: String

  init(view: BridgeView, id: String) {
    self.view = view
    self.id = id
  }

  /// Takes a message from the page and returns the reply. It never blocks: what takes longer is sent later. Call it
  /// where the message arrives, in the order of arrival.
  public func receive(_ message: String) -> String { view.receive(message, from: id) }

  /// The reply to a message with more bytes than ``BridgeLimits/messageBytes``, which the host did not keep. It is the
  /// one that ``receive(_:)`` gives to such a message.
  public func refuse(messageOfSize size: Int) -> String { view.refuse(messageOfSize: size, from: id) }

  /// The document is gone: it was left, or its process has died. What is sent to it is dropped.
  public func end() { view.end(id) }
}

/// A call of a page that waits for its outcome. It settles once; a page that is gone does not hear of it.
struct BridgeCall: Sendable {
  let view: BridgeView
  let page: String
  let id: Int

  func settle(_ outcome: BridgeOutcome) { view.settle(id, of: page, with: outcome) }
}
