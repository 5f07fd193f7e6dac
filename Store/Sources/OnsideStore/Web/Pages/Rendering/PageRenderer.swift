import Mustache
import OnsideCommerce
import Synchronization

/// Turns pages into HTML. Everything that a template shows is escaped; only pieces that were rendered before are not.
struct PageRenderer: Sendable {
  private let library: MustacheLibrary
  private let storeName: String
  private let isSandbox: Bool

  /// Reads all templates. A template with a mistake in it is a programmer error.
  init(storeName: String, isSandbox: Bool, providers: [ProviderTraits] = []) {
    var templates = PageParts.all.mapValues(Self.parse)
    templates["layout"] = Self.parse(Layout.template)
    for page in PageCatalogue.all + providers.flatMap(\.pages) {
      templates[Self.name(page)] = Self.parse(page.template)
    }
    for fields in providers.flatMap(\.parts) { templates[Self.name(fields)] = Self.parse(fields.template) }
    library = MustacheLibrary(templates: templates)
    self.storeName = storeName
    self.isSandbox = isSandbox
  }

  /// The whole document of a page.
  func html<P: Page>(_ page: P, look: PageLook) -> String {
    let texts = Texts(look.language)
    let table = texts.byName
    let context = PageContext(t: table, csrf: look.csrf, formPage: look.address, page: page)
    let content = library.render(context, withTemplate: Self.name(P.self))
    let prefix = page.hasError ? texts[.errorPrefix] + ": " : ""
    let layout = Layout(
      language: look.language.rawValue, direction: look.language.direction, theme: look.theme.rawValue,
      title: "\(prefix)\(page.title(texts)) – \(storeName)", stylesheet: StyleSheet.current.path,
      brand: page.brand(texts) ?? storeName, bodyClass: P.frame.bodyClass, width: P.frame.width, isFlow: P.frame.isFlow,
      isSandbox: isSandbox,
      isLoggedIn: look.isLoggedIn, refresh: P.frame.refresh, content: content ?? "")
    return library.render(LayoutContext(t: table, layout: layout), withTemplate: "layout") ?? ""
  }

  /// A provider's fields, for a form of a page.
  func html<F: ProviderFields>(_ fields: F, look: PageLook) -> String {
    let context = FieldsContext(t: Texts(look.language).byName, fields: fields)
    return library.render(context, withTemplate: Self.name(F.self)) ?? ""
  }

  /// The parsed templates of this process by their text.
  private static let parsed = Mutex<[String: MustacheTemplate]>([:])

  private static func parse(_ text: String) -> MustacheTemplate {
    if let known = parsed.withLock({ $0[text] }) { return known }
    do {
      let template = try MustacheTemplate(string: text)
      parsed.withLock { $0[text] = template }
      return template
    } catch {
      preconditionFailure("A template cannot be read (\(error)): \(text)")
    }
  }

  private static func name(_ template: Any.Type) -> String { String(describing: template) }
}

/// How a page is to look to this visitor, whatever it shows.
struct PageLook: Sendable {
  var language: Language = .english
  var theme: Theme = .auto
  var csrf = ""
  var isLoggedIn = false
  /// The path and query by which the browser gets the page; nil for the answer to a form.
  var address: String?

  var texts: Texts { Texts(language) }
}

/// The colours that an app asks for; `auto` follows the system.
package enum Theme: String, Sendable {
  case auto, light, dark
}

private struct PageContext<P: Page> {
  var t: [String: String]
  var csrf: String
  var formPage: String?
  var page: P
}

private struct FieldsContext<F: ProviderFields> {
  var t: [String: String]
  var fields: F
}

private struct LayoutContext {
  var t: [String: String]
  var layout: Layout
}

/// Every page there is; the tests go through all of them.
enum PageCatalogue {
  static let all = store + BuiltInProviders.pages

  private static let store: [any Page.Type] = [
    HomePage.self, ShopPage.self, LandingPage.self, PhonePage.self, EmailPage.self, RedeemPage.self, ContinuePage.self,
    ConsentPage.self,
    CodePage.self, RegionPage.self, WalletAddressPage.self, WalletChallengePage.self, LoginMethodsPage.self,
    LoginRefusedPage.self,
    CheckoutPage.self, PendingPage.self, ClosedPage.self, ReceiptPage.self,
    AlreadyOwnedPage.self,
    RenewPlanPage.self,
    PaymentMethodsPage.self, MethodRemovalPage.self, RefundPage.self, SubscriptionPage.self, SubscriptionListPage.self,
    AccountPage.self,
    AccountLoginMethodsPage.self,
    RegionChangePage.self,
    AccountChoicePage.self, AccountDataPage.self,
    AccountDeletedPage.self,
    ProblemPage.self,
  ]
}
