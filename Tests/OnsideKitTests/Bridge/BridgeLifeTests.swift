import DeterministicRandom
import Foundation
import Testing

@testable import OnsideKit

@MainActor
@Suite("The life of views and pages", .timeLimit(.minutes(5)))
struct BridgeLifeTests {
  @Test("JSB-8: a view that closes settles what is open with bridgeDetached, and everything that comes later")
  func close() async throws {
    let world = ClientHarness()
    let store = StoreDouble()
    let bridge = OnsideBridge(client: .scripted(store, in: world))
    let view = bridge.makeView()
    let page = PageDouble(view)
    page.ready()
    let calls = page.begin(("requestLogin", "null"), ("purchase", "{}"))
    #expect(await eventually { store.now.signIns.count == 1 })
    view.close()
    #expect(await eventually { page.waiting == 0 })
    #expect(page.result(of: calls.lowerBound)?.code == "bridgeDetached")
    #expect(page.result(of: calls.upperBound)?.code == "invalidArguments")
    let resultCode = await page.call("initializeOnside", with: #""v1""#).code
    #expect(resultCode == "bridgeDetached")
    let secondResultCode = await PageDouble(view).call("getTransactions").code
    #expect(secondResultCode == "bridgeDetached")
    store.answerLogin(.success(.alice))
    #expect(await eventually { bridge.storefront.json != .null })
    #expect(page.events.isEmpty)
  }

  @Test("JSB-8: a page whose process was killed is forgotten; its view goes on with the next")
  func killed() async throws {
    let harness = try BridgeHarness()
    let view = harness.bridge.makeView()
    let page = PageDouble(view)
    page.begin(Array(repeating: ("getTransactions", "null"), count: 100))
    page.end()
    page.end()
    #expect(view.hasPage == false)
    #expect(await PageDouble(view).call("getTransactions").isFulfilled)
    #expect(page.answered.isEmpty)
  }

  @Test("JSB-7: nothing is left of pages, views and the bridge when their host drops them")
  func leaks() async throws {
    weak var view: BridgeView?
    weak var page: PageDouble?
    weak var bridge: OnsideBridge?
    weak var client: OnsideClient?
    do {
      let harness = try BridgeHarness()
      bridge = harness.bridge
      client = harness.client
      for _ in 0..<100 {
        let made = harness.bridge.makeView()
        let one = PageDouble(made)
        let other = PageDouble(made)
        other.ready()
        #expect(await other.call("getTransactions").isFulfilled)
        (view, page) = (made, one)
      }
      #expect(await eventually { view == nil && page == nil })
      #expect(await eventually { harness.bridge.views.all.isEmpty })
      await harness.client.close()
    }
    #expect(await eventually { bridge == nil && client == nil })
  }
}

@Suite("The machine of a view", .timeLimit(.minutes(5)))
struct ViewMachineTests {
  /// A host, its pages and the app, driven by one seed. It checks what may never happen.
  private struct Walk {
    struct Page {
      var id: String
      var lastCall = 0
      var open: Set<Int> = []
      var isReady = false
      var lastNumber = 0
    }

    var random: SeededRandom
    var machine = ViewMachine(limits: BridgeLimits())
    var page: Page?
    var pages = 0
    var taken: [ViewMachine.Arrival] = []
    var told = 0
    var heard: [Int] = []
    var sender = false
    var taker = false
    var faults: [String] = []

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    mutating func step() {
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<4: beginPage()
      case 4..<6: endPage()
      case 6..<12: say(calls: 0, ready: true)
      case 12..<45: say(calls: Int.random(in: 1...4, using: &random), ready: false)
      case 45..<60: tell()
      case 60..<75: settleOne()
      case 75..<85: takeAll()
      default: sendOne()
      }
      work()
    }

    /// Runs all pending work with a page that listens.
    mutating func settle() {
      if page == nil { beginPage() }
      say(calls: 0, ready: true)
      work()
      takeAll()
      takeAll()
      while !taken.isEmpty { settleOne() }
      work()
      for _ in 0..<10_000 where sender { sendOne() }
      if let open = page?.open, !open.isEmpty { faults.append("never settled: \(open)") }
      if heard != Array(1...max(told, 1)).filter({ $0 <= told }) { faults.append("told \(told), heard \(heard)") }
    }

    private mutating func work() {
      if machine.mustSend() {
        if sender { faults.append("two senders at once") }
        sender = true
      }
      if machine.mustTake() {
        if taker { faults.append("two takers at once") }
        taker = true
      }
    }

    private mutating func beginPage() {
      pages += 1
      machine.begin(page: "\(pages)") { _ in }
      page = Page(id: "\(pages)")
      say([.handlers(names: BridgeCallback.all.map(\.name))])
    }

