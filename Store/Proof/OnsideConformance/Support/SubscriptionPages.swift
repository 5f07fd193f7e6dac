import Foundation
import OnsideAPI
import OnsideKit
import ScriptedBrowser

/// The browser of a user at the store, with the page of a subscription. It logs in when the store asks for it: at
/// first, and again after a month.
struct SubscriptionPages: Sendable {
  private let address: URL
  private let user: SimulatedUser
  private let browser = Browser()

  init(of system: TestedSystem, for user: SimulatedUser) {
    (address, self.user) = (system.network.address, user)
  }

  /// The account's page.
  func account() async throws -> Browser.Page {
    let first = try await browser.open(address.appending(path: "account"))
    guard first.url.path.hasPrefix("/login") else { return first }
    var number = try first.form(with: "phone")
    number.set("phone", to: user.phone)
    let asked = try await browser.submit(number, of: first)
    var code = try asked.form(with: "code")
    code.set("code", to: try await user.messages.code(to: user.phone))
    let page = try await browser.submit(code, of: asked)
    guard page.url.path.hasPrefix("/account") else {
      throw BrowserFailure("the login leads to \(page.url.path): \(page.text.prefix(300))")
    }
    return page
  }

  /// The page of the account's only subscription.
  func subscription() async throws -> Browser.Page {
    try await follow("/account/subscriptions", on: try await account())
  }

  /// Opens the first link of a page whose address begins like this.
  func follow(_ start: String, on page: Browser.Page) async throws -> Browser.Page {
    let links = page.html.matches(of: /href="([^"]*)"/).map { HTMLForm.unescaped(String($0.1)) }
    guard let link = links.first(where: { $0.hasPrefix(start) }), let url = URL(string: link, relativeTo: page.url)
    else { throw BrowserFailure("the page at \(page.url.path) has no link to \(start): \(page.text.prefix(500))") }
    return try await browser.open(url.absoluteURL)
  }

  /// Presses the button or chooses the value of this name on the subscription's page; the page that comes of it.
  @discardableResult
  func press(_ name: String, _ value: String) async throws -> Browser.Page {
    let page = try await subscription()
    for var form in HTMLForm.all(in: page.html)
    where form.buttons[name]?.contains(value) == true || form.choices[name]?.contains(value) == true
      || form.fields.contains(where: { $0 == (name, value) })
    {
      form.set(name, to: value)
      return try await browser.submit(form, of: page)
    }
    throw BrowserFailure("the page of the subscription has no “\(name)” \(value); it says: \(page.text.prefix(800))")
  }

  /// Logs in, and pays the order of an address.
  func pay(at address: URL) async throws -> Browser.Page {
    _ = try await account()
    return try await pay(try await browser.open(address))
  }

  /// Pays an order's page with the test card that succeeds.
  func pay(_ page: Browser.Page) async throws -> Browser.Page {
    var form = try page.form(with: "method")
    form.set("method", to: "card_succeeds")
    return try await browser.submit(form, of: page)
  }
}
