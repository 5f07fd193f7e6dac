import Foundation
import HeadlessChromium

/// The browser of the person who subscribes: logs in, pays, changes cards, and manages the subscription.
final class SubscriberBrowser {
  private static let subscriptionLink = "a[href^='/account/subscriptions']"

  private let chromium: Chromium
  private let store: StoreProcess
  private let pictures: URL
  /// The test cards that are saved when the app shows the page for them, one after the other.
  private var cards = ["declined", "succeeds"]

  /// - Parameter pictures: where pictures of the pages go.
  init(chromium: Chromium, store: StoreProcess, pictures: URL) {
    (self.chromium, self.store, self.pictures) = (chromium, store, pictures)
  }

  /// Opens the address that the app shows and does what the page asks for; says what. The app goes on when the store
  /// has sent the browser back to it.
  func visit(_ address: URL) async throws -> String {
    try await chromium.send("Page.navigate", parameters: ["url": address.absoluteString])
    try await chromium.settle { page in ["/login/", "/methods/", "/pay/"].contains { page.contains($0) } }
    let path: String = try await chromium.evaluate("location.pathname")
    if path.hasPrefix("/methods/") { return try await replaceCards(by: cards.removeFirst()) }
    return try await path.hasPrefix("/pay/") ? pay() : signUp()
  }

  /// Takes a picture of the account's page, and of the page of its subscription while there is one; the text of both.
  func look(_ name: String) async throws -> String {
    try await openAccount()
    try await takePicture("\(name)-account")
    let account = try await text()
    guard try await has(Self.subscriptionLink) else { return account }
    try await followSubscriptionLink()
    try await takePicture("\(name)-subscription")
    return try await account + text()
  }

  /// The text of the receipt of the subscription's last payment.
  func receipt() async throws -> String {
    try await openSubscription()
    try await click("a[href^='/receipt/']")
    try await chromium.settle { $0.contains("/receipt/") }
    return try await text()
  }

  /// Plans a pause of a month.
  func pause() async throws {
    try await openSubscription()
    try await click("select[name=pause] + button")
    try await chromium.wait(until: "document.querySelector('[role=status]')")
  }

  /// Switches the renewal off.
  func switchOff() async throws {
    try await openSubscription()
    try await click("button[name=renewal][value=off]")
    try await chromium.wait(until: "document.querySelector('[role=status]')")
  }

  private func openAccount() async throws {
    try await chromium.send("Page.navigate", parameters: ["url": "\(store.address.absoluteString)/account"])
    try await chromium.settle { $0.hasSuffix("/account") }
  }

  private func openSubscription() async throws {
    try await openAccount()
    try await followSubscriptionLink()
  }

  private func followSubscriptionLink() async throws {
    try await click(Self.subscriptionLink)
    try await chromium.settle { $0.contains("/account/subscriptions") }
  }

  private func logIn() async throws {
    try await chromium.tab(to: "e.id === 'phone'")
    try await chromium.type(Stage.phone)
    try await chromium.press(.enter)
    try await chromium.settle { $0.hasSuffix("/code") }
    try await chromium.tab(to: "e.id === 'code'")
    try await chromium.type(await store.code(for: Stage.phone))
    try await chromium.press(.enter)
  }

  private func signUp() async throws -> String {
    try await logIn()
    try await chromium.settle { $0.hasSuffix("/region") }
    try await chromium.tab(to: "e.tagName === 'BUTTON' && e.textContent === 'Create account'")
    try await chromium.press(.enter)
    return "signed up"
  }

  private func pay() async throws -> String {
    let price: String = try await chromium.evaluate("document.querySelector('[data-price]').dataset.price")
    if try await !has("input[name=method][value^=saved_]") {
      try await click("input[name=method][value=card_succeeds]")
    }
    if try await has("input[name=remember]:not(:checked)") { try await click("input[name=remember]") }
    let renews: Bool = try await chromium.evaluate("!!document.querySelector('input[name=renews]')")
    try expect(renews, "the page does not say that the subscription renews")
    try await click("form:has(input[name=method]) > button")
    return "saw \(price) and that it renews, and paid"
  }

  /// Saves a test card, chooses it for the subscription, and removes the other one.
  private func replaceCards(by card: String) async throws -> String {
    try await click("input[name=card][value=\(card)]")
    try await click("button[name=do][value=add]")
    try await chromium.wait(until: "!document.querySelector('input[name=card][value=\(card)]')")
    let methods: String = try await chromium.evaluate("location.href")
    try await openSubscription()
    try await click("select[name=method] + button")
    try await chromium.wait(until: "document.querySelector('[role=status]')")
    try await chromium.send("Page.navigate", parameters: ["url": methods])
    try await chromium.settle { $0.contains("/methods/") }
    while try await has("li ~ li button[name=do][value=remove]") {
      let count: Int = try await chromium.evaluate("document.querySelectorAll('ul.list > li').length")
      try await click("li ~ li button[name=do][value=remove]")
      try await chromium.wait(until: "document.querySelectorAll('ul.list > li').length < \(count)")
    }
    try await takePicture("card-\(card)")
    try await click("form[action*='/done'] button")
    return card == "declined" ? "replaced the card by one that is refused" : "replaced it by one that pays"
  }

  private func click(_ selector: String) async throws {
    let clicks = "(e => (e && e.click(), !!e))(document.querySelector(\"\(selector)\"))"
    let isThere: Bool = try await chromium.evaluate(clicks)
    try expect(isThere, "the page has no \(selector)")
  }

  private func has(_ selector: String) async throws -> Bool {
    try await chromium.evaluate("!!document.querySelector(\"\(selector)\")")
  }

  private func text() async throws -> String { try await chromium.evaluate("document.body.innerText") }

  private func takePicture(_ name: String) async throws {
    try await chromium.picture().write(to: pictures.appending(path: "\(name).png"))
  }
}
