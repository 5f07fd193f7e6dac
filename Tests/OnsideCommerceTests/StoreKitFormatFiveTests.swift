import Foundation
import OnsideCommerce
import Testing

/// A file of format 5 with what Xcode 26 writes into it: billing plans, offers of one of them, and the introductory
/// offer once more for older versions of Xcode.
@Suite(.timeLimit(.minutes(5))) struct StoreKitFormatFiveTests {
  private func file() throws -> StoreKitConfiguration {
    let files = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Files")
    return try .decode(Data(contentsOf: files.appending(path: "BillingPlans.storekit")), path: "BillingPlans.storekit")
  }

  @Test("LOC-1: an introductory offer that is there twice counts once")
  func introductoryOffer() throws {
    let subscription = try #require(file().products.first?.subscription)
    let trial = Offer(
      id: "pro_yearly.introductory", kind: .introductory, mode: .freeTrial,
      period: try #require(Period(iso8601: "P2W")))
    #expect(subscription.offers.filter { $0.kind == .introductory } == [trial])
  }

  @Test("LOC-1: an introductory offer beside a list without it counts, too")
  func olderOffer() throws {
    let json = """
      {"subscriptionGroups": [{"id": "g", "subscriptions": [{
        "productID": "pro", "displayPrice": "1", "recurringSubscriptionPeriod": "P1M",
        "introductoryOffer": {"internalID": "a", "paymentMode": "free", "subscriptionPeriod": "P1W"},
        "introductoryOffers": [{"internalID": "b", "paymentMode": "free", "subscriptionPeriod": "P1M"}]}]}],
       "version": {"major": 5}}
      """
    let configuration = try StoreKitConfiguration.decode(Data(json.utf8), path: "Test.storekit")
    #expect(configuration.products.first?.subscription?.offers.map(\.period) == [.oneWeek, .oneMonth])
    #expect(configuration.ignored == [])
  }

  @Test("LOC-1: offers of a billing plan that is not sold are not given for the one that is")
  func offersOfPlans() throws {
    let file = try file()
    #expect(file.products.first?.subscription?.offers.map(\.id) == ["pro_yearly.introductory", "come_back", "Fair"])
    for place in ["introductoryOffers[1]", "adHocOffers[1]"] {
      #expect(
        file.ignored.contains {
          $0.hasPrefix("subscriptionGroups[0].subscriptions[0].\(place).billingPlanType: expected BILLED_UPFRONT")
        })
    }
  }

  @Test("LOC-1: everything that is left out is listed, and nothing else")
  func ignored() throws {
    let file = try file()
    #expect(file.formatVersion == 5)
    #expect(file.products.map(\.id) == ["pro_yearly", "pro_other"])
    #expect(file.brokenProducts == [])
    #expect(file.settings.storeKitErrors == [StoreKitFailure(operation: "Purchase", kind: "generic")])
    let places = file.ignored.map { $0.prefix { $0 != ":" } }
    let (group, yearly, other) = (
      "subscriptionGroups[0]", "subscriptionGroups[0].subscriptions[0]", "subscriptionGroups[0].subscriptions[1]"
    )
    #expect(
      places.sorted() == [
        "appPolicies.policies[0].policyURL", "\(group).localizations[0].displayName",
        "\(yearly).adHocOffers[1].billingPlanType",
        "\(yearly).billingPlans[1].billingPlanType",
        "\(yearly).codeOffers[0].isStackable", "\(yearly).introductoryOffers[1].billingPlanType",
        "\(other).billingPlans[0].displayPrice", "\(other).promotionalImageID",
      ])
  }
}
