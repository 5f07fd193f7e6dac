import Foundation

/// What each step looks like from outside: by the operator's commands and on the account's pages.
struct SubscriptionProofs {
  /// The text of the account's pages now.
  let page: String
  /// The subscription at the step before.
  let before: ShownSubscription?
  /// The subscription at this step.
  let shown: ShownSubscription
  let browser: SubscriberBrowser
  let showAgain: () async throws -> ShownSubscription
  let run: ([String]) throws -> String

  /// Proves a step, and says how.
  func prove(_ name: String) async throws -> String {
    switch name {
    case "trial": return try look("Active", state: "active", paid: [0])
    case "renewal": return try await renewal()
    case "failed card": return try failedCard()
    case "new card": return try look("Active", state: "active", paid: [0, 999, 999])
    case "upgrade": return try await upgrade()
    case "pause": return try look("Paused", state: "paused", paid: [0, 999, 999, 1999])
    case "resumption": return try look("Active", state: "active", paid: [0, 999, 999, 1999, 1999])
    case "lapse": return try lapse()
    case "offer": return try look("4,99", state: "expired", paid: [0, 999, 999, 1999, 1999])
    case "win-back": return try look("Active", state: "active", paid: [0, 999, 999, 1999, 1999, 499])
    case "offer renewed": return try look("Active", state: "active", paid: [0, 999, 999, 1999, 1999, 499, 499])
    case "refund": return try await refund()
    default: throw DemoFailure("the device reports \(name)")
    }
  }

  /// Compares the word on the page, the state, and the prices of the orders, in cents.
  private func look(_ word: String, state: String, paid: [Int64]) throws -> String {
    try expect(page.contains(word), "the account page does not say “\(word)”: \(page.prefix(400))")
    let now = shown.facts["state"] ?? ""
    try expect(now.hasPrefix(state), "the store says \(now), expected \(state)")
    let prices = shown.walk.map(\.price)
    try expect(prices == paid, "the orders cost \(prices), expected \(paid)")
    return "the page says “\(word)”, \(paid.count) order\(paid.count == 1 ? "" : "s") in the store"
  }

  private func renewal() async throws -> String {
    let seen = try look("Active", state: "active", paid: [0, 999])
    let receipt = try await browser.receipt()
    try expect(receipt.contains("9,99"), "the receipt does not say 9,99: \(receipt.prefix(300))")
    return "\(seen), a receipt of € 9,99"
  }

  private func failedCard() throws -> String {
    let seen = try look("Payment failed", state: "grace", paid: [0, 999, 999])
    let tries = shown.walk.last?.events ?? []
    try expect(
      tries.count == 1 && tries[0].contains("declined"), "the tries of the third period are \(tries)")
    return "\(seen), one refused try"
  }

  /// The unused part is computed here once more, from what the step before has shown.
  private func upgrade() async throws -> String {
    let seen = try look("Active", state: "active", paid: [0, 999, 999, 1999])
    guard let before, let end = before.walk.last?.end, let start = before.walk.dropLast().last?.end else {
      throw DemoFailure("the period before the upgrade is not known")
    }
    let refunds = try await settledRefunds(ofPeriod: 3)
    let order = try run(["order", "show", shown.walk.last?.order ?? ""])
    guard let paid = order.firstMatch(of: /(?m)^paid +(\S+)$/).flatMap({ ShownSubscription.date($0.1) }) else {
      throw DemoFailure("the upgrade is not paid: \(order)")
    }
    // The commands show whole seconds.
    let expected = Set(
      [0, 1].map { Int64(end.timeIntervalSince(paid + $0)) * 999 / Int64(end.timeIntervalSince(start)) })
    try expect(
      refunds.count == 1 && expected.contains(refunds[0]), "\(refunds) cents went back, expected \(expected)")
    return "\(seen), \(refunds[0]) cents of 999 went back for the rest of the period"
  }

  private func lapse() throws -> String {
    let state = shown.facts["state"] ?? ""
    try expect(state == "expired (CANCELLED)", "the store says \(state), expected expired (CANCELLED)")
    let count = shown.walk.count
    try expect(count == 5, "there are \(count) orders, expected 5")
    return "no order was made"
  }

  private func refund() async throws -> String {
    let refunds = try await settledRefunds(ofPeriod: 7)
    try expect(refunds == [499], "\(refunds) cents went back, expected 499")
    let state = shown.facts["state"] ?? ""
    try expect(state.hasPrefix("revoked"), "the store says \(state), expected revoked")
    try expect(page.contains("Refunded"), "the account page does not say “Refunded”")
    return "499 cents went back, the page says “Refunded”"
  }

  private func settledRefunds(ofPeriod number: Int) async throws -> [Int64] {
    var now = shown
    for _ in 0..<50 {
      let refunds = now.walk.first { $0.period == number }?.refunds ?? []
      if !refunds.isEmpty { return refunds }
      try await Task.sleep(for: .milliseconds(100))
      now = try await showAgain()
    }
    throw DemoFailure("no refund of period \(number) has settled")
  }
}
