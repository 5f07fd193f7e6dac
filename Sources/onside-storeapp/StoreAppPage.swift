import Foundation

/// A page of the program's own, of text alone.
struct StoreAppPage {
  enum Content: Hashable {
    /// The answer went to the app.
    case answered(String)
    /// The app has gone, or never was there.
    case noApp(String)
    /// A link that is not followed, and why.
    case refused(String)
  }

  private let content: Content
  private let account: URL

  /// - Parameter account: the store, whose account page the page leads to.
  init(_ content: Content, account store: URL) {
    self.content = content
    account = store.appending(path: "account")
  }

  private var texts: (heading: String, lead: String) {
    switch content {
    case .answered(let app): ("Go back to the app", "\(app) has its answer. You can close this window.")
    case .noApp(let app):
      ("The app could not be opened", "\(app) is not there to take the answer. Open it and log in once more.")
    case .refused(let reason):
      ("This link was not followed", "Somebody opened a link to this app. \(reason) Nothing has happened.")
    }
  }

  /// The page. It runs no script and loads nothing.
  var html: String {
    """
    <!doctype html><html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
    <title>\(Self.escaped(texts.heading))</title>
    <style>body{font:1.0625rem/1.5 system-ui,sans-serif;margin:0;padding:3rem 1.5rem;max-width:32rem}
    h1{font-size:1.5rem;line-height:1.25;margin:0 0 1rem}p{overflow-wrap:anywhere}</style>
    <main><h1>\(Self.escaped(texts.heading))</h1><p>\(Self.escaped(texts.lead))</p>
    <p><a href="\(Self.escaped(account.absoluteString))">Your account</a></p></main></html>
    """
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;")
  }
}
