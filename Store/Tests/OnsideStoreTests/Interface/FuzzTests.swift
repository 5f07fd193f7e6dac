import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OnsideAPI
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreMerchants

@Suite(.timeLimit(.minutes(5))) struct FuzzTests {
  private let document: OpenAPIDocument

  init() throws { document = try OpenAPIDocument() }

  @Test(
    "STO-6: no malformed request makes the store fail, and every answer is one that the document knows",
    arguments: 1...3)
  func requests(seed: UInt64) async throws {
    let world = try await InterfaceWorld(unlimited: true)
    try await world.test { client in
      var fuzzer = Fuzzer(seed: seed)
      var classes: [Int: Int] = [:]
      for (route, _) in world.application.routes {
        let names = document.parameters(of: route)
        for number in 0..<40 {
          var probe = world.probe(route)
          fuzzer.spoil(&probe, names: names, in: world)
          let response = try await world.answer(probe, with: client)
          let place = "seed \(seed), \(route.name) number \(number): \(probe.uri.prefix(300)) \(probe.body.prefix(300))"
          #expect(response.status.code < 500, "\(place)")
          classes[response.status.code / 100, default: 0] += 1
          if response.headers[.contentType] == "application/problem+json" {
            #expect(document.faults(response) == [], "\(place)")
          }
        }
      }
      // Some requests come through and some do not: otherwise this would test next to nothing.
      #expect(classes[2, default: 0] > 100 && classes[4, default: 0] > 100, "\(classes)")
    }
  }

  @Test("STO-6: no form of a page, filled in wrongly, makes the store fail", arguments: 1...3)
  func forms(seed: UInt64) async throws {
    let world = try await InterfaceWorld(unlimited: true)
    let pages = [
      "/login", "/shop/\(InterfaceWorld.app)", "/pay/\(world.places.paymentPage)",
      "/pay/\(world.places.paymentPage)/second-step", "/methods/\(world.places.methodsPage)", "/", "/account",
      "/refund/\(world.places.refundPage)",
      "/subscriptions/\(world.places.subscriptionsPage)?app=\(InterfaceWorld.app)",
    ]
    try await world.test { client in
      var fuzzer = Fuzzer(seed: seed)
      for number in 0..<80 {
        let page = pages[number % pages.count]
        let browser = Browser(client)
        try await browser.get(page)
        // A form may lead to another page with a form: a few steps deep.
        for _ in 0..<3 {
          let forms = browser.page.elements.filter { $0.name == "form" && $0["method"]?.lowercased() == "post" }
          guard !forms.isEmpty else { break }
          let action = fuzzer.pick(forms)["action"] ?? ""
          let fields = fields(of: browser.page, &fuzzer)
          try await browser.submit(String(action.prefix { $0 != "?" }), with: fields)
          #expect(browser.status.map { $0.code < 500 } == true, "seed \(seed), number \(number): \(action) \(fields)")
        }
      }
    }
  }

  /// Some fields of a page filled in wrongly, and some that it does not have.
  private func fields(of page: HTMLScan, _ fuzzer: inout Fuzzer) -> [String: String] {
    let names = page.elements.compactMap {
      ["input", "select", "button", "textarea"].contains($0.name) ? $0["name"] : nil
    }
    var fields: [String: String] = [:]
    for name in names + [fuzzer.pick(Fuzzer.keys)] where fuzzer.chance(name == "csrf" ? 5 : 50) {
      let choices = page.elements.filter { $0["name"] == name }.compactMap { $0["value"] }
      fields[name] = !choices.isEmpty && fuzzer.chance(40) ? fuzzer.pick(choices) : String(fuzzer.text().prefix(3000))
    }
    return fields
  }

}

extension InterfaceWorld {
  /// Sends a request; a poll that waits is woken, so that nothing waits for a clock that stands.
  func answer(_ probe: Probe, with client: any TestClientProtocol) async throws -> TestResponse {
    store.core.eventFeed.close()
    let waker = Task {
      while !Task.isCancelled {
        store.core.changes.wakeAll()
        try await Task.sleep(for: .milliseconds(5))
      }
    }
    defer { waker.cancel() }
    return try await probe.send(client)
  }
}

extension OpenAPIDocument {
  /// The names of an operation's parameters in the query.
  func parameters(of route: Route) -> [String] {
    let operation = operations.first { $0.name == route.name }
    return (operation?.value["parameters"]?.array ?? []).map { resolved($0) }
      .filter { $0["in"] == .string("query") }.compactMap { $0["name"]?.string }
  }

  /// What a problem has that its schema does not.
  func faults(_ problem: TestResponse) -> [String] {
    guard let value = try? JSONDecoder().decode(JSONValue.self, from: Data(problem.body.readableBytesView)),
      let schema = schema("ProblemDetails")
    else { return ["no problem"] }
    return faults(value, against: schema)
  }
}
