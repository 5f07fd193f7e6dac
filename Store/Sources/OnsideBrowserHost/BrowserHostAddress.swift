public import Foundation
public import OnsideKit

/// The address of a running host, and the script tag for its page.
public struct BrowserHostAddress: Sendable, Hashable {
  /// The page to open.
  public let page: URL
  /// The origin of the pages whose requests are accepted.
  public let origin: WebOrigin
  /// The tag that a page needs before its own scripts. It holds the token.
  public let scriptTag: String
  /// Whether the host serves the page itself.
  let isServedHere: Bool
  /// Host and port, as requests for pages name them.
  let authority: String

  init?(_ settings: BrowserHostSettings, port: Int) {
    authority = "127.0.0.1:\(port)"
    let own = "http://\(authority)"
    switch settings.page {
    case .origin(let origin):
      guard let page = URL(string: origin.description) else { return nil }
      self.page = page
      self.origin = origin
      isServedHere = false
    case .folder:
      guard let page = URL(string: own + "/"), let origin = WebOrigin(own) else { return nil }
      self.page = page
      self.origin = origin
      isServedHere = true
    }
    scriptTag = #"<script src="\#(own)/onside.js?token=\#(settings.token)"></script>"#
  }
}
