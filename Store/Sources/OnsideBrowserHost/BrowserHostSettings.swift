public import Foundation
public import OnsideKit

/// What a ``BrowserHost`` serves, and to whom.
public struct BrowserHostSettings: Sendable {
  /// Where the page comes from that gets `window.onside`.
  public enum Page: Sendable, Hashable {
    /// A server of the developer's own; every page of this origin counts, and no other.
    case origin(WebOrigin)
    /// A folder, which the host serves itself and puts the script tag into.
    case folder(URL)
  }

  /// Where the page comes from.
  public var page: Page
  /// The port on 127.0.0.1; 0 takes a free one.
  public var port: Int
  /// What a page has to know to be let in: 32 random bytes, unless there is a reason for others.
  public var token: String
  /// How long a tab may be without a page before it counts as closed, in seconds: a reload is quicker.
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
