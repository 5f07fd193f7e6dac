import Foundation
import HeadlessChromium

/// A buyer with a browser and a card.
struct StripeBuyer {
  let chromium: Chromium
  let store: StoreProcess
  /// Where pictures of the pages go; nil for none.
  let pictures: String?

  /// Opens the address that the app shows and does what the page asks for; says what. The app goes on when the store
  /// has sent the browser back to it.
  func visit(_ address: URL) async throws -> String {
    // An address that begins a login leads on to another page.
    try await chromium.send("Page.navigate", parameters: ["url": address.absoluteString])
    try await chromium.settle { page in ["/login/", "/methods/", "/pay/"].contains { page.contains($0) } }
    let path: String = try await chromium.evaluate("location.pathname")
    if path.hasPrefix("/methods/") { return try await saveCard() }
    return try await path.hasPrefix("/pay/") ? pay() : logIn()
  }

  private func logIn() async throws -> String {
    try await chromium.tab(to: "e.id === 'phone'")
    try await chromium.type(Stage.phone)
    try await chromium.press(.enter)
    try await chromium.settle { $0.hasSuffix("/code") }
    try await chromium.tab(to: "e.id === 'code'")
    try await chromium.type(await store.code(for: Stage.phone))
    try await chromium.press(.enter)
    try await chromium.settle { $0.hasSuffix("/region") }
    try await press("e.tagName === 'BUTTON' && e.textContent === 'Create account'")
    return "logged in"
  }

  /// Enters a card in Stripe's fields.
  private func saveCard() async throws -> String {
    try await press("e.tagName === 'BUTTON' && e.textContent === 'Add card'")
    try await chromium.settle { $0.contains("/setup") }
    try await chromium.wait(until: "document.querySelector('#stripe-card input[placeholder=number]')")
    for (field, text) in [("number", "4242424242424242"), ("exp_month", "12"), ("exp_year", "34"), ("cvc", "123")] {
      let _: Bool = try await chromium.evaluate(
        "(document.querySelector('#stripe-card input[placeholder=\(field)]').focus(), true)")
      try await chromium.type(text)
    }
    try await takePicture("card")
    try await press("e.tagName === 'BUTTON' && e.value === 'approve'")
    try await chromium.settle { $0.contains("/methods/") && !$0.contains("/setup") }
    try await expectText("Visa, ends in 4242")
    try await takePicture("saved-card")
    try await press("e.tagName === 'BUTTON' && e.form && e.form.action.includes('/done')")
    return "entered a card in Stripe's fields; it is saved as Visa, ends in 4242"
  }

  private func pay() async throws -> String {
    try await expectText("Visa, ends in 4242")
    try await takePicture("payment")
    try await press("e.tagName === 'BUTTON' && e.textContent.startsWith('Pay')")
    return "paid with one press"
  }

  private func expectText(_ text: String) async throws {
    let page: String = try await chromium.evaluate("document.body.textContent")
    try expect(page.contains(text), "the page does not say “\(text)”: \(page.prefix(300))")
  }

  private func press(_ condition: String) async throws {
    try await chromium.tab(to: condition)
    try await chromium.press(.enter)
  }

  private func takePicture(_ name: String) async throws {
    guard let pictures else { return }
    try await chromium.picture().write(to: URL(filePath: pictures).appending(path: "stripe-\(name).png"))
  }
}
