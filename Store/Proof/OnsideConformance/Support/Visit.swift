import Foundation
import OnsideKit
import ScriptedBrowser

/// One screen before a user, with a browser of its own.
struct Visit: Sendable {
  let screen: OnsideScreen
  /// The page that the SDK shows.
  let address: URL
  /// Where the page leads back to.
  let redirect: URL
  let user: SimulatedUser
  let browser = Browser()

  /// Opens the page.
  func open() async throws -> Browser.Page { try await browser.open(address) }

  func doAsUsual() async throws -> ScreenOutcome {
    switch screen {
    case .login: try await logIn()
    case .payment: try await pay()
    default: try await finishMethods()
    }
  }

  /// Types number and code; a new user also confirms the region, or chooses another.
  func logIn(country: String? = nil) async throws -> ScreenOutcome {
    if user.local != nil {
      return try leave(try await press("go", on: try await open()) { $0.set("name", to: user.phone) })
    }
    let asked = try await typeNumber()
    var code = try asked.form(with: "code")
    code.set("code", to: try await user.messages.code(to: user.phone))
    var page = try await browser.submit(code, of: asked)
    if page.departure == nil, var region = try? page.form(with: "country") {
      if let country { region.set("country", to: country) }
      page = try await browser.submit(region, of: page)
    }
    return try leave(page)
  }

  /// Goes as far as the page that asks for the code.
  func typeNumber() async throws -> Browser.Page { try await typeNumber(on: try await open()) }

  private func typeNumber(on page: Browser.Page) async throws -> Browser.Page {
    var number = try page.form(with: "phone")
    number.set("phone", to: user.phone)
    return try await browser.submit(number, of: page)
  }

  /// Pays with a test card.
  func pay(with card: String = "succeeds") async throws -> ScreenOutcome {
    try leave(try await paid(with: card, on: try await open()))
  }

  /// Chooses a test card on a page and sends it; the page that comes of it.
  func paid(with card: String, on page: Browser.Page) async throws -> Browser.Page {
    if let local = user.local {
      if card == "declined" { local.failNext(.purchase, with: .serviceUnavailable) }
      return try await press("go", on: page)
    }
    var form = try page.form(with: "method")
    form.set("method", to: "card_\(card)")
    return try await browser.submit(form, of: page)
  }

  /// Presses the page's own button to give up.
  func cancel() async throws -> ScreenOutcome { try await cancel(on: try await open()) }

  func cancel(on page: Browser.Page) async throws -> ScreenOutcome {
    if user.local != nil { return try leave(try await press("cancel", on: page)) }
    guard let form = HTMLForm.all(in: page.html).first(where: { $0.action.contains("/cancel") }) else {
      throw BrowserFailure("the page at \(page.url.path) cannot be cancelled; it says: \(page.text.prefix(300))")
    }
    return try leave(try await browser.submit(form, of: page))
  }

  /// Presses a button of a page of the local store.
  func press(
    _ act: String, on page: Browser.Page, filling fill: (inout HTMLForm) -> Void = { _ in }
  ) async throws -> Browser.Page {
    guard var form = HTMLForm.all(in: page.html).first, form.buttons["act"]?.contains(act) == true else {
      throw BrowserFailure("the page at \(page.url.path) has no button for “\(act)”; it says: \(page.text.prefix(300))")
    }
    form.set("act", to: act)
    fill(&form)
    return try await browser.submit(form, of: page)
  }

  func finishMethods() async throws -> ScreenOutcome { try await finishMethods(on: try await open()) }

  func finishMethods(on page: Browser.Page) async throws -> ScreenOutcome {
    guard let form = HTMLForm.all(in: page.html).first(where: { $0.action.contains("/done") }) else {
      throw BrowserFailure("the page at \(page.url.path) has no way back; it says: \(page.text.prefix(300))")
    }
    return try leave(try await browser.submit(form, of: page))
  }

