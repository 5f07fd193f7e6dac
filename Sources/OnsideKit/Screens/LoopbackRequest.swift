package import Foundation
import OnsideAPI

/// A request to a page of this machine.
package struct LoopbackRequest: Sendable, Hashable {
  package enum Method: String, Sendable { case get = "GET", post = "POST" }

  package var method: Method
  package var url: URL
  private var body: String

  /// Reads a request; nil when it is malformed or not for `host`.
  ///
  /// The `Host` must be ours, so that a page elsewhere cannot reach us under a name of its own (DNS rebinding).
  package init?(_ bytes: [UInt8], host: String) {
    guard let end = bytes.firstRange(of: Self.headEnd) else { return nil }
    let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
      .split(separator: "\r\n", omittingEmptySubsequences: false)
    let start = lines[0].split(separator: " ")
    let hosts = Self.values(of: "host", in: lines)
    guard
      start.count == 3, let method = Method(rawValue: String(start[0])), start[1].hasPrefix("/"),
      start[2].hasPrefix("HTTP/1."), hosts == [host], let url = URL(string: "http://\(host)\(start[1])")
    else { return nil }
    self.method = method
    self.url = url
    body = String(decoding: bytes[end.upperBound...], as: UTF8.self)
  }

  /// Whether the bytes are a whole request: its head, and as much of a body as the head says.
  package static func isComplete(_ bytes: [UInt8]) -> Bool {
    guard let end = bytes.firstRange(of: headEnd) else { return false }
    let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
    let length = values(of: "content-length", in: head).first.flatMap { Int($0) } ?? 0
    return bytes.count - end.upperBound >= length
  }

  /// The fields of a form (application/x-www-form-urlencoded); of those with one name the first.
  package var form: [String: String] {
    let fields = body.split(separator: "&").map { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        .map { FormEncoding.decode($0) ?? "" }
      return (parts[0], parts.count == 2 ? parts[1] : "")
    }
    return Dictionary(fields, uniquingKeysWith: { first, _ in first })
  }

  private static let headEnd = Array("\r\n\r\n".utf8)

  private static func values(of header: String, in lines: [Substring]) -> [String] {
    lines.dropFirst().filter { $0.lowercased().hasPrefix(header + ":") }
      .map { $0.dropFirst(header.count + 1).trimmingCharacters(in: .whitespaces) }
  }
}
