package import Foundation
package import OnsideCommerce
package import StoreBase
package import StoreWeb

/// What a provider knows of a page when it makes its part of it.
package struct ProviderPageContext: Sendable {
  /// The texts in the visitor's language.
  package let texts: Texts
  /// The page's colours.
  package let theme: Theme
  /// The environment of the store.
  package let environment: StoreEnvironment
  /// What is to be paid; nil on the page of saved methods.
  package var charge: Charge?

  package init(texts: Texts, theme: Theme, environment: StoreEnvironment, charge: Charge? = nil) {
    self.texts = texts
    self.theme = theme
    self.environment = environment
    self.charge = charge
  }

  /// What a payment page asks for.
  package struct Charge: Sendable {
    /// The order, a UUID in lower case.
    package let orderID: String
    /// How much.
    package let amount: Money
    /// The region that the order runs in.
    package let country: CountryCode

    package init(orderID: String, amount: Money, country: CountryCode) {
      self.orderID = orderID
      self.amount = amount
      self.country = country
    }
  }
}

/// The request for the page on which the buyer does what a charge needs.
package struct ActionPageRequest: Sendable {
  /// The charge.
  package let charge: ChargeRequest
  /// The page's context.
  package let context: ProviderPageContext
  /// How the price is written on pages.
  package let priceText: String
  /// What the payment page has called the payment: `Pay € 9,99`, `Start free week`.
  package let submitLabel: String
  /// What the buyer agrees to who enters a method; nil when it is not saved.
  package let consent: MethodConsent?
  /// Who is paid: the store's name.
  package let payee: String
  /// The address that a form of the page is posted to, with the fields `csrf` and `answer`: `approve` when the buyer
  /// has done it (the store then calls ``PaymentProvider/confirm(_:)``), anything else when not.
  package let action: String
  /// The whole address where a bank may send the browser back to. The store then asks for the charge's status, whatever
  /// the address says.
  package let returnAddress: URL

  package init(
    charge: ChargeRequest, context: ProviderPageContext, priceText: String, submitLabel: String,
    consent: MethodConsent?, payee: String, action: String, returnAddress: URL
  ) {
    self.charge = charge
    self.context = context
    self.priceText = priceText
    self.submitLabel = submitLabel
    self.consent = consent
    self.payee = payee
    self.action = action
    self.returnAddress = returnAddress
  }
}

/// The request for the page on which the buyer does what saving a method needs.
package struct SetupPageRequest: Sendable {
  /// The setup, with the provider's reference.
  package let setup: MethodSetupRequest
  /// The page's context.
  package let context: ProviderPageContext
  /// The address that a form of the page is posted to, with the field `csrf` and with the provider's own fields. The
  /// store then calls ``PaymentProvider/finishSaving(_:)``.
  package let action: String
  /// The whole address where a bank may send the browser back to.
  package let returnAddress: URL

  package init(setup: MethodSetupRequest, context: ProviderPageContext, action: String, returnAddress: URL) {
    self.setup = setup
    self.context = context
    self.action = action
    self.returnAddress = returnAddress
  }
}

/// A page of a provider.
package enum ProviderPage: Sendable {
  /// A page in the store's frame.
  case page(any Page, sources: PageSources = PageSources())
  /// A page elsewhere, such as a bank's. The sources of the page before have to allow it (``PageSources/forms``).
  case elsewhere(URL)
}

/// The provider's own part of the payment page: fields inside the form, and scripts.
package struct ProviderPagePart: Sendable {
  /// Inside the form, below the choices. Names of inputs begin with `provider_`.
  package var fields: (any PageFields)?
  /// The scripts, in the order in which they run.
  package var scripts: [ProviderScriptReference] = []
  /// What the page has to be allowed.
  package var sources = PageSources()
}

/// A script of a provider's own that the store serves. It reads what it needs from `data-…` attributes of the page.
package struct ProviderScript: Sendable {
  /// The provider's name and what the script does: `stripe-fields`.
  package let name: String
  /// JavaScript.
  package let text: String

  package init(name: String, text: String) {
    self.name = name
    self.text = text
  }

  /// The name changes with the text, so that a browser may keep it for a year.
  package var fileName: String { "\(name)-\(text.sha256Base64URL.prefix(12)).js" }
  /// Where the store serves it.
  package var path: String { "/assets/\(fileName)" }
}

/// A script that a page runs.
package enum ProviderScriptReference: Sendable {
  /// One that the store serves.
  case own(ProviderScript)
  /// One of the provider's server; its origin has to be in ``PageSources/scripts``.
  case elsewhere(URL)

  /// The address for the page.
  package var address: String {
    switch self {
    case .own(let script): script.path
    case .elsewhere(let url): url.absoluteString
    }
  }
}