    private mutating func endPage() {
      guard let page else { return }
      _ = machine.end(page: page.id)
      self.page = nil
    }

    private mutating func say(calls count: Int, ready: Bool) {
      guard var now = page else { return }
      let names = ["getTransactions", "getCurrentStorefront", "nonsense"]
      let calls = (0..<count).map { _ in
        now.lastCall += 1
        now.open.insert(now.lastCall)
        return PageItem.call(id: now.lastCall, function: names.randomElement(using: &random) ?? "")
      }
      if ready { now.isReady = true }
      page = now
      say(calls + (ready ? [.ready] : []))
    }

    private mutating func say(_ items: [PageItem]) {
      guard let now = page else { return }
      guard let message = try? MessageFromPage(items.message) else { return faults.append("unreadable") }
      let reply = machine.receive(message, from: now.id) { if case .getCurrentStorefront = $0 { .null } else { nil } }
      hear(reply)
    }

    private mutating func hear(_ sent: MessageToPage) {
      let text = try? sent.text(encodingTransactionsWith: TransactionJSONCache().json(for:))
      guard let message = text.flatMap({ try? JSON($0) }) else { return faults.append("no JSON: \(sent)") }
      guard message["page"]?.text == page?.id else { return faults.append("for another page: \(sent)") }
      guard let number = message["number"]?.int else { return }
      if number != (page?.lastNumber ?? 0) + 1 { faults.append("number \(number) after \(page?.lastNumber ?? 0)") }
      page?.lastNumber = number
      for result in message["results"]?.items ?? [] {
        if page?.open.remove(result["id"]?.int ?? 0) == nil { faults.append("settled twice: \(result)") }
      }
      for event in message["events"]?.items ?? [] {
        if page?.isReady != true { faults.append("told before it was ready") }
        heard.append(Int(event["argument"]?["countryCode"]?.text ?? "") ?? 0)
      }
    }

    /// Each event is one that nothing later makes pointless: only the last storefront that waits is told.
    private mutating func tell() {
      guard page?.isReady == true else { return }
      told += 1
      machine.tell(.storefrontChanged(OnsideStorefront(id: "", countryCode: "\(told)")))
    }

    private mutating func takeAll() {
      guard taker else { return }
      let arrivals = machine.take()
      for arrival in arrivals {
        if case .ready(let page) = arrival {
          machine.start(page: page, with: [], undelivered: [])
        } else {
          taken.append(arrival)
        }
      }
      if arrivals.isEmpty { taker = false }
    }

    private mutating func settleOne() {
      guard !taken.isEmpty, case .call(let page, let id, let request) = taken.removeFirst() else { return }
      switch request {
      case .failure(let error): machine.settle(id, of: page, with: .error(error))
      case .success: machine.settle(id, of: page, with: .done)
      }
      // Something that settles twice by mistake is heard of once.
      if Bool.random(using: &random) { machine.settle(id, of: page, with: .done) }
    }

    private mutating func sendOne() {
      guard sender else { return }
      if let next = machine.next() { hear(next.message) } else { sender = false }
    }
  }

  @Test("JSB-8, JSB-10: every call settles once, numbers have no gap, one page never hears another's answers")
  func walks() {
    for seed in 1...100 {
      var walk = Walk(seed: UInt64(seed))
      for _ in 0..<150 { walk.step() }
      walk.settle()
      // An event that a page was told of in the moment in which it was left may be merged with a later one.
      let faults = walk.faults.filter { !$0.hasPrefix("told ") || walk.heard.last != walk.told }
      #expect(faults.isEmpty, "seed \(seed): \(faults.prefix(3))")
    }
  }

  @Test("JSB-7: what a ready page was told of and not yet sent goes to the next page, results do not")
  func unsentEvents() throws {
    var machine = ViewMachine(limits: BridgeLimits())
    let ready = try MessageFromPage([PageItem.handlers(names: BridgeCallback.all.map(\.name)), .ready].message)
    let items = [PageItem.call(id: 1, function: "getTransactions")]
    let call = try MessageFromPage(items.message)
    machine.begin(page: "1") { _ in }
    _ = machine.receive(ready, from: "1") { _ in nil }
    machine.start(page: "1", with: [], undelivered: [])
    _ = machine.receive(call, from: "1") { _ in nil }
    machine.tell(.restoreFinished)
    machine.settle(1, of: "1", with: .done)
    machine.begin(page: "2") { _ in }
    #expect(machine.next() == nil)
    _ = machine.receive(call, from: "2") { _ in nil }
    machine.settle(1, of: "1", with: .done)
    #expect(machine.next() == nil)
    _ = machine.receive(ready, from: "2") { _ in nil }
    #expect(machine.next() == nil)
    machine.start(page: "2", with: [], undelivered: [])
    let message = try #require(machine.next()?.message)
    #expect(message.page == "2" && message.events == [.restoreFinished] && message.results.isEmpty)
  }

