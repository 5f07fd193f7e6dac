/// What one view's pages have asked, and what they have still to be told. Pure: what is to be done comes out as values.
///
/// A view has at most one page. Calls and answers of a page end with it; events and gates belong to the view, and wait
/// for the next one.
struct ViewMachine: Sendable {
  typealias Send = @Sendable (String) -> Void

  /// Something for the app, in the order in which the page said it.
  enum Arrival: Sendable {
    case call(page: String, id: Int, request: Result<BridgeRequest, BridgeError>)
    case answer(PageAnswer)
  }

  private enum Outgoing: Sendable {
    case event(BridgeEvent)
    case gate(BridgeGate)
    case result(Int, BridgeOutcome)
  }

  private struct Page: Sendable {
    let id: String
    let send: Send
    var isReady = false
    var openCalls: Set<Int> = []
    var lastNumber = 0
  }

  /// How many results go into one message at most.
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

  /// Whether there is a page that can be asked.
  var hasPage: Bool { page != nil && !isClosed }

  mutating func begin(page id: String, send: @escaping Send) {
    endPage()
    page = Page(id: id, send: send)
  }

  /// The page is gone; false when it was gone before.
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

  /// Everything that is open ends with `bridgeDetached`; nothing new is taken.
  mutating func close() {
    guard !isClosed else { return }
    isClosed = true
    gates = []
    arrivals = []
    outgoing.removeAll { if case .result = $0 { false } else { true } }
    for id in page?.openCalls.sorted() ?? [] { outgoing.append(.result(id, .error(.detached))) }
    page?.openCalls = []
    _ = held.take()
  }

  // MARK: From the page

  /// Takes a message in. What can be answered at once, because nothing is ahead of it, is in the reply.
  mutating func receive(_ message: PageMessage, from id: String, storefront: () -> JSONText) -> String {
    guard page?.id == id, !isClosed else { return Self.refusal(.detached, page: id) }
    var results: [String] = []
    for call in message.calls ?? [] {
      guard page?.openCalls.contains(call.id) == false else { continue }
      if let outcome = immediate(call, storefront: storefront) {
        results.append(outcome.json(of: call.id))
      } else {
        page?.openCalls.insert(call.id)
        arrivals.append(.call(page: id, id: call.id, request: call.request))
      }
    }
    arrivals += (message.answers ?? []).map(Arrival.answer)
    if message.ready == true { becomeReady() }
    return reply(results)
  }

  private mutating func immediate(_ call: PageCall, storefront: () -> JSONText) -> BridgeOutcome? {
    if case .success(let request) = call.request, request.saysReady { becomeReady() }
    if case .success(.initialize) = call.request { return .done }
    guard let open = page?.openCalls.count, open < limits.callsInFlight else {
      return .error(BridgeError(.brokenRequest, "\(limits.callsInFlight) calls wait already; wait for some of them"))
    }
    guard arrivals.isEmpty, !isTaken else { return nil }
    switch call.request {
    case .success(.getCurrentStorefront): return .json(storefront())
    case .success: return nil
    case .failure(let error): return .error(error)
    }
  }

  private mutating func becomeReady() {
    guard page?.isReady == false else { return }
    page?.isReady = true
    outgoing += held.take().map(Outgoing.event) + gates.map(Outgoing.gate)
  }

  // MARK: For the app

  /// Whether somebody has to take arrivals; true once, until they have all been taken.
  mutating func mustTake() -> Bool {
    guard !arrivals.isEmpty, !isTaken else { return false }
    isTaken = true
    return true
  }

  /// What has arrived; none when everything has been taken.
  mutating func take() -> [Arrival] {
    defer { arrivals = [] }
    if arrivals.isEmpty { isTaken = false }
    return arrivals
  }

  // MARK: To the page

  mutating func settle(_ call: Int, of id: String, _ outcome: BridgeOutcome) {
    guard page?.id == id, page?.openCalls.remove(call) != nil else { return }
    outgoing.append(.result(call, outcome))
  }

  mutating func tell(_ event: BridgeEvent) {
    guard !isClosed else { return }
    if page?.isReady == true { outgoing.append(.event(event)) } else { held.add(event) }
  }

  mutating func ask(_ gate: BridgeGate) {
    guard !isClosed else { return }
    gates.append(gate)
    if page?.isReady == true { outgoing.append(.gate(gate)) }
  }

  /// A gate needs no answer any more.
  mutating func withdraw(_ gate: Int) {
    gates.removeAll { $0.id == gate }
    outgoing.removeAll { if case .gate(let open) = $0 { open.id == gate } else { false } }
  }

  /// Whether somebody has to send; true once, until there was nothing more to send.
  mutating func mustSend() -> Bool {
    guard !outgoing.isEmpty, page != nil, !isSending else { return false }
    isSending = true
    return true
  }

  /// The next message and where it goes; nil when there is none.
  mutating func next() -> (send: Send, message: BridgeMessage)? {
    guard page != nil, !outgoing.isEmpty, let send = page?.send else {
      isSending = false
      return nil
    }
    var message = BridgeMessage(page: page?.id ?? "", number: nextNumber())
    var count = 0
    // A page hears the events of a message before the results: those that come after a result go into the next.
    takeOver: for item in outgoing.prefix(Self.batch) {
      switch item {
      case .event(let event) where message.results.isEmpty: message.events.append(event)
      case .gate(let gate) where message.results.isEmpty: message.gates.append(gate)
      case .result(let call, let outcome): message.results.append((call, outcome))
      default: break takeOver
      }
      count += 1
    }
    outgoing.removeFirst(count)
    return (send, message)
  }

  private mutating func reply(_ results: [String]) -> String {
    let id = page?.id ?? ""
    guard !results.isEmpty else { return #"{"page":"\#(id)"}"# }
    return #"{"page":"\#(id)","number":\#(nextNumber()),"results":[\#(results.joined(separator: ","))]}"#
  }

  private mutating func nextNumber() -> Int {
    page?.lastNumber += 1
    return page?.lastNumber ?? 0
  }

  /// The reply to a message that was not taken.
  static func refusal(_ error: BridgeError, page id: String) -> String {
    let json = (try? error.json) ?? #"{"code":"\#(error.code.rawValue)","message":""}"#
    return #"{"page":"\#(id)","error":\#(json)}"#
  }
}

/// What a page is told in one message. It hears events first, then gates, then results.
struct BridgeMessage: Sendable {
  let page: String
  let number: Int
  var events: [BridgeEvent] = []
  var gates: [BridgeGate] = []
  var results: [(call: Int, outcome: BridgeOutcome)] = []

  var text: String {
    let events = list(events) { try $0.json() }
    let gates = list(gates) { try $0.json() }
    let results = results.map { $0.outcome.json(of: $0.call) }.joined(separator: ",")
    return
      #"{"page":"\#(page)","number":\#(number),"events":[\#(events)],"gates":[\#(gates)],"results":[\#(results)]}"#
  }

  /// Those that have a JSON form; the published values all do.
  private func list<Item>(_ items: [Item], _ json: (Item) throws -> String) -> String {
    items.compactMap { try? json($0) }.joined(separator: ",")
  }
}
