import Foundation
import OnsideAPI
import Synchronization
import Testing

@testable import OnsideKit

/// A person with a browser: it gets each page over HTTP, reads it, and presses what the script says.
final class LocalBrowser: ScreenPresenter {
  /// A page as it came.
  struct Page: Sendable {
    let screen: OnsideScreen
    let address: URL
    let head: String
    let html: String

    /// What the buttons say, and what they stand for.
    var buttons: [(text: String, act: String)] {
      html.matches(of: /<button name="act" value="([a-z]+)"[^>]*>([^<]*)<\/button>/).map {
        (String($0.2), String($0.1))
      }
    }
  }

  /// What the person does with a page.
  enum Act: Sendable {
    /// Presses the button whose text begins so.
    case press(String, [String: String] = [:])
    case close
    /// Looks, and does nothing until the screen is closed for them.
    case stay
  }

  private let script: @Sendable (Page) -> Act
  private let seen = Mutex<[Page]>([])

  /// Logs in as the tester and buys, unless the script knows better.
  init(_ script: @escaping @Sendable (Page) -> Act = LocalBrowser.agree) { self.script = script }

  static let agree: @Sendable (Page) -> Act = { page in
    .press(page.screen == .login ? "Log in" : page.html.contains("Approve") ? "Approve" : "Buy")
  }

  var pages: [Page] { seen.withLock { $0 } }
  func pages(of screen: OnsideScreen) -> [Page] { pages.filter { $0.screen == screen } }

  func present(
    _ screen: OnsideScreen, page: @escaping @Sendable (URL) async throws -> URL
  ) async throws -> ScreenOutcome {
    let redirect = try #require(URL(string: "http://127.0.0.1:9/callback"))
    var address = try await page(redirect)
    while true {
      let answer = try await Self.ask("GET", at: address)
      let page = Page(screen: screen, address: address, head: answer.head, html: answer.body)
      seen.withLock { $0.append(page) }
      switch script(page) {
      case .close: return .dismissed
      case .stay:
        for await _ in AsyncStream<Void>.makeStream().stream {}
        return .dismissed
      case .press(let text, let fields):
        let button = try #require(page.buttons.first { $0.text.hasPrefix(text) }, "no \(text) in \(page.html)")
        let form = fields.map { (name: $0.key, value: $0.value) } + page.defaults(without: fields)
        address = try await Self.send(form + [(name: "act", value: button.act)], to: address)
        if address.port == 9 { return .redirected(address) }
      }
    }
  }

  /// Sends a form; answers where it leads.
  static func send(_ form: [(name: String, value: String)], to address: URL) async throws -> URL {
    let answer = try await ask("POST", at: address, body: FormEncoding.encode(form))
    let location = answer.head.split(separator: "\r\n").first { $0.hasPrefix("Location: ") }?.dropFirst(10)
    return try #require(location.flatMap { URL(string: String($0)) }, "no redirect in \(answer.head)")
  }

  static func ask(_ method: String, at url: URL, body: String = "") async throws -> (head: String, body: String) {
    let port = UInt16(try #require(url.port))
    let target = url.path(percentEncoded: true) + (url.query(percentEncoded: true).map { "?" + $0 } ?? "")
    let answer = try await Peer(port: port).ask(
      "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
    // A screen that the app closes reads no more.
    try Task.checkCancellation()
    let parts = answer.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
    return (String(parts[0]), parts.count == 2 ? String(parts[1]) : "")
  }
}

extension LocalBrowser.Page {
  /// The text fields as the page fills them in.
  fileprivate func defaults(without given: [String: String]) -> [(name: String, value: String)] {
    html.matches(of: /<input id="[^"]*" name="([^"]*)" value="([^"]*)"/).map { (String($0.1), String($0.2)) }
      .filter { given[$0.0] == nil }.map { (name: $0.0, value: $0.1) }
  }
}
