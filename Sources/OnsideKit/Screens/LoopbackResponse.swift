package import Foundation

/// What the loopback listener answers to a request.
package struct LoopbackResponse: Sendable, Hashable {
  package var status: String
  package var heading: String
  package var text: String

  static let accepted = LoopbackResponse(
    status: "200 OK", heading: "You can go back to the app", text: "You may close this page.")
  static let malformed = LoopbackResponse(
    status: "400 Bad Request", heading: "This is not a page", text: "The request could not be read.")
  static let unknown = LoopbackResponse(
    status: "404 Not Found", heading: "Nothing happened", text: "This is not the address that the app waits for.")

  /// The answer to a request's head, and the redirect if it was the expected one.
  ///
  /// The `Host` must be ours, so that a page elsewhere cannot reach us under a name of its own (DNS rebinding).
  package static func to(
    _ head: [UInt8], host: String, accepts: (URL) -> Bool
  ) -> (response: LoopbackResponse, redirect: URL?) {
    let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n", omittingEmptySubsequences: false)
    let request = lines[0].split(separator: " ")
    let hosts = lines.dropFirst().prefix { !$0.isEmpty }.filter { $0.lowercased().hasPrefix("host:") }
      .map { $0.dropFirst(5).trimmingCharacters(in: .whitespaces) }
    guard
      request.count == 3, request[0] == "GET", request[1].hasPrefix("/"), request[2].hasPrefix("HTTP/1."),
      hosts == [host], let url = URL(string: "http://\(host)\(request[1])")
    else { return (.malformed, nil) }
    return accepts(url) ? (.accepted, url) : (.unknown, nil)
  }

  /// The response on the wire.
  package var bytes: [UInt8] {
    let body = """
      <!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">\
      <meta name="color-scheme" content="light dark"><title>\(heading)</title>\
      <main><h1>\(heading)</h1><p>\(text)</p></main></html>
      """
    let head = """
      HTTP/1.1 \(status)\r
      Content-Type: text/html; charset=utf-8\r
      Content-Length: \(body.utf8.count)\r
      Content-Security-Policy: default-src 'none'; frame-ancestors 'none'\r
      Cache-Control: no-store\r
      Referrer-Policy: no-referrer\r
      X-Content-Type-Options: nosniff\r
      Connection: close\r
      \r

      """
    return Array(head.utf8) + Array(body.utf8)
  }
}
