import Foundation

/// The state machine of one view: the open calls of its page, and the messages that are still to be sent. It is pure:
/// effects are returned as values.
///
/// A view has at most one page. Calls and answers of a page end with it; events and gates belong to the view, and wait
/// for the next page. An event waits until the page is ready and has a handler for it. A page with a handler for
/// transactions first gets all unfinished ones (``start(page:with:)``), once.
struct ViewMachine: Sendable {
  typealias Send = @Sendable (String) -> Void

  /// An input for the app, in the order in which the page sent it.
  enum Arrival: Sendable {
    case call(page: String, id: Int, request: PageRequest)
    case answer(PageAnswer)
    /// The page has handled the revocations of these transactions.
    case delivered([UUID])
    /// The page is ready, or is ready and has another handler: held events may be sent to it.
    case ready(page: String)
    /// The page has answered a heartbeat.
    case alive
  }

  private enum Outgoing: Sendable {
    case event(BridgeEvent)
    case gate(BridgeGate)
    case withdrawal(Int)
    case heartbeat
    case result(BridgeResult)
  }

  private struct Page: Sendable {
    let id: String
    let send: Send
    var isReady = false
    /// The names of the callbacks for which it has a handler.
    var handlers: Set<String> = []
    /// A Boolean value that indicates whether the app knows that it is ready: then it is asked gates.
    var isStarted = false
    /// The names of the callbacks whose events are sent to it at once: none of theirs is held.
    var listening: Set<String> = []
    /// A Boolean value that indicates whether it has got the unfinished transactions.
    var hasTransactions = false
    /// The ids of the revoked transactions that it was sent.
    var revoked: Set<UUID> = []
    var openCalls: Set<Int> = []
    var lastNumber = 0
  }

  /// The maximum number of results in one message.
  private static let batch = 1000

  private let limits: BridgeLimits
  private var page: Page?
  private var held: HeldEvents
  private var gates: [BridgeGate] = []
  private var outgoing: [Outgoing] = []
  private var arrivals: [Arrival] = []
  private var isTaken = false
  private var isSending = false
  private(set) var isClosed = false

  init(limits: BridgeLimits) {
    self.limits = limits
    held = HeldEvents(limit: limits.eventsHeld)
  }

  // MARK: Pages

  /// True if there is a page that can be asked.
  var hasPage: Bool { page != nil && !isClosed }

  /// True if that page listens to gates.
  var isReady: Bool { page?.isReady == true && !isClosed }

  mutating func begin(page id: String, send: @escaping Send) {
    endPage()
    page = Page(id: id, send: send)
  }

  /// Ends a page; false if it has ended before.
  mutating func end(page id: String) -> Bool {
    guard page?.id == id else { return false }
    endPage()
    return true
  }

  private mutating func endPage() {
    page = nil
    for case .event(let event) in outgoing { held.add(event) }
    outgoing = []
  }

  /// Settles the open calls with `bridgeDetached`; later calls are rejected.
  /// - Returns: the events that no page was sent.
  mutating func close() -> [BridgeEvent] {
    guard !isClosed else { return [] }
    isClosed = true
    for case .event(let event) in outgoing { held.add(event) }
    gates = []
    arrivals.removeAll { if case .delivered = $0 { false } else { true } }
    outgoing.removeAll { if case .result = $0 { false } else { true } }
    for call in page?.openCalls.sorted() ?? [] {
      outgoing.append(.result(BridgeResult(call: call, outcome: .error(.detached))))
    }
    page?.openCalls = []
    return held.take()
  }

  // MARK: From the page

  /// Takes a message. A call that can be answered at once, because nothing is ahead of it, has its result in the reply.
  /// - Parameter known: the result of a request, if it is known here.
  mutating func receive(
    _ message: MessageFromPage, from id: String, known: (BridgeRequest) -> JSONText?
  ) -> MessageToPage {
    guard page?.id == id, !isClosed else { return MessageToPage(page: id, error: .detached) }
    let results = take(message, of: id, known: known)
    return MessageToPage(page: id, number: results.isEmpty ? nil : nextNumber(), results: results)
  }

