package import Foundation

/// What a page of this machine answers.
package struct LoopbackResponse: Sendable, Hashable {
  package var status: String
  /// The page.
  package var html: String
  /// Where the browser goes on, if it does.
  package var location: URL?
  /// What the page may do beyond showing text, in the words of Content Security Policy Level 3.
  package var policy: String
  /// Whether it has no end: events would follow, and the connection stays until the browser closes it.
  package var isStream = false
  /// Header fields beyond those that every page has.
  package var headers: [String: String] = [:]

  package init(status: String, html: String, location: URL? = nil, policy: String = "") {
    self.status = status
    self.html = html
    self.location = location
    self.policy = policy
  }

  static let accepted = note("200 OK", heading: "You can go back to the app", text: "You may close this page.")
  static let malformed = note("400 Bad Request", heading: "This is not a page", text: "The request could not be read.")
  static let unknown = note(
    "404 Not Found", heading: "Nothing happened", text: "This is not the address that the app waits for.")

  /// A stream of events that never come, for pages that are to be missed when they are gone: browsers close it with the
  /// page. One that was lost meanwhile is opened again after half a second.
  static let presence: LoopbackResponse = {
    var response = LoopbackResponse(status: "200 OK", html: "retry: 500\n\n")
    response.isStream = true
    return response
  }()

  /// Sends the browser elsewhere with a request of its own, whatever came before (RFC 9110, section 15.4.4).
  package static func redirect(to location: URL) -> LoopbackResponse {
    LoopbackResponse(status: "303 See Other", html: "", location: location)
  }

  private static func note(_ status: String, heading: String, text: String) -> LoopbackResponse {
    LoopbackResponse(
      status: status,
      html: """
        <!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">\
        <meta name="color-scheme" content="light dark"><title>\(heading)</title>\
        <main><h1>\(heading)</h1><p>\(text)</p></main></html>
        """)
  }

  /// The response on the wire.
  package var bytes: [UInt8] {
    let destination = location.map { "Location: \($0.absoluteString)\r\n" } ?? ""
    let more = headers.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)\r\n" }.joined()
    let head = """
      HTTP/1.1 \(status)\r
      \(destination)\(more)Content-Type: text/\(isStream ? "event-stream" : "html"); charset=utf-8\r
      \(isStream ? "" : "Content-Length: \(html.utf8.count)\r\n")\
      Content-Security-Policy: default-src 'none'; frame-ancestors 'none'\(policy.isEmpty ? "" : "; " + policy)\r
      Cache-Control: no-store\r
      Referrer-Policy: no-referrer\r
      X-Content-Type-Options: nosniff\r
      Connection: close\r
      \r

      """
    return Array(head.utf8) + Array(html.utf8)
  }
}
