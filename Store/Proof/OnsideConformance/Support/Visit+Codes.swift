import OnsideKit
import ScriptedBrowser

/// The screen for codes of offers.
extension Visit {
  /// Opens the screen and enters a code; the page that comes of it.
  func entered(_ code: String) async throws -> Browser.Page { try await enter(code, on: try await openLoggedIn()) }

  func enter(_ code: String, on page: Browser.Page) async throws -> Browser.Page {
    if user.local != nil { return try await press("go", on: page) { $0.set("code", to: code) } }
    var form = try page.form(with: "code")
    form.set("code", to: code)
    return try await browser.submit(form, of: page)
  }

  /// Enters a code and takes the offer: the payment page, or the page with the refusal.
  func taken(_ code: String) async throws -> Browser.Page {
    let found = try await entered(code)
    // A local store shows the payment at once.
    guard user.local == nil, let form = HTMLForm.all(in: found.html).first(where: { $0.method == "post" }) else {
      return found
    }
    return try await browser.submit(form, of: found)
  }

  /// Redeems a code, and pays.
  func redeem(_ code: String) async throws -> ScreenOutcome {
    try leave(try await paid(with: "succeeds", on: try await taken(code)))
  }
}