  /// Takes a message that was replied to before it was decoded. Results that are known at once are sent like others.
  mutating func receiveLate(_ message: MessageFromPage, from id: String, known: (BridgeRequest) -> JSONText?) {
    guard page?.id == id else { return }
    guard !isClosed else {
      for case .call(let number, _) in message.items {
        outgoing.append(.result(BridgeResult(call: number, outcome: .error(.detached))))
      }
      return
    }
    outgoing += take(message, of: id, known: known).map(Outgoing.result)
  }

  /// Takes the items of a message; returns the results that are known at once.
  private mutating func take(
    _ message: MessageFromPage, of id: String, known: (BridgeRequest) -> JSONText?
  ) -> [BridgeResult] {
    var results: [BridgeResult] = []
    for item in message.items {
      switch item {
      case .call(let number, let request):
        if let outcome = take(request, call: number, of: id, known: known) {
          results.append(BridgeResult(call: number, outcome: outcome))
        }
      case .answer(let gate, let value):
        gates.removeAll { $0.id == gate }
        arrivals.append(.answer(PageAnswer(gate: gate, value: value)))
      case .delivered(let ids): arrivals.append(.delivered(ids.filter { page?.revoked.contains($0) == true }))
      case .handlers(let names): handlersChanged(to: names)
      case .ready: becomeReady()
      case .alive:
        // Consecutive answers to heartbeats count as one.
        if case .alive? = arrivals.last { break }
        arrivals.append(.alive)
      }
    }
    return results
  }

  /// Takes one call; returns its outcome if it is known at once.
  private mutating func take(
    _ request: PageRequest, call: Int, of id: String, known: (BridgeRequest) -> JSONText?
  ) -> BridgeOutcome? {
    guard page?.openCalls.contains(call) == false else { return nil }
    if let outcome = immediate(request, known: known) { return outcome }
    page?.openCalls.insert(call)
    arrivals.append(.call(page: id, id: call, request: request))
    return nil
  }

  private mutating func immediate(_ request: PageRequest, known: (BridgeRequest) -> JSONText?) -> BridgeOutcome? {
    if case .success(let request) = request, request.saysReady { becomeReady() }
    // A held end is that of an earlier restore.
    if case .success(.restoreCompletedTransactions) = request { held.supersede(with: .restoreFinished) }
    if case .success(.initialize) = request { return .done }
    guard let open = page?.openCalls.count, open < limits.callsInFlight else {
      return .error(
        BridgeError(.brokenRequest, description: "\(limits.callsInFlight) calls wait already; wait for some of them"))
    }
    // Nothing overtakes a call that waits for the app, or a result that waits to be sent (JSB-10).
    guard arrivals.isEmpty, !isTaken, outgoing.isEmpty else { return nil }
    switch request {
    case .success(let request): return known(request).map(BridgeOutcome.json)
    case .failure(let error): return .error(error)
    }
  }

  private mutating func becomeReady() {
    guard let id = page?.id, page?.isReady == false else { return }
    page?.isReady = true
    arrivals.append(.ready(page: id))
  }

  private mutating func handlersChanged(to names: Set<String>) {
    guard let id = page?.id else { return }
    page?.handlers = names
    page?.listening.formIntersection(names)
    if page?.isReady == true { arrivals.append(.ready(page: id)) }
  }

  // MARK: For the app

  /// True if the caller has to take arrivals; once, until they have all been taken.
  mutating func mustTake() -> Bool {
    guard !arrivals.isEmpty, !isTaken else { return false }
    isTaken = true
    return true
  }

  /// Removes and returns the arrivals; empty when all have been taken.
  mutating func take() -> [Arrival] {
    defer { arrivals = [] }
    if arrivals.isEmpty { isTaken = false }
    return arrivals
  }

  // MARK: To the page

