import Foundation

@testable import OnsideStore
@testable import StorePayments
@testable import StoreWeb

extension BankPaymentProvider {
  static let address = "https://bank.example"

  func choices(_ context: ProviderPageContext) -> PaymentMethodChoices {
    let transfer = PaymentMethodChoice(
      value: "transfer", label: PaymentMethodLabel(name: "Bank transfer", note: "From any account"))
    return PaymentMethodChoices(choices: [transfer], legend: "Bank account", seldomLabel: "More")
  }

  func label(of method: PaymentMethodDetails, _ context: ProviderPageContext) -> PaymentMethodLabel {
    PaymentMethodLabel(
      name: method.label ?? method.brand,
      note: context.texts(.cardNote, ["brand": method.brand, "digits": method.lastFour ?? ""]))
  }

  func checkoutPart(_ context: ProviderPageContext) async throws -> ProviderPagePart? {
    ProviderPagePart(
      fields: BankFields(label: "Your <bank>", banks: ["north", "south"]), scripts: [.own(Self.script)],
      sources: PageSources(hasScripts: true, forms: [Self.address]))
  }

  func actionPage(_ request: ActionPageRequest) async throws -> ProviderPage {
    var address = URLComponents(string: "\(Self.address)/approve")
    address?.queryItems = [
      URLQueryItem(name: "transfer", value: request.charge.reference),
      URLQueryItem(name: "back", value: request.returnAddress.absoluteString),
    ]
    guard let url = address?.url else { throw Bank.Down() }
    return .elsewhere(url)
  }

  func setupPage(_ request: SetupPageRequest) async throws -> ProviderPage {
    .page(
      BankMandatePage(mandate: request.setup.reference ?? "", action: request.action),
      sources: PageSources(hasScripts: true, frames: [Self.address], connections: [Self.address]))
  }
}

/// The choice of a bank.
struct BankFields: PageFields {
  var label: String
  var banks: [String]

  static let template = """
    <p class="field"><label for="bank">{{fields.label}}</label><select id="bank" name="provider_bank">
    {{#fields.banks}}<option value="{{.}}">{{.}}</option>{{/fields.banks}}
    </select></p>
    """
}

/// Asks for a mandate.
struct BankMandatePage: Page {
  var mandate: String
  var action: String

  func title(_ texts: Texts) -> String { "Mandate" }

  static let template = """
    <div class="card stack"><h1>Mandate {{page.mandate}}</h1>
    <form method="post" action="{{page.action}}">{{>csrf}}
    <button class="button wide" name="provider_agreed" value="1">I agree</button></form></div>
    """
}
