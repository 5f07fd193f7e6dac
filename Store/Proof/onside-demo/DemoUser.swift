import Foundation
import ScriptedBrowser

/// A user: has a phone and a browser, and does on the store's pages what a user does.
struct DemoUser: Sendable {
  let phone: String
  let region: String
  let store: StoreProcess

  /// Opens the address that the app shows and does what the page asks for.
  func visit(_ address: URL) async throws -> [String] {
    let browser = Browser()
    let page = try await browser.open(address)
    return page.url.path.hasPrefix("/pay/")
      ? try await pay(on: page, with: browser) : try await logIn(on: page, with: browser)
  }

  /// Types the phone number and the code; a new user also confirms the region.
  private func logIn(on first: Browser.Page, with browser: Browser) async throws -> [String] {
    var form = try first.form(with: "phone")
    form.set("phone", to: phone)
    var page = try await browser.submit(form, of: first)
    form = try page.form(with: "code")
    form.set("code", to: await store.code(for: phone))
    page = try await browser.submit(form, of: page)
    var done = ["typed \(phone)", "typed the code"]
    if let form = try? page.form(with: "country") {
      var form = form
      let proposed = form.fields.first { $0.name == "country" }?.value ?? "none"
      form.set("country", to: region)
      page = try await browser.submit(form, of: page)
      done.append("confirmed region \(region) (proposed: \(proposed))")
    }
    guard page.status == 200 else { throw DemoFailure("the login ended with \(page.status): \(page.text.prefix(300))") }
    return done
  }

  /// Tries a card that is declined, sees it said, pays with another, and goes back to the app.
  private func pay(on first: Browser.Page, with browser: Browser) async throws -> [String] {
    guard let price = first.html.firstMatch(of: /data-price="([^"]+)"/).map({ HTMLForm.unescaped(String($0.1)) }) else {
      throw DemoFailure("the payment page does not name a price; it says: \(first.text.prefix(300))")
    }
    var form = try first.form(with: "method")
    form.set("method", to: "card_declined")
    var page = try await browser.submit(form, of: first)
    guard page.html.contains("role=\"alert\"") else {
      throw DemoFailure("a declined card is not said on the page; it says: \(page.text.prefix(300))")
    }
    form = try page.form(with: "method")
    form.set("method", to: "card_succeeds")
    page = try await browser.submit(form, of: page)
    guard page.status == 200 else {
      throw DemoFailure("the payment ended with \(page.status): \(page.text.prefix(300))")
    }
    return ["saw the price \(price)", "was told of a declined card", "paid with another"]
  }
}
