import Testing

@testable import OnsideKit

@Suite(.timeLimit(.minutes(5)))
struct LoginMachineTests {
  @Test("ACC-1: all callers share one attempt and one outcome")
  func joins() {
    var machine = LoginMachine()
    #expect(machine.handle(.requested(waiter: 1)) == [.begin(attempt: 1)])
    #expect(machine.handle(.requested(waiter: 2)) == [.remind(attempt: 1)])
    #expect(machine.handle(.requested(waiter: 3)) == [.remind(attempt: 1)])
    #expect(machine.handle(.ended(attempt: 1, signedIn: true)) == [.settle(waiters: [1, 2, 3], signedIn: true)])
    #expect(!machine.isRunning)
  }

  @Test("ACC-3: a dismissed login settles every caller and starts nothing new")
  func dismissed() {
    var machine = LoginMachine()
    _ = machine.handle(.requested(waiter: 1))
    _ = machine.handle(.requested(waiter: 2))
    #expect(machine.handle(.ended(attempt: 1, signedIn: false)) == [.settle(waiters: [1, 2], signedIn: false)])
    #expect(!machine.isRunning)
  }

  @Test("ACC-10: a cancelled login settles at once, and its late outcome has no say in the next one")
  func cancelled() {
    var machine = LoginMachine()
    _ = machine.handle(.requested(waiter: 1))
    #expect(machine.handle(.cancelled) == [.cancel(attempt: 1), .settle(waiters: [1], signedIn: false)])
    #expect(machine.handle(.cancelled) == [])
    #expect(machine.handle(.requested(waiter: 2)) == [.begin(attempt: 2)])
    #expect(machine.handle(.ended(attempt: 1, signedIn: true)) == [])
    #expect(machine.handle(.ended(attempt: 2, signedIn: true)) == [.settle(waiters: [2], signedIn: true)])
  }

  @Test("ACC-10: the login goes on while a caller waits, and is cancelled with the last one")
  func abandoned() {
    var machine = LoginMachine()
    _ = machine.handle(.requested(waiter: 1))
    _ = machine.handle(.requested(waiter: 2))
    #expect(machine.handle(.abandoned(waiter: 1)) == [.settle(waiters: [1], signedIn: false)])
    #expect(machine.handle(.abandoned(waiter: 1)) == [])
    #expect(
      machine.handle(.abandoned(waiter: 2)) == [.cancel(attempt: 1), .settle(waiters: [2], signedIn: false)])
  }

  @Test(
    "ACC-1: in random orders of events every waiter is settled exactly once",
    arguments: 0..<200 as Range<UInt64>)
  func settlesOnce(seed: UInt64) {
    var random = Lottery(seed: seed)
    var machine = LoginMachine()
    var asked = 0
    var settled: [Int] = []
    var attempts = 0
    func run(_ event: LoginMachine.Event) {
      for effect in machine.handle(event) {
        switch effect {
        case .begin(let attempt): attempts = attempt
        case .settle(let waiters, _): settled += waiters
        case .cancel, .remind: break
        }
      }
    }
    for _ in 0..<50 {
      switch random.next(4) {
      case 0:
        asked += 1
        run(.requested(waiter: asked))
      case 1: run(.abandoned(waiter: 1 + random.next(max(asked, 1))))
      case 2: run(.cancelled)
      default: run(.ended(attempt: 1 + random.next(max(attempts, 1)), signedIn: random.next(2) == 0))
      }
    }
    run(.cancelled)
    #expect(settled.sorted() == Array(1...max(asked, 1)).filter { $0 <= asked })
  }
}

/// Small numbers from a seed.
struct Lottery {
  private var state: UInt64
  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }
  mutating func next(_ count: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(count))
  }
}
