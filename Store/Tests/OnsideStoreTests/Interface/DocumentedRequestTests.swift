import Foundation
import HTTPTypes
import HummingbirdTesting
import OnsideAPI
import Testing

@testable import OnsideStore

/// The document, taken at its word.
@Suite(.timeLimit(.minutes(5))) struct DocumentedRequestTests {
  private let document: OpenAPIDocument

  init() throws { document = try OpenAPIDocument() }

  private func sampler(_ world: InterfaceWorld, seed: UInt64) -> SchemaSampler {
    let orders = [world.places.open, world.places.paid, world.places.cancellable]
    return SchemaSampler(
      document: document, fuzzer: Fuzzer(seed: seed),
      known: [
        "id": orders + ["gold"], "order_id": orders + [world.places.subscribed], "product_id": ["gold", "remove_ads"],
        "country": ["NL"],
        "client_id": [InterfaceWorld.app], "redirect_uri": ["http://127.0.0.1:9/callback"], "code": ["rate_limited"],
        "quantity": ["1"],
      ])
  }

  @Test("STO-6: a request made from the document gets an answer that is in the document", arguments: 1...3)
  func fitting(seed: UInt64) async throws {
    let world = try await InterfaceWorld(unlimited: true)
    try await world.test { client in
      var sampler = sampler(world, seed: seed)
      var classes: [Int: Int] = [:]
      for operation in document.operations where operation.tags != ["pages"] {
        for number in 0..<30 {
          let probe = DocumentedRequest(operation, sampler: &sampler).probe(in: world)
          let response = try await world.answer(probe, with: client)
          let place =
            "seed \(seed), number \(number): \(probe.method) \(probe.uri.prefix(300)) \(probe.body.prefix(300))"
          // Texts may be of any length for the document, but no body is.
          let isKnown = operation.value["responses"]?["\(response.status.code)"] != nil
          #expect(isKnown || response.status == .contentTooLarge, "\(response.status): \(place)")
          #expect(document.faults(response, to: operation) == [], "\(place)")
          classes[response.status.code / 100, default: 0] += 1
        }
      }
      #expect(classes[2, default: 0] > 200 && classes[4, default: 0] > 50, "\(classes)")
    }
  }

  @Test("STO-6: a request with one thing that the document forbids is refused", arguments: 1...3)
  func spoiled(seed: UInt64) async throws {
    let world = try await InterfaceWorld(unlimited: true)
    try await world.test { client in
      var sampler = sampler(world, seed: seed)
      var count = 0
      for operation in document.operations where operation.tags != ["pages"] {
        for (fault, request) in DocumentedRequest(operation, sampler: &sampler).spoiled(sampler) {
          let probe = request.probe(in: world)
          let response = try await world.answer(probe, with: client)
          let place = "seed \(seed), \(fault): \(probe.method) \(probe.uri.prefix(300)) \(probe.body.prefix(300))"
          // An app is told of its faulty request for a login at its own address.
          let isToldThere = response.headers[.location]?.contains("error=") == true
          #expect(isToldThere || 400..<500 ~= response.status.code, "\(response.status): \(place)")
          #expect(document.faults(response, to: operation) == [], "\(place)")
          count += 1
        }
      }
      #expect(count > 50)
    }
  }
}
