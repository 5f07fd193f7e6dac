import Foundation
import OnsideStore
import StoreTestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct OfferCodeCommandTests {
  private let onside: Program
  private static let shop = """
    {
      "products": [],
      "settings": { "_storefront": "NLD" },
      "subscriptionGroups": [{ "id": "g", "name": "Pro", "localizations": [], "subscriptions": [{
        "productID": "pro", "type": "RecurringSubscription", "displayPrice": "9.99", "referenceName": "Pro",
        "recurringSubscriptionPeriod": "P1M", "groupNumber": 1,
        "localizations": [{ "locale": "nl", "displayName": "Pro", "description": "" }],
        "codeOffers": [{ "referenceName": "spring", "paymentMode": "free", "subscriptionPeriod": "P1M",
          "eligibility": ["new", "expired"] }] }] }],
      "version": { "major": 4, "minor": 0 }
    }
    """

  init() throws { onside = try Program() }

  @Test("SUB-11: codes are made, listed, exported and disabled; mistakes are errors that change nothing")
  func codes() async throws {
    let app = ["--app", "io.example.lumen"]
    let offer = app + ["--product", "pro", "--offer", "spring"]
    let status = try await onside.run("app", "add", "io.example.lumen").status
    try #require(status == 0)
    try onside.folder.write("lumen.storekit", text: Self.shop)
    let imported = try await onside.run(["import", "lumen.storekit"] + app)
    try #require(imported.status == 0 && !imported.output.contains("ignored"), "\(imported)")
    let output = try await onside.run(["offer-code", "list"] + app).output
    #expect(output == "io.example.lumen has no offer codes.\n")
    let made = try await onside.run(["offer-code", "create", "--count", "3"] + offer).output.split(separator: "\n")
    #expect(made.count == 3 && made.allSatisfy { $0.count == 14 }, "\(made)")
    let custom = try await onside.run(
      ["offer-code", "create", "--custom", "spring26", "--limit", "100", "--expires", "2199-12-31"] + offer)
    #expect(custom.output == "SPRING26\n", "\(custom)")
    let list = try await onside.run(["offer-code", "list"] + app).output
    let rows = list.split(separator: "\n").map { $0.split(separator: " ") }
    #expect(rows.contains(["SPRING26", "pro", "spring", "1", "0", "100", "2199-12-31", "on"]), "\(list)")
    let secondOutput = try await onside.run(["offer-code", "export", "SPRING26"] + app).output
    #expect(secondOutput == "code,used,limit\nSPRING26,0,100\n")
    let secondStatus = try await onside.run(["offer-code", "disable", "SPRING26"] + app).status
    #expect(secondStatus == 0)
    let before = try await onside.run(["offer-code", "list"] + app).output
    for arguments in [
      ["disable", "SPRING26"] + app, ["export", "none"] + app, ["create", "--count", "0"] + offer,
      ["create"] + offer, ["create", "--custom", "a!", "--limit", "1"] + offer,
      ["create", "--custom", "SPRING26", "--limit", "1"] + offer,
      ["create", "--count", "1", "--expires", "tomorrow"] + offer,
      ["create", "--count", "1", "--product", "pro", "--offer", "none"] + app,
    ] {
      let outcome = try await onside.run(["offer-code"] + arguments)
      #expect(outcome.status != 0 && outcome.output.isEmpty && !outcome.errors.isEmpty, "\(arguments) \(outcome)")
    }
    let after = try await onside.run(["offer-code", "list"] + app).output
    #expect(after == before)
  }
}
