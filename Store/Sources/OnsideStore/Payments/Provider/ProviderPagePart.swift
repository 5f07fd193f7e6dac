import Foundation
import OnsideCommerce
import StoreBase
import StoreWeb

/// What a provider knows of a page when it makes its part of it.
struct ProviderPageContext: Sendable {
  /// The texts in the visitor's language.
  let texts: Texts
  /// The page's colours.
  let theme: Theme
  /// The environment of the store.
  let environment: StoreEnvironment
  /// What is to be paid; nil on the page of saved methods.
  var charge: Charge?

  /// What a payment page asks for.
  struct Charge: Sendable {
    /// The order, a UUID in lower case.
    let orderID: String
    /// How much.
    let amount: Money
    /// The region that the order runs in.
    let country: CountryCode
  }
}

/// The request for the page on which the buyer does what a charge needs.
struct ActionPageRequest: Sendable {
  /// The charge.
  let charge: ChargeRequest
  /// The page's context.
  let context: ProviderPageContext
  /// How the price is written on pages.
  let priceText: String
  /// What the payment page has called the payment: `Pay € 9,99`, `Start free week`.
  let submitLabel: String
  /// What the buyer agrees to who enters a method; nil when it is not saved.
  let consent: MethodConsent?
  /// Who is paid: the store's name.
  let payee: String
  /// The address that a form of the page is posted to, with the fields `csrf` and `answer`: `approve` when the buyer
  /// has done it (the store then calls ``PaymentProvider/confirm(_:)``), anything else when not.
  let action: String
  /// The whole address where a bank may send the browser back to. The store then asks for the charge's status, whatever
  /// the address says.
  let returnAddress: URL
}

/// The request for the page on which the buyer does what saving a method needs.
struct SetupPageRequest: Sendable {
  /// The setup, with the provider's reference.
  let setup: MethodSetupRequest
  /// The page's context.
  let context: ProviderPageContext
  /// The address that a form of the page is posted to, with the field `csrf` and with the provider's own fields. The
  /// store then calls ``PaymentProvider/finishSaving(_:)``.
  let action: String
  /// The whole address where a bank may send the browser back to.
  let returnAddress: URL
}

/// A page of a provider.
enum ProviderPage: Sendable {
  /// A page in the store's frame.
  case page(any Page, sources: PageSources = PageSources())
  /// A page elsewhere, such as a bank's. The sources of the page before have to allow it (``PageSources/forms``).
  case elsewhere(URL)
}

/// The provider's own part of the payment page: fields inside the form, and scripts.
struct ProviderPagePart: Sendable {
  /// Inside the form, below the choices. Names of inputs begin with `provider_`.
  var fields: (any PageFields)?
  /// The scripts, in the order in which they run.
  var scripts: [ProviderScriptReference] = []
  /// What the page has to be allowed.
  var sources = PageSources()
}

/// A script of a provider's own that the store serves. It reads what it needs from `data-…` attributes of the page.
struct ProviderScript: Sendable {
  /// The provider's name and what the script does: `stripe-fields`.
  let name: String
  /// JavaScript.
  let text: String

  /// The name changes with the text, so that a browser may keep it for a year.
  var fileName: String { "\(name)-\(text.sha256Base64URL.prefix(12)).js" }
  /// Where the store serves it.
  var path: String { "/assets/\(fileName)" }
}

/// A script that a page runs.
enum ProviderScriptReference: Sendable {
  /// One that the store serves.
  case own(ProviderScript)
  /// One of the provider's server; its origin has to be in ``PageSources/scripts``.
  case elsewhere(URL)

  /// The address for the page.
  var address: String {
    switch self {
    case .own(let script): script.path
    case .elsewhere(let url): url.absoluteString
    }
  }
}
