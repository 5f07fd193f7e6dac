import Foundation
import OnsideAPI
import OnsideKit
import OnsideStore
import ScriptedBrowser
import StoreTestSupport
import StripeDouble

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A payment provider that a case is tried with.
enum TestedProvider: String, Sendable, CaseIterable {
  /// The store's own test cards.
  case sandbox
  /// Stripe's API, as a double of it plays it.
  case stripe

  /// Runs a case in a system whose store is paid through the provider.
  @MainActor
  func run(_ body: @escaping @MainActor @Sendable (TestedSystem, Cashier) async throws -> Void) async throws {
    guard self == .stripe else { return try await TestedSystem.run { try await body($0, Cashier(stripe: nil)) } }
    try await StripeServerDouble.run(now: { Date() }) { stripe in
      try await TestedSystem.run(paidThrough: stripe) { try await body($0, Cashier(stripe: stripe)) }
    }
  }
}

/// What a buyer pays with.
enum TestedCard: Sendable {
  /// Pays at once.
  case accepted
  /// Is refused.
  case declined
  /// Its bank asks the buyer.
  case asksBuyer
  /// Pays at once; then its owner objects, and the store wins the dispute.
  case disputeWon
  /// The same, and the store loses.
  case disputeLost

  var inSandbox: String {
    switch self {
    case .accepted: "succeeds"
    case .declined: "declined"
    case .asksBuyer: "second_step"
    case .disputeWon: "dispute_won"
    case .disputeLost: "dispute_lost"
    }
  }

  /// A test card of Stripe's.
  var number: String {
    switch self {
    case .accepted: "4242424242424242"
    case .declined: "4000000000009995"
    case .asksBuyer: "4000002760003184"
    case .disputeWon, .disputeLost: "4000000000000259"
    }
  }
}

/// Pays on the provider's pages as buyer and browser do, and lets the provider tell the store.
struct Cashier: Sendable {
  /// The double of Stripe; nil with the sandbox.
  let stripe: StripeServerDouble?

  /// Pays with each card in turn, until one is accepted.
  /// - Parameter look: is shown the page on which a card of Stripe's is entered.
  func pay(
    _ visit: Visit, with cards: TestedCard..., seeing look: @Sendable (Browser.Page) -> Void = { _ in }
  ) async throws -> ScreenOutcome {
    var page = try await visit.browser.open(visit.address)
    guard let stripe else {
      for card in cards { page = try await payInSandbox(visit, card, on: page) }
      return try visit.leave(page)
    }
    var form = try page.form(with: "method")
    form.set("method", to: "card_card")
    page = try await visit.browser.submit(form, of: page)
    look(page)
    for card in cards { try await enter(card, on: page, at: stripe) }
    return try visit.leave(try await approve(page, in: visit.browser))
  }

  /// Lets the provider tell what it has not told yet; all of it so often, the last first.
  func tell(copies: Int) async {
    guard let stripe else { return }
    var policy = DeliveryPolicy()
    (policy.copies, policy.order) = (copies, .reversed)
    stripe.setPolicy(policy)
    await stripe.deliver()
  }

  /// Lets the bank take the money of a disputed payment, which the sandbox does ten seconds later.
  func openDispute(in system: TestedSystem) async throws {
    if stripe == nil { try await system.letTimePass(seconds: 10) } else { await tell(copies: 1) }
  }

  /// Lets the dispute end as its card says.
  func closeDispute(of card: TestedCard, in system: TestedSystem) async throws {
    guard let stripe else { return try await system.letTimePass(seconds: 20) }
    for id in stripe.disputeIDs { try stripe.close(id, as: card == .disputeWon ? "won" : "lost") }
    await tell(copies: 2)
  }

  private func payInSandbox(_ visit: Visit, _ card: TestedCard, on page: Browser.Page) async throws -> Browser.Page {
    let next = try await visit.paid(with: card.inSandbox, on: page)
    guard card == .asksBuyer else { return next }
    return try await approve(next, in: visit.browser)
  }

  /// Presses the button of a provider's page that goes on.
  private func approve(_ page: Browser.Page, in browser: Browser) async throws -> Browser.Page {
    guard var form = HTMLForm.all(in: page.html).first(where: { $0.buttons["answer"]?.contains("approve") == true })
    else { throw BrowserFailure("the page at \(page.url.path) has nothing to approve: \(page.text.prefix(300))") }
    form.set("answer", to: "approve")
    return try await browser.submit(form, of: page)
  }

  /// What Stripe's script does with a card that is entered in its fields. A card that is declined leaves the page.
  private func enter(_ card: TestedCard, on page: Browser.Page, at stripe: StripeServerDouble) async throws {
    guard let secret = page.html.firstMatch(of: /data-secret="([^"]+)"/).map({ String($0.1) }),
      let intent = secret.firstRange(of: "_secret").map({ String(secret[..<$0.lowerBound]) }),
      let url = URL(
        string: "\(stripe.address)/v1/\(intent.hasPrefix("seti_") ? "setup" : "payment")_intents/\(intent)/confirm")
    else { throw BrowserFailure("the page has no fields of Stripe's; it says: \(page.text.prefix(300))") }
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    request.setValue("Bearer \(stripe.publishableKey)", forHTTPHeaderField: "Authorization")
    request.setValue("2026-10-28.endive", forHTTPHeaderField: "Stripe-Version")
    request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
    let fields = [
      "client_secret=\(secret)", "payment_method_data[type]=card",
      "payment_method_data[card][number]=\(card.number)", "payment_method_data[card][exp_month]=12",
      "payment_method_data[card][exp_year]=2034", "payment_method_data[card][cvc]=123",
    ]
    request.httpBody = Data(fields.joined(separator: "&").utf8)
    let (data, response) = try await URLSession.shared.answer(to: request)
    let status = (response as? HTTPURLResponse)?.statusCode
    guard status == (card == .declined ? 402 : 200) else {
      throw BrowserFailure("Stripe answered \(status ?? 0): \(String(decoding: data.prefix(300), as: UTF8.self))")
    }
    if card == .asksBuyer { try stripe.authenticate(intent) }
  }
}