  @Test("JSB-7: a ready page gets held events when it has their handler, each once, and newer events after them")
  func lateHandlers() throws {
    var machine = ViewMachine(limits: BridgeLimits())
    let ready = try MessageFromPage([PageItem.handlers(names: ["onStorefrontChanged"]), .ready].message)
    let late = try MessageFromPage(
      [PageItem.handlers(names: ["onTransactionsUpdated", "onTransactionsRevoked"])].message)
    let (bought, two, three) = (
      transaction(1, state: .purchased), transaction(2, state: .purchased), transaction(3, state: .purchased)
    )
    machine.begin(page: "1") { _ in }
    _ = machine.receive(ready, from: "1") { _ in nil }
    machine.start(page: "1", with: [], undelivered: [])
    machine.tell(.revoked([two]))
    machine.tell(.storefrontChanged(nil))
    let first = machine.next()?.message.events
    #expect(first == [.storefrontChanged(nil)])
    _ = machine.receive(late, from: "1") { _ in nil }
    for _ in 1...2 { machine.start(page: "1", with: [bought], undelivered: [two]) }
    machine.tell(.storefrontChanged(nil))
    machine.tell(.revoked([two, three]))
    let second = machine.next()?.message.events
    #expect(second == [.updated([bought.redelivered]), .revoked([two]), .revoked([three])])
    machine.begin(page: "2") { _ in }
    _ = machine.receive(ready, from: "2") { _ in nil }
    machine.start(page: "2", with: [], undelivered: [])
    let third = machine.next()?.message.events
    #expect(third == [.storefrontChanged(nil)])
  }

  @Test("RST-2: a handler that is set after a new restore has begun does not get the end of an earlier one")
  func earlierRestore() throws {
    var machine = ViewMachine(limits: BridgeLimits())
    machine.begin(page: "1") { _ in }
    machine.tell(.restoreFailed(.connectionError))
    let items: [PageItem] = [
      .call(id: 1, function: "restoreCompletedTransactions"),
      .handlers(names: ["onRestoreCompletedTransactionsFailedWithError", "onRestoreCompletedTransactionsFinished"]),
    ]
    _ = machine.receive(try MessageFromPage(items.message), from: "1") { _ in nil }
    machine.start(page: "1", with: [], undelivered: [])
    #expect(machine.next() == nil)
    machine.tell(.restoreFinished)
    #expect(machine.next()?.message.events == [.restoreFinished])
  }

  @Test("JSB-10: an answer that is known at once overtakes no result that is not sent yet")
  func overtaking() throws {
    var machine = ViewMachine(limits: BridgeLimits())
    machine.begin(page: "1") { _ in }
    func ask(_ ids: Int...) throws -> [Int] {
      let calls = ids.map { PageItem.call(id: $0, function: "getCurrentStorefront") }
      let known: (BridgeRequest) -> JSONText? = { _ in ids.contains(1) ? nil : .null }
      return machine.receive(try MessageFromPage(calls.message), from: "1", known: known).results.map(\.call)
    }
    let answer = try ask(1)
    #expect(answer == [])
    while !machine.take().isEmpty {}
    machine.settle(1, of: "1", with: .done)
    let secondAnswer = try ask(2)
    #expect(secondAnswer == [])
    while !machine.take().isEmpty {}
    machine.settle(2, of: "1", with: .done)
    #expect(machine.next()?.message.results.map(\.call) == [1, 2])
    let thirdAnswer = try ask(3)
    #expect(thirdAnswer == [3])
  }

  @Test("a page hears of what came before a result before it hears the result, and of the rest after it")
  func order() throws {
    var machine = ViewMachine(limits: BridgeLimits())
    machine.begin(page: "1") { _ in }
    let items: [PageItem] = [
      .call(id: 1, function: "requestLogin"), .call(id: 2, function: "requestLogin"),
      .handlers(names: BridgeCallback.all.map(\.name)), .ready,
    ]
    _ = machine.receive(try MessageFromPage(items.message), from: "1") { _ in nil }
    machine.start(page: "1", with: [], undelivered: [])
    machine.tell(.restoreFinished)
    machine.settle(1, of: "1", with: .done)
    machine.tell(.restoreFinished)
    machine.settle(2, of: "1", with: .done)
    var messages: [String] = []
    while let next = machine.next() {
      messages.append("\(next.message.events.count) events, \(next.message.results.map(\.call))")
    }
    #expect(messages == ["1 events, [1]", "1 events, [2]"])
  }
}
