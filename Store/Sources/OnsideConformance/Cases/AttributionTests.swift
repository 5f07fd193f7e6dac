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

  private func visit(_ world: TestedSystem) -> String { world.network.address.absoluteString + Self.path }

  /// Visits the landing page, presses its button and returns the address of the redirect.
  private func install(_ world: TestedSystem, _ browser: Browser = Browser()) async throws -> URL {
    let page = try await browser.open(try #require(URL(string: visit(world))))
    let form = try #require(HTMLForm.all(in: page.html).first { $0.action.hasSuffix("/install") })
    let next = try await browser.submit(form, of: page)
    return try #require(next.departure, "the button leads nowhere: \(next.text.prefix(300))")
  }

  private func launched(_ world: TestedSystem, of person: SimulatedUser, by link: URL? = nil) async throws
    -> TestedDevice
  {
    let device = try await world.device(of: person)
    device.client.callbackScheme = TestedSystem.app
    if let link { #expect(device.client.handle(url: link)) }
    return device
  }

  @Test("ATT-1: a visit, an install, a first launch: the app gets the full address of the visit; then it is on disk")
  func visited() async throws {
    try await TestedSystem.run { world in
      let link = try await install(world)
      let device = try await launched(world, of: world.person(), by: link)
      let told = try await device.client.attributionMetadata()
      #expect(told.refererUrl?.absoluteString == visit(world))
      #expect(device.person.visits.value.isEmpty, "no login is needed for it")
      await world.closeStore()
      try await device.restart()
      #expect(try await device.client.attributionMetadata() == told)
      #expect(world.network.count(.call(.attribution)) == 1)
    }
  }

  @Test("ATT-1: without a visit the address is nil")
  func organic() async throws {
    try await TestedSystem.run { world in
      let device = try await launched(world, of: world.person())
      #expect(try await device.client.attributionMetadata().refererUrl == nil)
      #expect(try await device.client.attributionMetadata().refererUrl == nil)
      #expect(world.network.count(.call(.attribution)) == 1)
    }
  }

  @Test("ATT-1: an answer that is lost on its way is asked for again, and is the same")
  func lostAnswer() async throws {
    try await TestedSystem.run { world in
      world.network.disturb(.call(.attribution), .loseAnswer, times: 1)
      let device = try await launched(world, of: world.person(), by: try await install(world))
      try await world.network.until(.call(.attribution), made: 2)
      #expect(try await device.client.attributionMetadata().refererUrl?.absoluteString == visit(world))
    }
  }

  @Test("ATT-2: a link that is opened on two devices counts on the first")
  func twoDevices() async throws {
    try await TestedSystem.run { world in
      let link = try await install(world)
      let first = try await launched(world, of: world.person(), by: link)
      #expect(try await first.client.attributionMetadata().refererUrl != nil)
      let second = try await launched(world, of: world.person("+31612345679"), by: link)
      #expect(try await second.client.attributionMetadata().refererUrl == nil)
    }
  }

  @Test("ATT-2: two visitors of one address are never mixed up: each installation gets its own visit, or none")
  func sameAddress() async throws {
    try await TestedSystem.run { world in
      _ = try await install(world)
      let link = try await install(world)
      let other = try await launched(world, of: world.person())
      #expect(try await other.client.attributionMetadata().refererUrl == nil)
      let device = try await launched(world, of: world.person(), by: link)
      #expect(try await device.client.attributionMetadata().refererUrl != nil)
    }
  }
}
