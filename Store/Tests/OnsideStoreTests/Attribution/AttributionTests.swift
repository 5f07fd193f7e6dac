import Foundation
import HTTPTypes
import HummingbirdTesting
import OnsideAPI
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAnalytics
@testable import StoreBase

@Suite(.timeLimit(.minutes(5))) struct AttributionTests {
  private let address = "https://store.example" + LandingStore.path

  @Test("ATT-1: a visit, a button, a first launch: the app gets the visit's full address, also when it asks again")
  func claimed() async throws {
    let landing = try await LandingStore()
    try await landing.test { client in
      let browser = landing.browser(client)
      let claim = try await landing.claim(browser)
      #expect(browser.leftFor == "https://lumen.example/get?from=store&claim=\(claim)")
      #expect(Base64URL.decode(claim)?.count == 16)
      let installation = landing.installation()
      landing.store.clock.advance(by: .seconds(60))
      let answer = try await landing.ask(client, installation: installation, claim: claim, at: "198.51.100.7")
      #expect(answer == address)
      let secondAnswer = try await landing.ask(client, installation: installation, claim: claim)
      #expect(secondAnswer == address)
      let thirdAnswer = try await landing.ask(client, installation: installation)
      #expect(thirdAnswer == address)
    }
    let labels = try await landing.labels()
    #expect(
      labels == [
        "landing_page_visited g 1", "install_button_tapped g 1", "app_installed g 1", "app_launched g 1",
      ])
  }

  @Test("ATT-1: without a visit there is no address, and the launch is counted once")
  func organic() async throws {
    let landing = try await LandingStore()
    try await landing.test { client in
      let installation = landing.installation()
      for _ in 0..<3 {
        let told = try await landing.ask(client, installation: installation)
        #expect(told == nil)
      }
    }
    let labels = try await landing.labels()
    #expect(labels == ["app_installed -", "app_launched -"])
  }

  @Test("ATT-1: a token that comes after the first launch still counts, and then nothing changes any more")
  func late() async throws {
    let landing = try await LandingStore()
    try await landing.test { client in
      let installation = landing.installation()
      let answer = try await landing.ask(client, installation: installation)
      #expect(answer == nil)
      let browser = landing.browser(client)
      let claim = try await landing.claim(browser)
      let secondAnswer = try await landing.ask(client, installation: installation, claim: claim)
      #expect(secondAnswer == address)
      let other = try await landing.claim(browser, path: "/a/io.example.lumen?utm_source=other")
      let thirdAnswer = try await landing.ask(client, installation: installation, claim: other)
      #expect(thirdAnswer == address)
      let fourthAnswer = try await landing.ask(client, installation: landing.installation(), claim: other)
      #expect(fourthAnswer?.hasSuffix("other") == true)
    }
  }

  @Test("ATT-2: a token works once, for its own app and not for ever")
  func once() async throws {
    let landing = try await LandingStore()
    try await landing.test { client in
      let browser = landing.browser(client)
      let claim = try await landing.claim(browser)
      let answer = try await landing.ask(
        client, installation: landing.installation(), claim: claim, app: LandingStore.tideline)
      #expect(answer == nil)
      let secondAnswer = try await landing.ask(client, installation: landing.installation(), claim: claim)
      #expect(secondAnswer == address)
      let thirdAnswer = try await landing.ask(client, installation: landing.installation(), claim: claim)
      #expect(thirdAnswer == nil)
      let late = try await landing.claim(browser)
      landing.store.clock.advance(by: .seconds(3601))
      let fourthAnswer = try await landing.ask(client, installation: landing.installation(), claim: late)
      #expect(fourthAnswer == nil)
      for guess in ["", "AAAAAAAAAAAAAAAAAAAAAA", "' OR 1=1 --", String(repeating: "x", count: 3000)] {
        let fifthAnswer = try await landing.ask(
          client, installation: landing.installation(), claim: guess, at: "203.0.113.9")
        #expect(fifthAnswer == nil)
      }
    }
  }

  @Test("ATT-2: of many installations that bring one token at once, one gets the visit")
  func race() async throws {
    let landing = try await LandingStore()
    try await landing.test { client in
      let claim = try await landing.claim(landing.browser(client))
      let answers = try await withThrowingTaskGroup(of: String?.self) { group in
        for number in 0..<20 {
          group.addTask {
            try await landing.ask(client, installation: landing.installation(), claim: claim, at: "192.0.\(number).1")
          }
        }
        return try await group.reduce(into: [String?]()) { $0.append($1) }
      }
      #expect(answers.compactMap(\.self) == [address])
    }
  }

  @Test("ATT-2: matching is off by default, and then nothing about the address is kept")
  func unmatched() async throws {
    let landing = try await LandingStore()
    try await landing.test { client in
      try await landing.browser(client).get(LandingStore.path)
      let answer = try await landing.ask(client, installation: landing.installation())
      #expect(answer == nil)
    }
    let kept = try await landing.store.core.dependencies.database.read {
      try $0.rows("SELECT network FROM attribution_visits").map { try $0.optionalText("network") }
    }
    #expect(kept == [nil])
  }

  @Test("ATT-2: matching joins the only visitor from there with the first installation, and no other")
  func matched() async throws {
    let landing = try await LandingStore.matching()
    try await landing.test { client in
      let browser = landing.browser(client)
      try await browser.get("/a/io.example.lumen?first=1")
      // The newest visit counts.
      landing.store.clock.advance(by: .seconds(1))
      try await browser.get(LandingStore.path)
      for (place, platform) in [("192.0.2.2", "linux"), ("192.0.2.1", "macos"), ("192.0.2.1", "toaster")] {
        let answer = try await landing.ask(client, installation: landing.installation(), at: place, platform: platform)
        #expect(answer == nil)
      }
      let secondAnswer = try await landing.ask(client, installation: landing.installation(), app: LandingStore.tideline)
      #expect(secondAnswer == nil)
      let installation = landing.installation()
      let thirdAnswer = try await landing.ask(client, installation: installation)
      #expect(thirdAnswer == address)
      let fourthAnswer = try await landing.ask(client, installation: installation)
      #expect(fourthAnswer == address)
      let fifthAnswer = try await landing.ask(client, installation: landing.installation())
      #expect(fifthAnswer == nil, "the visit is taken")
    }
    let text = try await landing.store.core.dependencies.database.read {
      try $0.rows("SELECT * FROM attribution_visits").map { "\($0)" }.joined()
    }
    #expect(!text.contains("192.0.2"))
  }

  @Test("ATT-2: two visits from one address are not matched by address, also after the first is claimed")
  func crossed() async throws {
    let landing = try await LandingStore.matching()
    try await landing.test { client in
      let first = landing.browser(client)
      let claim = try await landing.claim(first)
      try await landing.browser(client).get("/a/io.example.lumen?utm_source=second")
      let answer = try await landing.ask(client, installation: landing.installation())
      #expect(answer == nil)
      let secondAnswer = try await landing.ask(client, installation: landing.installation(), claim: claim)
      #expect(secondAnswer == address)
      let thirdAnswer = try await landing.ask(client, installation: landing.installation())
      #expect(thirdAnswer == nil)
      landing.store.clock.advance(by: .seconds(3601))
      let fourthAnswer = try await landing.ask(client, installation: landing.installation())
      #expect(fourthAnswer == nil, "too long ago")
    }
  }

  @Test("ATT-2: who refuses cookies is a new visitor each time, and is not matched")
  func withoutCookies() async throws {
    let landing = try await LandingStore.matching()
    try await landing.test { client in
      for _ in 0..<2 { try await landing.browser(client).get(LandingStore.path) }
      let answer = try await landing.ask(client, installation: landing.installation())
      #expect(answer == nil)
    }
  }

  @Test("ATT-1: the store's own app has a label of its own")
  func storeApp() async throws {
    let landing = try await LandingStore { $0.attribution.storeApp = LandingStore.tideline }
    try await landing.test { client in
      _ = try await landing.ask(client, installation: landing.installation(), app: LandingStore.tideline)
    }
    let labels = try await landing.labels(LandingStore.tideline)
    #expect(labels == ["store_app_installed -", "app_launched -"])
  }

  @Test("ATT-2: guessing is slowed down, address by address")
  func guessing() async throws {
    let landing = try await LandingStore()
    try await landing.test { client in
      var refused = 0
      let body = Data(#"{"installation_id":"\#(landing.installation())","platform":"linux","claim":"x"}"#.utf8)
      for _ in 0..<110 {
        let response = try await landing.send(client, body: body)
        if response.status == .tooManyRequests {
          refused += 1
          #expect(response.headers[.retryAfter] != nil)
        }
      }
      #expect(refused == 10)
      let status = try await landing.send(client, body: body, at: "203.0.113.9").status
      #expect(status == .ok)
    }
  }

  @Test(
    "STO-4: what is no request is refused",
    arguments: [
      "", "[]", "{}", #"{"installation_id":"x","platform":"linux"}"#, #"{"installation_id":1,"platform":"linux"}"#,
      #"{"installation_id":"01935b6c-1d2e-7f3a-8b4c-5d6e7f8a9b0c"}"#,
      #"{"installation_id":"01935b6c-1d2e-7f3a-8b4c-5d6e7f8a9b0c","platform":"linux","claim":[]}"#,
    ])
  func refused(body: String) async throws {
    let landing = try await LandingStore()
    try await landing.test { client in
      let problem = try await landing.send(client, body: Data(body.utf8)).problem()
      #expect(problem.code == .invalidRequest)
      let large = Data(String(repeating: " ", count: 5000).utf8)
      let status = try await landing.send(client, body: large).status
      #expect(status == .contentTooLarge)
    }
    let landingCount = try await landing.count("installations")
    #expect(landingCount == 0)
  }

  @Test("Old visits, tokens and hashes of addresses are forgotten; installations keep their address")
  func clearing() async throws {
    let landing = try await LandingStore.matching()
    try await landing.test { client in
      let claim = try await landing.claim(landing.browser(client))
      let installation = landing.installation()
      let answer = try await landing.ask(client, installation: installation, claim: claim)
      #expect(answer == address)
      landing.store.clock.advance(by: .seconds(3601))
      try await landing.store.core.attribution.clear()
      let landingCount = try await landing.count("attribution_claims")
      #expect(landingCount == 0)
      let networks = try await landing.store.core.dependencies.database.read {
        try $0.rows("SELECT 1 AS one FROM attribution_visits WHERE network IS NOT NULL").count
      }
      #expect(networks == 0)
      landing.store.clock.advance(by: .seconds(183 * 86_400))
      try await landing.store.core.attribution.clear()
      let secondLandingCount = try await landing.count("attribution_visits")
      #expect(secondLandingCount == 0)
      let secondAnswer = try await landing.ask(client, installation: installation)
      #expect(secondAnswer == address)
    }
  }
}
