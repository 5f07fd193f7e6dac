import Foundation
import OnsideCommerce
import OnsideVerify
import Testing

@Suite("Verifier", .timeLimit(.minutes(5)))
struct OnsideVerifierTests {
  private let key = TestKey("2026-a")
  private let time = TestTime()

  private func verifier(_ environment: PurchaseEnvironment = .production) throws -> OnsideVerifier {
    OnsideVerifier(
      bundleID: "io.example.lumen", environment: environment, pinnedKeys: try keySet(key), now: { time.now })
  }

  private func purchase(_ change: (inout InAppPurchase) -> Void = { _ in }) throws -> InAppPurchase {
    var purchase = try TransactionHistory.decoder.decode(InAppPurchase.self, from: Data(Self.purchase.utf8))
    change(&purchase)
    return purchase
  }

  private func sign(_ purchases: InAppPurchase...) throws -> String {
    try key.sign(try TransactionHistory.encoder.encode(TransactionHistory(transactions: purchases)))
  }

  private func sign(_ list: EntitlementList, type: String? = EntitlementList.type) throws -> String {
    try key.sign(try TransactionHistory.encoder.encode(list), header: type.map { ["typ": $0] } ?? [:])
  }

  private func list(_ change: (inout EntitlementList) -> Void = { _ in }) -> EntitlementList {
    let lifetime = Entitlement(
      productID: "remove_ads", productType: .nonConsumable, orderID: UUID(), purchaseDate: time.now,
      appAccountToken: "alice")
    var list = EntitlementList(
      bundleID: "io.example.lumen", environment: .production, subject: "s-1", issuedAt: time.now,
      validUntil: time.now + 3600, entitlements: [lifetime])
    change(&list)
    return list
  }

  @Test("VER-2: a history of this app and environment is returned as it was signed")
  func history() async throws {
    let purchases = [try purchase(), try purchase { $0.revocation = Revocation(date: time.now, reason: .refund) }]
    let history = try await verifier().verifyHistory(try sign(purchases[0], purchases[1]))
    #expect(history.transactions == purchases)
    #expect(try await verifier().verifyHistory(try sign()).transactions.isEmpty)
  }

