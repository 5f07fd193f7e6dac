public import Foundation
public import OnsideKit

/// Settings of a ``BrowserHost``: the page that it serves, port and token.
public struct BrowserHostSettings: Sendable {
  /// The source of the page that gets `window.onside`.
  public enum Page: Sendable, Hashable {
    /// A server of the developer's own: pages of this origin are accepted, others are refused.
    case origin(WebOrigin)
    /// A folder, which the host serves itself and puts the script tag into.
    case folder(URL)
  }

  /// The source of the page.
  public var page: Page
  /// The port on 127.0.0.1; 0 takes a free one.
  public var port: Int
  /// The token that a page has to send: 32 random bytes unless another one is given.
  public var token: String
  /// Seconds that a tab may be without a page before it counts as closed. A reload takes less.
  public var secondsToReturn: Double

  /// Settings with a random token.
  public init(page: Page, port: Int = 0, token: String = Self.randomToken()) {
    self.page = page
    self.port = port
    self.token = token
    secondsToReturn = 5
  }

  /// 32 bytes from the system's random generator, in hexadecimal.
  public static func randomToken() -> String {
    var generator = SystemRandomNumberGenerator()
    return (0..<4).map { _ in String(format: "%016lx", generator.next() as UInt64) }.joined()
  }
}
