import Foundation
import OnsideKit

/// A page of the program's own, of text alone.
struct StoreAppPage {
  enum Content: Hashable {
    /// The answer went to the app.
    case answered(String)
    /// The app has gone, or never was there.
    case noApp(String)
    /// A link that is not followed.
    case refused(LinkProblem)
    /// A link for another store.
    case otherStore(String)
  }

  private let content: Content
  private let texts: StoreAppTexts
  private let account: URL

  /// - Parameter account: the store, whose account page the page leads to.
  init(_ content: Content, in texts: StoreAppTexts, account store: URL) {
    self.content = content
    self.texts = texts
    account = store.appending(path: "account")
  }

  private var words: (heading: String, lead: String) {
    switch content {
    case .answered(let app): filled(texts.answered, with: app)
    case .noApp(let app): filled(texts.noApp, with: app)
    case .refused(let problem):
      (texts.refused.heading, Self.escaped(texts.refused.lead, name: texts.reason(of: problem)))
    case .otherStore(let store):
      (
        texts.refused.heading,
        texts.refused.lead.replacing("{}", with: Self.escaped(texts.reasons.otherStore, name: store))
      )
    }
  }

  private func filled(_ words: (heading: String, lead: String), with name: String) -> (heading: String, lead: String) {
    (words.heading, Self.escaped(words.lead, name: name))
  }

  /// The page. It runs no script and loads nothing.
  var html: String {
    let words = words
    return """
      <!doctype html><html lang="\(texts.language)" dir="\(texts.direction)"><meta charset="utf-8">
      <meta name="color-scheme" content="light dark">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
      <title>\(words.heading)</title>
      <style>body{font:1.0625rem/1.5 system-ui,sans-serif;margin:0;padding:3rem 1.5rem;max-width:32rem}
      h1{font-size:1.5rem;line-height:1.25;margin:0 0 1rem}p{overflow-wrap:anywhere}</style>
      <main><h1>\(words.heading)</h1><p>\(words.lead)</p>
      <p><a href="\(Self.escaped(account.absoluteString))">\(texts.account)</a></p></main></html>
      """
  }

  /// A text of the table, with a name in it. Names run their own way, whatever the text's (`bdi`).
  private static func escaped(_ text: String, name: String) -> String {
    text.replacing("{}", with: "<bdi>\(escaped(name))</bdi>")
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;")
  }
}