  /// Opens the page of a screen, and logs in there: each visit has a browser of its own.
  func openLoggedIn() async throws -> Browser.Page {
    let page = try await open()
    guard page.url.path.hasPrefix("/login/") else { return page }
    return try await loggedIn(on: page)
  }

  /// Logs in on a page that asks for the number; the page that the login leads back to.
  private func loggedIn(on page: Browser.Page) async throws -> Browser.Page {
    let asked = try await typeNumber(on: page)
    var code = try asked.form(with: "code")
    code.set("code", to: try await user.messages.code(to: user.phone))
    return try await browser.submit(code, of: asked)
  }

  /// Logs in on the page of an order for a plan that the account has already, and switches the plan's renewal on.
  func renewPlan() async throws -> ScreenOutcome {
    let page = try await open()
    guard user.local == nil else { return try await renewPlan(on: page) }
    return try await renewPlan(on: try await loggedIn(on: try await renewalSubmitted(on: page)))
  }

  /// The same, on a page of a browser that is logged in.
  func renewPlan(on page: Browser.Page) async throws -> ScreenOutcome {
    if user.local != nil { return try leave(try await press("go", on: page)) }
    return try leave(try await renewalSubmitted(on: page))
  }

  private func renewalSubmitted(on page: Browser.Page) async throws -> Browser.Page {
    guard let form = HTMLForm.all(in: page.html).first(where: { $0.action.contains("/renewal") }) else {
      throw BrowserFailure("the page at \(page.url.path) renews no plan; it says: \(page.text.prefix(300))")
    }
    return try await browser.submit(form, of: page)
  }

  /// Follows the link of a page that leads back into the app.
  func goBack(from page: Browser.Page) async throws -> ScreenOutcome {
    if user.local != nil { return try leave(try await press("cancel", on: page)) }
    let links = page.html.matches(of: /href="([^"]*)"/).map { HTMLForm.unescaped(String($0.1)) }
    guard let back = links.first(where: { $0.hasPrefix(redirect.absoluteString) }).flatMap({ URL(string: $0) }) else {
      throw BrowserFailure("the page at \(page.url.path) has no way back; it says: \(page.text.prefix(300))")
    }
    return .redirected(back)
  }

  /// Switches the renewal of the only subscription off, and goes back to the app.
  func stopRenewing() async throws -> ScreenOutcome {
    let page = try await openLoggedIn()
    guard var form = HTMLForm.all(in: page.html).first(where: { $0.buttons["renewal"]?.contains("off") == true }) else {
      throw BrowserFailure("the page at \(page.url.path) has no way to stop: \(page.text.prefix(300))")
    }
    form.set("renewal", to: "off")
    let stopped = try await browser.submit(form, of: page)
    guard user.local != nil, let done = HTMLForm.all(in: stopped.html).last else {
      return try await goBack(from: stopped)
    }
    return try leave(try await browser.submit(done, of: stopped))
  }

  /// Asks for a refund, and follows the link back to the app.
  func askForRefund() async throws -> ScreenOutcome {
    let page = try await browser.open(address)
    var form = try page.form(with: "reason")
    form.set("reason", to: "unintended")
    let asked = try await browser.submit(form, of: page)
    guard asked.html.contains("Your request was sent") else {
      throw BrowserFailure("the page at \(asked.url.path) says: \(asked.text.prefix(300))")
    }
    return try await goBack(from: asked)
  }

  /// Stays on the screen until it closes.
  func stay() async throws -> ScreenOutcome {
    try await Latch().passed()
    return .dismissed
  }

  /// Where the page sent the browser; a page without a redirect has a link, or nothing.
  func leave(_ page: Browser.Page) throws -> ScreenOutcome {
    if let departure = page.departure { return .redirected(departure) }
    guard page.status < 500 else {
      throw BrowserFailure("the page at \(page.url.path) failed with \(page.status): \(page.text.prefix(300))")
    }
    return .dismissed
  }
}
