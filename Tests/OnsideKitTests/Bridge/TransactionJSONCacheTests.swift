import Synchronization
import Testing

@testable import OnsideKit

@Suite("The transactions as JSON", .timeLimit(.minutes(5)))
struct TransactionJSONCacheTests {
  private let encoded = Encoded()

  @Test("Of kept transactions, only those that have changed since are encoded again")
  func changed() throws {
    let cache = TransactionJSONCache(encode: encoded.encode)
    let kept = transaction(1, state: .purchasing)
    let before = [kept, transaction(2, state: .purchasing)]
    let after = [transaction(2, state: .purchased), kept, transaction(3, state: .failed)]
    let encoding = try cache.encoding(before)()
    let expected = try fresh(before)
    #expect(encoding == expected)
    #expect(encoded.all == before)
    cache.invalidate()
    let secondEncoding = try cache.encoding(after)()
    let secondExpected = try fresh(after)
    #expect(secondEncoding == secondExpected)
    let thirdExpected = try fresh(after)
    #expect(cache.list == thirdExpected)
    #expect(encoded.all == before + [after[0], after[2]])
  }

  @Test("An event has the text that is kept; of another state or reason its own, which the next view gets, too")
  func events() throws {
    let cache = TransactionJSONCache(encode: encoded.encode)
    let kept = transaction(1, state: .purchased)
    _ = try cache.encoding([kept])()
    for other in [kept, kept.redelivered, transaction(1, state: .failed)] {
      for _ in 1...2 {
        let json = try cache.json(for: other)
        let expected = try JSONText(JSPaymentTransaction(other))
        #expect(json == expected)
      }
    }
    #expect(encoded.all == [kept, kept.redelivered, transaction(1, state: .failed)])
  }

  @Test("A list that was read before a change is not kept as the list of now")
  func late() throws {
    let cache = TransactionJSONCache(encode: encoded.encode)
    let before = [transaction(1, state: .purchased)]
    let late = cache.encoding(before)
    cache.invalidate()
    let result = try late()
    let expected = try fresh(before)
    #expect(result == expected)
    #expect(cache.list == nil)
  }

  @Test("After a logout nothing of the former account is kept, however late its list is encoded")
  func logout() throws {
    let cache = TransactionJSONCache(encode: encoded.encode)
    let former = transaction(1, state: .purchased)
    let late = cache.encoding([former])
    cache.invalidate()
    let encoding = try cache.encoding([])()
    let expected = try fresh([])
    #expect(encoding == expected)
    _ = try late()
    let secondExpected = try fresh([])
    #expect(cache.list == secondExpected)
    // Nothing is kept of it: it is encoded anew.
    _ = try cache.json(for: former)
    #expect(encoded.all == [former, former])
  }

  @Test("Calls that wait for one list encode it once")
  func once() throws {
    let cache = TransactionJSONCache(encode: encoded.encode)
    let all = [transaction(1, state: .purchased)]
    let calls = (1...3).map { _ in cache.encoding(all) }
    for call in calls {
      let result = try call()
      let expected = try fresh(all)
      #expect(result == expected)
    }
    #expect(encoded.all == all)
  }

  private func fresh(_ transactions: [OnsidePaymentTransaction]) throws -> JSONText {
    try JSONText(transactions.map(JSPaymentTransaction.init))
  }
}

/// The transactions that a cache has encoded.
private final class Encoded: Sendable {
  private let transactions = Mutex<[OnsidePaymentTransaction]>([])

  var all: [OnsidePaymentTransaction] { transactions.withLock { $0 } }

  func encode(_ transaction: OnsidePaymentTransaction) throws -> JSONText {
    transactions.withLock { $0.append(transaction) }
    return try JSONText(JSPaymentTransaction(transaction))
  }
}
