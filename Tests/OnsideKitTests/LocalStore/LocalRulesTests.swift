import Testing

@Suite("The local store and the rules of the queue's tests", .timeLimit(.minutes(5)))
struct LocalRulesTests {
  @Test(
    "LOC-3: after each step of random walks with one-time purchases both stores tell the same of them",
    arguments: 0..<100)
  func walk(seed: UInt64) throws {
    var stores = try StorePair(seed: seed)
    for _ in 0..<80 {
      let (shop, rules) = try stores.step()
      #expect(shop == rules)
    }
  }
}
