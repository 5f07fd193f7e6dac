import Foundation
import OnsideAPI
import Testing

@testable import OnsideKit

@Suite(.timeLimit(.minutes(5)))
struct AuthorizationLinkTests {
  static let good =
    "onside://authorize?response_type=code&client_id=io.example.lumen&redirect_uri=lumen-auth%3A%2F%2Fonside"
    + "&code_challenge=abc&code_challenge_method=S256&state=s1&country_hint=NL&iss=https%3A%2F%2Fstore.example"

  @Test("A link carries the authorization request and the store, and nothing else")
  func carries() throws {
    let page = try #require(
      URL(
        string: Self.good.replacing("onside://authorize", with: "https://store.example/oauth/authorize")
          .replacing("&iss=https%3A%2F%2Fstore.example", with: "&theme=dark&ui_locales=nl")))
    let store = try #require(URL(string: "https://store.example"))
    let link = try #require(AuthorizationLink(request: page, issuer: store))
    #expect(link.address?.absoluteString == Self.good)
    let read = try AuthorizationLink(Self.good)
    #expect(read == link)
    #expect(read.page.absoluteString == page.absoluteString.replacing("&theme=dark&ui_locales=nl", with: ""))
    #expect(read.isFor(store) && read.isFor(store.appending(path: "/")))
  }

  @Test("Only an answer to the link's own redirect with its state goes to the app")
  func answers() throws {
    let link = try AuthorizationLink(Self.good)
    func isAnswer(_ text: String) throws -> Bool { link.isAnswer(try #require(URL(string: text))) }
    #expect(try isAnswer("lumen-auth://onside?code=x&state=s1"))
    #expect(try isAnswer("LUMEN-auth://onside?error=access_denied&state=s1"))
    for other in [
      "lumen-auth://onside?code=x&state=s2", "lumen-auth://onside?code=x", "other://onside?state=s1",
      "lumen-auth://elsewhere?state=s1", "https://store.example/?state=s1", "onside://authorize?state=s1",
    ] {
      #expect(try !isAnswer(other), "\(other)")
    }
  }

  static let hostile: [(String, LinkProblem)] =
    [
      ("onside://authorize?" + String(repeating: "a", count: 9000), .tooLong),
      ("", .unknown), ("onside:", .unknown), ("onside://settings?x=1", .unknown), ("https://authorize/?x=1", .unknown),
      ("onside://user@authorize?x=1", .unknown), ("onside://authorize/more?x=1", .unknown),
      ("onside://authorize", .incomplete), (good.replacing("&state=s1", with: ""), .incomplete),
      (good.replacing("&state=s1", with: "&state="), .incomplete), (good + "&state=s2", .incomplete),
      (good.replacing("S256", with: "plain"), .incomplete), (good.replacing("=code&", with: "=token&"), .incomplete),
      (good.replacing("https%3A%2F%2Fstore", with: "http%3A%2F%2Fstore"), .incomplete),
      (good.replacing("https%3A%2F%2Fstore.example", with: "file%3A%2F%2F%2Fetc"), .incomplete),
    ]
    + [
      "http://a.example/", "https://a.example/", "javascript:alert(1)", "data:text/html,x", "file:///etc/passwd",
      "ONSIDE://authorize", "about:blank", "//x",
    ].map {
      (
        good.replacing("lumen-auth%3A%2F%2Fonside", with: FormEncoding.encode([(name: "", value: $0)]).dropFirst()),
        .forbiddenRedirect
      )
    }

  @Test("A hostile link is refused with the reason", arguments: hostile)
  func refused(text: String, problem: LinkProblem) {
    #expect(throws: problem) { try AuthorizationLink(text) }
  }
}
