import OnsideAPI
import StoreWeb
import Testing

@testable import StoreMerchants

@Suite("Idempotency keys of acts", .timeLimit(.minutes(5)))
struct MerchantActKeyTests {
  private static let caller = APIKeyCaller(app: "io.example.lumen", key: "00112233445566ff", scopes: [.support])

  private func act(
    _ kind: MerchantActKind = .grant, of object: String = "o", _ arguments: [String: String?] = ["cause": "a"],
    key: String = "k"
  ) throws -> MerchantAct {
    let key = try #require(IdempotencyKey(key))
    return MerchantAct(kind, of: object, arguments: arguments, key: key, by: Self.caller)
  }

  @Test("A key has 1 to 200 visible ASCII characters")
  func form() {
    for text in ["a", "!", "~", String(repeating: "a", count: 200)] {
      #expect(IdempotencyKey(text)?.text == text)
    }
    for text in ["", " ", "a b", "a\t", "\u{7f}", "é", "a, b", String(repeating: "a", count: 201)] {
      #expect(IdempotencyKey(text) == nil, "\(text)")
    }
  }

  @Test("The hash of a request depends on act, object and each value, and not on the key and on absent values")
  func hash() throws {
    let hash = try act().requestHash
    for equal in [try act(key: "other"), try act(.grant, of: "o", ["cause": "a", "reinstates": nil])] {
      let equalHash = try equal.requestHash
      #expect(equalHash == hash)
    }
    let others = [
      try act(.refund), try act(of: "p"), try act(.grant, of: "o", [:]), try act(.grant, of: "o", ["cause": "b"]),
      try act(.grant, of: "o", ["reinstates": "a"]), try act(.grant, of: "o", ["cause": "a", "reinstates": "a"]),
    ]
    let hashes = Set(try others.map { try $0.requestHash } + [hash])
    #expect(hashes.count == others.count + 1)
  }

  @Test("Each act has a route with the scope support, and no other route is an act")
  func routes() {
    let acts = Route.all.filter { MerchantActKind($0) != nil }
    #expect(Set(acts) == Set(MerchantActKind.allCases.map(\.route)))
    #expect(acts == Route.all.filter { $0.scope == .support })
  }
}
