import OnsideWallet
import Testing

@Suite("What a chip's rules are worth", .timeLimit(.minutes(5)))
struct LockoutTests {
  @Test(
    "WAL-5 A chip limits six digits when it locks soon and forgets slowly",
    arguments: [
      (3, 1000, true), (100, 60, true), (101, 1000, false), (1_000_000, 1000, false), (3, 59, false), (3, 0, false),
      (0, 1000, false),
    ])
  func limits(tries: Int, interval: Int, isLimit: Bool) {
    let lockout = Lockout(tries: tries, failed: 0, interval: interval, isLocked: false, isClearable: true)
    #expect(lockout.limitsTries == isLimit)
  }
}