  @Test("VER-2: a change of plan is told from a purchase and a renewal, and a reason of a later version is kept")
  func reasons() async throws {
    let reasons = ["PURCHASE", "RENEWAL", "PLAN_CHANGE", "GIFT"]
    let purchases = reasons.map {
      Self.purchase.replacing(#""transaction_reason":"PURCHASE""#, with: #""transaction_reason":"\#($0)""#)
    }
    let payload = Data(#"{"transactions":[\#(purchases.joined(separator: ","))]}"#.utf8)
    let history = try await verifier().verifyHistory(try key.sign(payload))
    #expect(
      history.transactions.map(\.transactionReason)
        == [.purchase, .renewal, .planChange, TransactionReason(rawValue: "GIFT")])
  }

  @Test("VER-2: a sandbox purchase is refused in production, and the reverse")
  func environments() async throws {
    let sandbox = try sign(try purchase(), try purchase { $0.environment = .sandbox })
    let errorCode = await code { try await verifier().verifyHistory(sandbox) }
    #expect(errorCode == .wrongEnvironment)
    let test = try sign(try purchase { $0.environment = .sandbox })
    let secondErrorCode = await code { try await verifier().verifyReceipt(test) }
    #expect(secondErrorCode == .wrongEnvironment)
    let actualEnvironment = try await verifier(.sandbox).verifyReceipt(test).environment
    #expect(actualEnvironment == .sandbox)
    let thirdErrorCode = await code { try await verifier(.sandbox).verifyHistory(try sign(try purchase())) }
    #expect(thirdErrorCode == .wrongEnvironment)
    let unknown = try sign(try purchase { $0.environment = nil })
    for environment in [PurchaseEnvironment.production, .sandbox] {
      let fourthErrorCode = await code { try await verifier(environment).verifyHistory(unknown) }
      #expect(fourthErrorCode == .wrongEnvironment)
    }
    let list = try sign(list { $0.environment = .sandbox })
    let fifthErrorCode = await code { try await verifier().verifyEntitlementList(list) }
    #expect(fifthErrorCode == .wrongEnvironment)
  }

  @Test("VER-2: a document of another app is refused")
  func apps() async throws {
    let other = try sign(try purchase(), try purchase { $0.bundleID = "io.example.other" })
    let errorCode = await code { try await verifier().verifyHistory(other) }
    #expect(errorCode == .wrongApp)
    let receipt = try sign(try purchase { $0.bundleID = "io.example.Lumen" })
    let secondErrorCode = await code { try await verifier().verifyReceipt(receipt) }
    #expect(secondErrorCode == .wrongApp)
    let list = try sign(list { $0.bundleID = "" })
    let thirdErrorCode = await code { try await verifier().verifyEntitlementList(list) }
    #expect(thirdErrorCode == .wrongApp)
  }

  @Test("VER-2: purchases with another token are left out of a history; a receipt with another one is refused")
  func tokens() async throws {
    let composed = "é", decomposed = "e\u{301}"
    let purchases = [
      try purchase { $0.appAccountToken = composed }, try purchase { $0.appAccountToken = decomposed },
      try purchase { ($0.appAccountToken, $0.subject) = (nil, "s-1") },
    ]
    let history = try sign(purchases[0], purchases[1], purchases[2])
    let own = try await verifier().verifyHistory(history, appAccountToken: composed).transactions
    #expect(own.count == 1 && own.first.map { Array($0.appAccountToken?.utf8 ?? "".utf8) } == Array(composed.utf8))
    #expect(try await verifier().verifyHistory(history, appAccountToken: "bob").transactions.isEmpty)
    #expect(try await verifier().verifyHistory(history, appAccountToken: "").transactions.isEmpty)
    _ = try await verifier().verifyReceipt(try sign(purchases[0]), appAccountToken: composed)
    for other in purchases.dropFirst() {
      let errorCode = await code { try await verifier().verifyReceipt(try sign(other), appAccountToken: composed) }
      #expect(errorCode == .wrongAccount)
    }
  }

  @Test("VER-2: purchases are verified by their subject, also those without a token; another subject is refused")
  func subjects() async throws {
    let verifier = try verifier()
    let tokens = ["alice", "bob", nil]
    let purchases = try tokens.map { token in try purchase { ($0.appAccountToken, $0.subject) = (token, "s-1") } }
    let history = try sign(purchases[0], purchases[1], purchases[2])
    let all = try await verifier.verifyHistory(history, subject: "s-1").transactions
    #expect(all.map(\.appAccountToken) == tokens)
    let own = try await verifier.verifyHistory(history, subject: "s-1", appAccountToken: "alice").transactions
    #expect(own.map(\.appAccountToken) == ["alice", nil])
    let errorCode = await code { try await verifier.verifyHistory(history, subject: "s-2", appAccountToken: "alice") }
    #expect(errorCode == .wrongAccount)
    let shop = try sign(purchases[2])
    _ = try await verifier.verifyReceipt(shop, subject: "s-1", appAccountToken: "alice")
    for (subject, token) in [("s-2", nil), (nil, "alice"), ("s-2", "alice")] as [(String?, String?)] {
      let errorCode = await code { try await verifier.verifyReceipt(shop, subject: subject, appAccountToken: token) }
      #expect(errorCode == .wrongAccount)
    }
    let other = await code {
      try await verifier.verifyReceipt(try sign(purchases[1]), subject: "s-1", appAccountToken: "alice")
    }
    #expect(other == .wrongAccount)
  }

  @Test("VER-2: a purchase with neither a subject nor a token is refused when either is asked for")
  func neither() async throws {
    let verifier = try verifier()
    let unnamed = try purchase { ($0.appAccountToken, $0.subject) = (nil, nil) }
    let named = try purchase { ($0.appAccountToken, $0.subject) = ("alice", "s-1") }
    let (history, receipt) = (try sign(named, unnamed), try sign(unnamed))
    for (subject, token) in [("s-1", nil), (nil, "alice"), ("s-1", "alice")] as [(String?, String?)] {
      let errorCode = await code {
        try await verifier.verifyHistory(history, subject: subject, appAccountToken: token)
      }
      #expect(errorCode == .wrongAccount)
      let secondErrorCode = await code {
        try await verifier.verifyReceipt(receipt, subject: subject, appAccountToken: token)
      }
      #expect(secondErrorCode == .wrongAccount)
    }
    _ = try await verifier.verifyHistory(history)
  }

  @Test("VER-2: a list returns entitlements without a token for its subject, not for a token alone")
  func listTokens() async throws {
    let verifier = try verifier()
    let text = try sign(
      list { list in
        list.entitlements += ["bob", nil].map { token in
          Entitlement(
            productID: "pro", productType: .nonConsumable, orderID: UUID(), purchaseDate: time.now,
            appAccountToken: token)
        }
      })
    let tokens = try await verifier.verifyEntitlementList(text, subject: "s-1", appAccountToken: "alice").entitlements
      .map(\.appAccountToken)
    #expect(tokens == ["alice", nil])
    let own = try await verifier.verifyEntitlementList(text, appAccountToken: "alice").entitlements
    #expect(own.map(\.appAccountToken) == ["alice"])
  }

  @Test("VER-2: a receipt has one purchase")
  func receipts() async throws {
    let purchase = try purchase()
    let verifyReceipt = try await verifier().verifyReceipt(try sign(purchase))
    #expect(verifyReceipt == purchase)
    let errorCode = await code { try await verifier().verifyReceipt(try sign()) }
    #expect(errorCode == .wrongType)
    let secondErrorCode = await code { try await verifier().verifyReceipt(try sign(purchase, purchase)) }
    #expect(secondErrorCode == .wrongType)
  }

  @Test("VER-2: a history is refused when it is older than the caller allows")
  func age() async throws {
    let text = try sign(try purchase { $0.fetchedAt = time.now })
    time.advance(60)
    _ = try await verifier().verifyHistory(text, maximumAge: 60)
    time.advance(1)
    let errorCode = await code { try await verifier().verifyHistory(text, maximumAge: 60) }
    #expect(errorCode == .expired)
    _ = try await verifier().verifyHistory(text)
  }

  @Test("VER-2: a list is taken until it ends, and of the subject that was asked for")
  func lists() async throws {
    let list = list(), text = try sign(list)
    let verifyEntitlementList = try await verifier().verifyEntitlementList(text, subject: "s-1")
    #expect(verifyEntitlementList == list)
    let errorCode = await code { try await verifier().verifyEntitlementList(text, subject: "s-2") }
    #expect(errorCode == .wrongAccount)
    let entitlementCount = try await verifier().verifyEntitlementList(text, appAccountToken: "alice").entitlements.count
    #expect(entitlementCount == 1)
    #expect(try await verifier().verifyEntitlementList(text, appAccountToken: "bob").entitlements.isEmpty)
    time.advance(3600)
    let secondErrorCode = await code { try await verifier().verifyEntitlementList(text) }
    #expect(secondErrorCode == .expired)
  }

  @Test("VER-2: a list is no history, and a history is no list, also under the other's type")
  func kinds() async throws {
    let list = try sign(list())
    let errorCode = await code { try await verifier().verifyHistory(list) }
    #expect(errorCode == .wrongType)
    let secondErrorCode = await code { try await verifier().verifyReceipt(list) }
    #expect(secondErrorCode == .wrongType)
    let history = try sign(try purchase())
    let thirdErrorCode = await code { try await verifier().verifyEntitlementList(history) }
    #expect(thirdErrorCode == .wrongType)
    let payload = try TransactionHistory.encoder.encode(TransactionHistory(transactions: [purchase()]))
    let typed = try key.sign(payload, header: ["typ": EntitlementList.type])
    let fourthErrorCode = await code { try await verifier().verifyEntitlementList(typed) }
    #expect(fourthErrorCode == .malformed)
    let untyped = try sign(self.list(), type: nil)
    let fifthErrorCode = await code { try await verifier().verifyEntitlementList(untyped) }
    #expect(fifthErrorCode == .wrongType)
    let sixthErrorCode = await code { try await verifier().verifyHistory(untyped) }
    #expect(sixthErrorCode == .malformed)
  }

  @Test(
    "VER-2: a payload that cannot be read is refused, though its signature is right",
    arguments: ["", "null", "[]", "{}", #"{"transactions":[{}]}"#, #"{"transactions":{}}"#, "\u{0}"])
  func payloads(text: String) async throws {
    let history = try key.sign(Data(text.utf8))
    let errorCode = await code { try await verifier().verifyHistory(history) }
    #expect(errorCode == .malformed)
    let list = try key.sign(Data(text.utf8), header: ["typ": EntitlementList.type])
    let secondErrorCode = await code { try await verifier().verifyEntitlementList(list) }
    #expect(secondErrorCode == .malformed)
  }

  @Test("VER-2: a pinned key set names the key that it lacks")
  func pinned() async throws {
    let text = try TestKey("2027-a").sign(Data(#"{"transactions":[]}"#.utf8))
    let error = await #expect(throws: VerificationError.self) { try await verifier().verifyHistory(text) }
    #expect(error?.unknownKeyID == "2027-a")
  }

  @Test("VER-2: no error of a receipt holds a token")
  func noTokens() async throws {
    let changes: [(inout InAppPurchase) -> Void] = [
      { _ in }, { $0.environment = .sandbox }, { $0.bundleID = "io.example.other" },
    ]
    var documents = try changes.map { change in
      try sign(
        try purchase {
          $0.appAccountToken = "alice-4711"
          change(&$0)
        })
    }
    let one = try purchase { $0.appAccountToken = "alice-4711" }
    documents += [
      try sign(one, one), try sign(list()), try key.sign(Data(#"[{"app_account_token":"alice-4711"}]"#.utf8)),
    ]
    var codes: Set<VerificationError.Code> = []
    for document in documents {
      let error = await #expect(throws: VerificationError.self) {
        try await verifier().verifyReceipt(document, appAccountToken: "bob-4712")
      }
      let (code, description) = (try #require(error?.code), try #require(error?.description))
      codes.insert(code)
      #expect(!description.contains("4711") && !description.contains("4712"))
    }
    #expect(codes == [.wrongAccount, .wrongEnvironment, .wrongApp, .wrongType, .malformed])
  }

  private func code(of work: () async throws -> some Any) async -> VerificationError.Code? {
    do {
      _ = try await work()
      return nil
    } catch { return (error as? VerificationError)?.code }
  }

  private static let purchase = """
    {"app_account_token":"alice","bundle_id":"io.example.lumen","currency":"EUR","environment":"PRODUCTION",
    "fetched_at":"2027-01-15T08:00:00.000Z","order_id":"018f1b6e-7c1c-7000-8000-000000000001",
    "original_order_id":"018f1b6e-7c1c-7000-8000-000000000001","original_purchase_date":"2026-12-01T10:00:00.000Z",
    "price":199,"product_id":"coins_100","product_type":"CONSUMABLE","purchase_date":"2026-12-01T10:00:00.000Z",
    "quantity":1,"transaction_reason":"PURCHASE","user_country":"NL"}
    """
}
