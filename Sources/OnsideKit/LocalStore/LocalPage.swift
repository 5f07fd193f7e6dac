import Crypto
import Foundation
import OnsideAPI
import OnsideCommerce

/// An HTML page of the local store. It works without scripts; its one script keeps a stream open, by which the store
/// knows that the page is still open.
struct LocalPage: Sendable, Hashable {
  let title: String
  /// The content of the page, as escaped HTML.
  private let content: String

  init(_ title: String, content: String...) {
    self.title = title
    self.content = content.joined(separator: "\n")
  }

  /// The login page, which accepts any name.
  static func login(suggesting name: String) -> LocalPage {
    LocalPage(
      "Log in",
      content: paragraph(
        "This is a test store on this device. Any name is an account of its own; nothing leaves the device."),
      form(
        """
        <label for="name">Name</label>
        <input id="name" name="name" value="\(escape(name))" maxlength="64" autocomplete="off" required>
        """, buttons: .go("Log in"), .cancel("Cancel")))
  }

  /// The payment page of an order.
  static func payment(_ order: OrderMessage, problem: String? = nil) -> LocalPage {
    let problem = problem.map { "<p role=\"alert\"><strong>\(escape($0))</strong></p>" }
    return LocalPage(
      "Buy \(name(of: order))",
      content: problem ?? "", paragraph(order.product.description), terms(of: order),
      paragraph("This is a test store on this device: nothing is charged."),
      form("", buttons: .go("Buy for \(order.price.formatted)"), .cancel("Cancel")))
  }

  /// The page of a purchase that needs another person's approval (Ask to Buy).
  static func approval(_ order: OrderMessage) -> LocalPage {
    LocalPage(
      "Waiting for approval",
      content: paragraph(
        "Ask to Buy is on: \(name(of: order)) for \(order.price.formatted) needs the approval of a parent."),
      form("", buttons: .allow("Approve"), .cancel("Decline"), .later("Leave it waiting")))
  }

  /// The page of a purchase that is interrupted.
  static func interruption(_ order: OrderMessage) -> LocalPage {
    LocalPage(
      "Purchase interrupted",
      content: paragraph(
        "Interrupted purchases are on: something has to be settled before \(name(of: order)) is bought."),
      form("", buttons: .allow("Settle it"), .cancel("Cancel"), .later("Leave it waiting")))
  }

  /// The page on which a code is redeemed. The file has no codes: the names of its offers of codes stand for them.
  static func code(_ offers: [String], problem: LocalCodeProblem? = nil, typed: String = "") -> LocalPage {
    let problem = problem.map { "<p role=\"alert\"><strong>\(escape($0.description))</strong></p>" }
    let names = offers.joined(separator: ", ")
    return LocalPage(
      "Redeem a code",
      content: problem ?? "",
      paragraph(
        "This is a test store on this device: the name of an offer stands for its codes. "
          + (offers.isEmpty ? "The .storekit file has no offers of codes." : "The .storekit file has: \(names).")),
      form(
        """
        <label for="code">Code</label>
        <input id="code" name="code" value="\(escape(typed))" maxlength="64" autocomplete="off" required>
        """, buttons: .go("Redeem"), .cancel("Cancel")))
  }

  /// The value of a page's button.
  enum Act: String, Sendable {
    case go, allow, cancel, later

    init?(_ form: [String: String]) {
      guard let text = form["act"], let act = Act(rawValue: text) else { return nil }
      self = act
    }
  }

  private struct Button {
    let act: Act
    let text: String
    static func go(_ text: String) -> Button { Button(act: .go, text: text) }
    static func allow(_ text: String) -> Button { Button(act: .allow, text: text) }
    static func cancel(_ text: String) -> Button { Button(act: .cancel, text: text) }
    static func later(_ text: String) -> Button { Button(act: .later, text: text) }
  }

  private static func name(of order: OrderMessage) -> String {
    order.quantity == 1 ? order.product.title : "\(order.quantity) × \(order.product.title)"
  }

  private static func terms(of order: OrderMessage) -> String {
    var rows = [("Price", order.price.formatted)]
    if let period = order.product.subscriptionPeriod {
      rows.append(("Renews every", period.iso8601 + ", for " + order.product.price.formatted))
    }
    rows.append(("Region", order.country.alpha2))
    let list = rows.map { "<dt>\($0.0)</dt><dd>\(escape($0.1))</dd>" }.joined()
    return "<dl>\(list)</dl>"
  }

  private static func paragraph(_ text: String) -> String { text.isEmpty ? "" : "<p>\(escape(text))</p>" }

  private static func form(_ fields: String, buttons: Button...) -> String {
    let buttons = buttons.map { button in
      let skips = button.act == .go ? "" : " formnovalidate"
      return "<button name=\"act\" value=\"\(button.act.rawValue)\"\(skips)>\(escape(button.text))</button>"
    }
    return "<form method=\"post\">\(fields)<p>\(buttons.joined(separator: " "))</p></form>"
  }

  /// Text as it may stand in HTML, attribute values included.
  static func escape(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;").replacing("'", with: "&#39;")
  }
}

extension LocalPage {
  /// The page as an HTTP response. Its form may be sent to this server only, which may redirect it to the app.
  func response(theme: String?, redirect: URL) -> LoopbackResponse {
    let scheme = theme == "light" || theme == "dark" ? theme ?? "" : "light dark"
    let html = """
      <!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">\
      <meta name="color-scheme" content="\(scheme)"><title>\(Self.escape(title))</title>\
      <link rel="icon" href="data:,"><style>\(Self.style)</style><script>\(Self.script)</script>\
      <main><h1>\(Self.escape(title))</h1>\(content)</main></html>
      """
    let target = redirect.host().map { "\(redirect.scheme ?? "http")://\($0)" + (redirect.port.map { ":\($0)" } ?? "") }
    return LoopbackResponse(
      status: "200 OK", html: html,
      policy: """
        style-src '\(Self.styleHash)'; script-src '\(Self.scriptHash)'; connect-src 'self'; img-src data:; \
        form-action 'self' \(target ?? "\(redirect.scheme ?? "http"):")
        """)
  }

  private static let style = """
    body{font:1.1rem/1.5 system-ui,sans-serif;margin:0}main{max-width:32rem;margin:auto;padding:2rem 1rem}\
    label{display:block;font-weight:600}input,button{font:inherit;padding:.5rem .9rem;min-height:2.75rem;\
    max-width:100%;box-sizing:border-box}dt{font-weight:600}dd{margin:0 0 .5rem}
    """

  /// The query of the stream's address.
  static let presence = "here"
  private static let script = "window.here = new EventSource('?\(presence)')"

  private static let styleHash = hash(style)
  private static let scriptHash = hash(script)

  private static func hash(_ text: String) -> String {
    "sha256-" + Data(SHA256.hash(data: Data(text.utf8))).base64EncodedString()
  }
}
