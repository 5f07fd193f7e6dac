import Foundation
import OnsideStore
import StoreTestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct OfferingCommandTests {
  private let onside: Program
  private static let shop = """
    {
      "products": [
        { "productID": "gold", "type": "Consumable", "displayPrice": "0.99", "referenceName": "Gold",
          "localizations": [{ "locale": "nl", "displayName": "Goud", "description": "" }] },
        { "productID": "skin", "type": "NonConsumable", "displayPrice": "1.99", "referenceName": "Skin",
          "localizations": [{ "locale": "nl", "displayName": "Huid", "description": "" }] }
      ],
      "settings": { "_storefront": "NLD" }, "subscriptionGroups": [], "version": { "major": 4, "minor": 0 }
    }
    """

  init() throws { onside = try Program() }

  @Test("PRD-11: offerings are set, listed and removed; mistakes are errors that change nothing")
  func offerings() async throws {
    let app = ["--app", "io.example.lumen"]
    let status = try await onside.run("app", "add", "io.example.lumen").status
    try #require(status == 0)
    let output = try await onside.run(["offering", "list"] + app).output
    #expect(output == "io.example.lumen has no offerings.\n")
    try onside.folder.write("lumen.storekit", text: Self.shop)
    let secondStatus = try await onside.run(["import", "lumen.storekit"] + app).status
    try #require(secondStatus == 0)
    let set = try await onside.run(
      ["offering", "set", "plans", "gold", "skin", "--metadata", "layout=wide", "--current"] + app)
    #expect(set.output == "Offering plans of io.example.lumen has 2 products.\n", "\(set)")
    let before = try await onside.run(["offering", "list"] + app).output
    #expect(
      before == """
        OFFERING  CURRENT  PRODUCTS   METADATA
        plans     yes      gold skin  layout=wide

        """)
    for arguments in [
      ["plans", "unknown"], ["two words", "gold"], ["plans", "gold", "--metadata", "layout"],
      ["plans", "gold", "--metadata", "a=1", "--metadata", "a=2"],
    ] {
      let outcome = try await onside.run(["offering", "set"] + arguments + app)
      #expect(outcome.status != 0 && outcome.output.isEmpty && !outcome.errors.isEmpty, "\(arguments)")
    }
    let after = try await onside.run(["offering", "list"] + app).output
    #expect(after == before)
    let thirdStatus = try await onside.run(["offering", "remove", "plans"] + app).status
    #expect(thirdStatus == 0)
    let fourthStatus = try await onside.run(["offering", "remove", "plans"] + app).status
    #expect(fourthStatus != 0)
  }
}
