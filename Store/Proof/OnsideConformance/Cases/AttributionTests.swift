import ConformanceTable
import Foundation
import OnsideAPI
import OnsideKit
import ScriptedBrowser
import Testing

@MainActor
@Suite(
  "Attribution", .serialized, .columns(.store, because: "a local store has no landing page"), .timeLimit(.minutes(5))
)
struct AttributionTests {
  private static let path =
    "/a/\(TestedSystem.app)?utm_source=news%20letter&utm_campaign=%C3%A9t%C3%A9&gclid=Cj0&gbraid=b&wbraid=w"

  private func visit(_ system: TestedSystem, _ query: String = "") -> String {
    system.network.address.absoluteString + Self.path + query
  }

  /// Visits the landing page, presses its button and returns the address of the redirect.
  private func install(_ system: TestedSystem, _ query: String = "") async throws -> URL {
    let browser = Browser()
    let page = try await browser.open(try #require(URL(string: visit(system, query))))
    let form = try #require(HTMLForm.all(in: page.html).first { $0.action.hasSuffix("/install") })
    let next = try await browser.submit(form, of: page)
    return try #require(next.departure, "the button leads nowhere: \(next.text.prefix(300))")
  }

  private func launched(_ system: TestedSystem, of user: SimulatedUser, by link: URL? = nil) async throws
    -> TestedDevice
  {
    let device = try await system.device(of: user)
    device.client.callbackScheme = TestedSystem.app
    if let link { #expect(device.client.handle(url: link)) }
    return device
  }

  @Test("ATT-1: a visit, an install, a first launch: the app gets the full address of the visit; then it is on disk")
  func visited() async throws {
    try await TestedSystem.run { system in
      let link = try await install(system)
      let device = try await launched(system, of: system.user(), by: link)
      let told = try await device.client.attributionMetadata()
      #expect(told.refererUrl?.absoluteString == visit(system))
      #expect(device.user.visits.value.isEmpty, "no login is needed for it")
      await system.closeStore()
      try await device.restart()
      let attributionMetadata = try await device.client.attributionMetadata()
      #expect(attributionMetadata == told)
      #expect(system.network.count(.call(.attribution)) == 1)
    }
  }

  @Test("ATT-1: without a visit the address is nil")
  func organic() async throws {
    try await TestedSystem.run { system in
      let device = try await launched(system, of: system.user())
      let refererUrl = try await device.client.attributionMetadata().refererUrl
      #expect(refererUrl == nil)
      let secondRefererUrl = try await device.client.attributionMetadata().refererUrl
      #expect(secondRefererUrl == nil)
      #expect(system.network.count(.call(.attribution)) == 1)
    }
  }

  @Test("ATT-1: an answer that is lost on its way is asked for again, and is the same")
  func lostAnswer() async throws {
    try await TestedSystem.run { system in
      system.network.disturb(.call(.attribution), with: .loseAnswer, times: 1)
      let device = try await launched(system, of: system.user(), by: try await install(system))
      try await system.network.until(.call(.attribution), made: 2)
      let absoluteString = try await device.client.attributionMetadata().refererUrl?.absoluteString
      #expect(absoluteString == visit(system))
    }
  }

  @Test("ATT-2: a link that is opened on two devices counts on the first")
  func twoDevices() async throws {
    try await TestedSystem.run { system in
      let link = try await install(system)
      let first = try await launched(system, of: system.user(), by: link)
      let refererUrl = try await first.client.attributionMetadata().refererUrl
      #expect(refererUrl != nil)
      let second = try await launched(system, of: system.user("+31612345679"), by: link)
      let secondRefererUrl = try await second.client.attributionMetadata().refererUrl
      #expect(secondRefererUrl == nil)
    }
  }

  @Test("ATT-2: two visitors of one address are never mixed up: each installation gets its own visit, or none")
  func sameAddress() async throws {
    try await TestedSystem.run { system in
      _ = try await install(system, "&utm_term=first")
      let link = try await install(system, "&utm_term=second")
      let other = try await launched(system, of: system.user())
      let refererUrl = try await other.client.attributionMetadata().refererUrl
      #expect(refererUrl == nil)
      let device = try await launched(system, of: system.user(), by: link)
      let told = try await device.client.attributionMetadata()
      #expect(told.refererUrl?.absoluteString == visit(system, "&utm_term=second"))
    }
  }
}
