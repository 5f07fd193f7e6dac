import Foundation
import Testing

@testable import OnsideKit

@Suite(.timeLimit(.minutes(5)))
struct ExpectedRedirectTests {
  @Test(
    "ACC-8: only the exact address with the exact state is the redirect; scheme and host compare without case",
    arguments: [
      ("lumen://onside?state=s1&code=c", true), ("LUMEN://Onside?code=c&state=s1", true),
      ("lumen://onside?state=s2&code=c", false), ("lumen://onside?code=c", false),
      ("lumen://onside?state=s1&state=s1", false), ("lumen://onside/x?state=s1", false),
      ("lumen://elsewhere?state=s1", false), ("lumens://onside?state=s1", false), ("lumen://onside?state=S1", false),
      ("lumen://onside:80?state=s1", false),
    ])
  func accepts(address: String, expected: Bool) throws {
    let page = try #require(URL(string: "https://store.example/oauth/authorize?state=s1"))
    let redirect = ExpectedRedirect(to: try #require(URL(string: "lumen://onside")), from: page)
    let accepts = redirect.accepts(try #require(URL(string: address)))
    #expect(accepts == expected)
  }

  @Test("A page without state needs none in its redirect")
  func withoutState() throws {
    let page = try #require(URL(string: "https://store.example/pay/token"))
    let redirect = ExpectedRedirect(to: try #require(URL(string: "http://127.0.0.1:9/callback")), from: page)
    #expect(redirect.accepts(try #require(URL(string: "http://127.0.0.1:9/callback?result=done"))))
    #expect(!redirect.accepts(try #require(URL(string: "http://127.0.0.1:8/callback"))))
  }
}