  mutating func settle(_ call: Int, of id: String, with outcome: BridgeOutcome) {
    guard page?.id == id, page?.openCalls.remove(call) != nil else { return }
    outgoing.append(.result(BridgeResult(call: call, outcome: outcome)))
  }

  /// Sends a page that is ready the held events for which it has a handler, and at the first time the open gates. The
  /// unfinished transactions come once, when it has a handler for transactions; each revocation that no page has
  /// reported as delivered comes once, when it has a handler for revocations.
  mutating func start(
    page id: String, with unfinished: [OnsidePaymentTransaction], undelivered: [OnsidePaymentTransaction]
  ) {
    guard var page, page.id == id, page.isReady, !isClosed else { return }
    let takesTransactions = !page.hasTransactions && page.handlers.contains(BridgeEvent.updated([]).callback)
    outgoing += held.take(for: page.handlers, with: takesTransactions ? unfinished : nil).map(Outgoing.event)
    if !page.isStarted { outgoing += gates.map(Outgoing.gate) }
    page.isStarted = true
    page.listening = page.handlers
    page.hasTransactions = page.hasTransactions || takesTransactions
    self.page = page
    tell(.revoked(undelivered))
  }

  mutating func tell(_ event: BridgeEvent) {
    guard !isClosed else { return }
    if case .revoked(let transactions) = event { return revoke(transactions) }
    if page?.listening.contains(event.callback) == true {
      outgoing.append(.event(event))
      held.supersede(with: event)
    } else {
      held.add(event)
    }
  }

  /// Sends the page those revocations that it was not sent yet, if it has a handler for them.
  private mutating func revoke(_ transactions: [OnsidePaymentTransaction]) {
    guard var page, page.listening.contains(BridgeEvent.revoked([]).callback) else { return }
    let unsent = transactions.filter { page.revoked.insert($0.id).inserted }
    if !unsent.isEmpty { outgoing.append(.event(.revoked(unsent))) }
    self.page = page
  }

  mutating func ask(_ gate: BridgeGate) {
    guard !isClosed else { return }
    gates.append(gate)
    if page?.isStarted == true { outgoing.append(.gate(gate)) }
  }

  /// Withdraws a gate that needs no answer any more: a page that was asked and has not answered gets a withdrawal.
  mutating func withdraw(_ gate: Int) {
    guard gates.contains(where: { $0.id == gate }) else { return }
    gates.removeAll { $0.id == gate }
    let count = outgoing.count
    outgoing.removeAll { if case .gate(let open) = $0 { open.id == gate } else { false } }
    if page?.isStarted == true, outgoing.count == count { outgoing.append(.withdrawal(gate)) }
  }

  /// Sends the page a heartbeat.
  mutating func beat() {
    guard page?.isStarted == true, !isClosed else { return }
    outgoing.append(.heartbeat)
  }

  /// True if the caller has to send; once, until all messages have been sent.
  mutating func mustSend() -> Bool {
    guard !outgoing.isEmpty, page != nil, !isSending else { return false }
    isSending = true
    return true
  }

  /// The next message and its destination; nil if there is none.
  mutating func next() -> (send: Send, message: MessageToPage)? {
    guard page != nil, !outgoing.isEmpty, let send = page?.send else {
      isSending = false
      return nil
    }
    var message = MessageToPage(page: page?.id ?? "", number: nextNumber())
    var count = 0
    // A page handles the events of a message before its results: events after a result go into the next message.
    takeOver: for item in outgoing.prefix(Self.batch) {
      switch item {
      case .event(let event) where message.results.isEmpty: message.events.append(event)
      case .gate(let gate) where message.results.isEmpty: message.gates.append(gate)
      case .withdrawal(let gate) where message.results.isEmpty: message.withdrawn.append(gate)
      case .heartbeat where message.results.isEmpty: message.isHeartbeat = true
      case .result(let result): message.results.append(result)
      default: break takeOver
      }
      count += 1
    }
    outgoing.removeFirst(count)
    return (send, message)
  }

  private mutating func nextNumber() -> Int {
    page?.lastNumber += 1
    return page?.lastNumber ?? 0
  }
}
