import Foundation
import OnsideCommerce
import StoreBase
package import StorePayments
import StoreWeb

/// The page on which a buyer enters a card, in fields of Stripe's, or agrees at the bank to a payment with a saved one.
/// The fields are in a frame of Stripe's server: the number never reaches the store.
package struct StripeCardPage: Page {
  /// What the script confirms.
  enum Task: String, Sendable { case payment, setup }

  var task: String
  var heading: String
  var lead: String
  var price: String?
  /// Whether a card is to be entered; else the bank asks about a saved one.
  var asksCard: Bool
  /// What the buyer agrees to when the card is saved.
  var mandate: String?
  var submitLabel: String
  /// Whether the buyer may go back to the other ways to pay.
  var hasOther: Bool
  var action: String

  var publishableKey: String
  var clientSecret: String
  /// The saved method that pays; empty when a card is entered, or the payment has its method.
  var method: String
  var language: String
  var script: String
  var fieldScript: String

  static let frame = PageFrame(width: "narrow", isFlow: true)
  static let template = String(embedded: PackageResources.StripeCardPage_mustache)
  /// What runs on the page, beside Stripe's own script.
  static let script = ProviderScript(name: "stripe-card", text: String(embedded: PackageResources.stripe_card_js))

  func title(_ texts: Texts) -> String { heading }
}

/// Stripe's part of the pages.
extension StripePaymentProvider {
  /// The one choice beside saved methods.
  static let choice = "card"

  package func choices(_ context: ProviderPageContext) -> PaymentMethodChoices {
    let texts = context.texts
    let card = PaymentMethodChoice(
      value: Self.choice, label: PaymentMethodLabel(name: texts[.cardEntry], note: texts[.cardEntryNote]))
    return PaymentMethodChoices(choices: [card], legend: texts[.methodsAdd], seldomLabel: "")
  }

  package func label(of method: PaymentMethodDetails, _ context: ProviderPageContext) -> PaymentMethodLabel {
    // Older versions stored cards of subscriptions without their details.
    guard !method.brand.isEmpty else { return PaymentMethodLabel(name: context.texts[.cardEntry], note: "") }
    let note = context.texts(.cardNote, ["brand": method.brand, "digits": method.lastFour ?? ""])
    return PaymentMethodLabel(name: method.brand, note: note)
  }

  package func checkoutPart(_ context: ProviderPageContext) async throws -> ProviderPagePart? { nil }

  package func actionPage(_ request: ActionPageRequest) async throws -> ProviderPage {
    let intent = try await request.charge.isFree ? openSetup(request.charge) : openPayment(request.charge)
    guard let intent else { throw PaymentError.notFound }
    let texts = request.context.texts
    // A bank asks about a card that is saved, or was entered before.
    let asksCard = !request.charge.isSaved && !intent.isWaiting
    let page = StripeCardPage(
      task: (request.charge.isFree ? StripeCardPage.Task.setup : .payment).rawValue,
      heading: texts[asksCard ? .cardEntryTitle : .cardConfirmTitle],
      lead: texts[asksCard ? .cardEntrySafe : .cardConfirmLead], price: request.priceText, asksCard: asksCard,
      mandate: asksCard ? request.consent.map { texts.describe($0) } : nil,
      submitLabel: asksCard ? request.submitLabel : texts[.cardConfirmSubmit], hasOther: true,
      action: request.action, publishableKey: settings.publishableKey.value, clientSecret: intent.secret,
      method: asksCard || intent.isWaiting ? "" : request.charge.method, language: texts.language.rawValue,
      script: settings.scriptAddress, fieldScript: StripeCardPage.script.path)
    return .page(page, sources: Self.sources(settings))
  }

  /// What the page goes on with, and whether the bank waits for the buyer.
  private typealias OpenIntent = (secret: String, isWaiting: Bool)

  private func openPayment(_ charge: ChargeRequest) async throws -> OpenIntent? {
    let payment = try await find(charge)
    return payment?.clientSecret.map { ($0, payment?.status == .requiresAction) }
  }

  private func openSetup(_ charge: ChargeRequest) async throws -> OpenIntent? {
    let setup = try await findSetup(charge)
    return setup?.clientSecret.map { ($0, setup?.status == .requiresAction) }
  }

  package func setupPage(_ request: SetupPageRequest) async throws -> ProviderPage {
    guard let reference = request.setup.reference, let secret = try await client.setupIntent(reference).clientSecret
    else { throw PaymentError.notFound }
    let texts = request.context.texts
    let page = StripeCardPage(
      task: StripeCardPage.Task.setup.rawValue, heading: texts[.methodsAdd], lead: texts[.cardEntrySafe], price: nil,
      asksCard: true, mandate: texts.describe(.purchases), submitLabel: texts[.methodsAddSubmit], hasOther: false,
      action: request.action, publishableKey: settings.publishableKey.value, clientSecret: secret, method: "",
      language: texts.language.rawValue, script: settings.scriptAddress, fieldScript: StripeCardPage.script.path)
    return .page(page, sources: Self.sources(settings))
  }

  /// What the page is allowed: Stripe's script, its frames, its API. The script's hash changes, so that it cannot stand
  /// here.
  static func sources(_ settings: StripeSettings) -> PageSources {
    let script = origin(settings.scriptAddress)
    guard settings.apiAddress == StripeClient.address else {
      // Another Stripe of a sandbox: everything comes from there.
      let api = origin(settings.apiAddress)
      return PageSources(
        hasScripts: true, scripts: [script], frames: [script], connections: [api], inlineStyles: true)
    }
    let subdomains = "https://*.js.stripe.com"
    return PageSources(
      hasScripts: true, scripts: [script, subdomains],
      frames: ["https://js.stripe.com", subdomains, "https://hooks.stripe.com"],
      connections: ["https://api.stripe.com"])
  }

  private static func origin(_ address: String) -> String {
    guard let parts = URLComponents(string: address), let scheme = parts.scheme, let host = parts.host else {
      return "'none'"
    }
    return "\(scheme)://\(host)" + (parts.port.map { ":\($0)" } ?? "")
  }
}

extension Texts {
  /// What the buyer agrees to whose card is saved.
  fileprivate func describe(_ consent: MethodConsent) -> String {
    switch consent {
    case .purchases: self[.cardEntryMandate]
    case .renewals(let product): self(.cardEntryMandateRenewals, ["product": product.isolated])
    case .purchasesAndRenewals(let product): self(.cardEntryMandateBoth, ["product": product.isolated])
    }
  }
}
