import Foundation
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideKit

/// Writes down what it hears of a products request.
@MainActor
final class ProductsListener: OnsideProductsRequestDelegate {
  private(set) var heard: [String] = []
  private(set) var response: OnsideProductsResponse?
  var react: ((String) -> Void)?

  func onsideProductsRequest(_ request: any OnsideProductsRequest, didReceive response: OnsideProductsResponse) {
    self.response = response
    hear("received")
  }
  func onsideProductsRequest(_ request: any OnsideProductsRequest, didFailWithError error: OnsideProductsRequestError) {
    hear("failed: \(error)")
  }
  func onsideProductsRequestDidFinish(_ request: any OnsideProductsRequest) { hear("finished") }

  private func hear(_ text: String) {
    MainActor.assertIsolated()
    heard.append(text)
    react?(text)
  }
}

/// Has the method's name of releases before 1.0.
@MainActor
final class OlderProductsListener: OnsideProductsRequestDelegate {
  private(set) var heard: [String] = []

  func onsideProductsRequest(_ request: any OnsideProductsRequest, didReceive response: OnsideProductsResponse) {}
  func onsideProductsRequestRequest(
    _ request: any OnsideProductsRequest, didFailWithError error: OnsideProductsRequestError
  ) {
    heard.append("failed: \(error)")
  }
}

/// Has both names.
@MainActor
final class TwiceNamedProductsListener: OnsideProductsRequestDelegate {
  private(set) var heard: [String] = []

  func onsideProductsRequest(_ request: any OnsideProductsRequest, didReceive response: OnsideProductsResponse) {}
  func onsideProductsRequest(_ request: any OnsideProductsRequest, didFailWithError error: OnsideProductsRequestError) {
    heard.append("failed: \(error)")
  }
  func onsideProductsRequestRequest(
    _ request: any OnsideProductsRequest, didFailWithError error: OnsideProductsRequestError
  ) {
    heard.append("older: \(error)")
  }
}

@MainActor
@Suite("Products requests", .timeLimit(.minutes(5)))
struct ProductsRequestTests {
  let world = ClientHarness()
  let store = StoreDouble()
  let listener = ProductsListener()

  func request(_ identifiers: Set<String> = ["a"], region: String? = nil) -> (OnsideClient, any OnsideProductsRequest) {
    let client = OnsideClient.scripted(store, in: world, region: region)
    let request = client.makeProductsRequest(productIdentifiers: identifiers)
    request.delegate = listener
    return (client, request)
  }

  @Test("PRD-1: known and unknown identifiers come in one response, in the catalogue's order")
  func bothLists() async {
    store.set { $0.products = .success(.netherlands([.named("z"), .named("a")], invalid: ["x"])) }
    let (client, request) = request(["a", "x", "z"])
    request.start()
    #expect(await eventually { listener.heard.count == 2 })
    #expect(listener.response?.products.map(\.productIdentifier) == ["z", "a"])
    #expect(listener.response?.invalidProductIdentifiers == ["x"])
    #expect(store.now.asked.map(\.identifiers) == [["a", "x", "z"]])
    await client.close()
  }

  @Test("PRD-1: many identifiers are asked for in several calls, each once")
  func manyIdentifiers() async throws {
    store.set { $0.products = .success(.netherlands(invalid: ["x"])) }
    let client = OnsideClient.scripted(store, in: world)
    let identifiers = Set((0..<250).map { "p\($0)" })
    let response = try await client.products(for: identifiers)
    #expect(store.now.asked.map(\.identifiers.count) == [100, 100, 50])
    #expect(Set(store.now.asked.flatMap(\.identifiers)) == identifiers)
    #expect(response.invalidProductIdentifiers == ["x", "x", "x"])
    await client.close()
  }

  @Test("PRD-2: an empty set gives an empty response without the network")
  func empty() async {
    let (client, request) = request([])
    request.start()
    #expect(await eventually { listener.heard == ["received", "finished"] })
    #expect(listener.response == OnsideProductsResponse(products: [], invalidProductIdentifiers: []))
    #expect(store.now.asked.isEmpty)
    await client.close()
  }

  @Test("PRD-3: a response and then the end, or a failure alone")
  func outcome() async {
    store.set { $0.products = .success(.netherlands([.named("a")])) }
    let (client, first) = request()
    first.start()
    #expect(await eventually { listener.heard.count == 2 })
    #expect(listener.heard == ["received", "finished"])
    store.set { $0.products = .failure(.connection) }
    let second = client.makeProductsRequest(productIdentifiers: ["a"])
    second.delegate = listener
    second.start()
    #expect(await eventually { listener.heard.count == 3 })
    await client.close()
    #expect(listener.heard == ["received", "finished", "failed: connectionError"])
  }

  @Test("API-1: a delegate written for releases before 1.0 is told of a failure, and one with both names once")
  func olderName() async {
    store.set { $0.products = .failure(.connection) }
    let client = OnsideClient.scripted(store, in: world)
    let (older, both) = (OlderProductsListener(), TwiceNamedProductsListener())
    let requests = ["a", "b"].map { client.makeProductsRequest(productIdentifiers: [$0]) }
    requests[0].delegate = older
    requests[1].delegate = both
    for request in requests { request.start() }
    #expect(await eventually { !older.heard.isEmpty && !both.heard.isEmpty })
    await client.close()
    #expect(older.heard == ["failed: connectionError"])
    #expect(both.heard == ["failed: connectionError"])
  }

  nonisolated static let errors: [(StoreError, OnsideProductsRequestError)] = [
    (.connection, .connectionError), (.appNotRegistered, .appNotRegistered), (.notFound, .appNotRegistered),
    (.refused(.invalidProductIdentifier), .invalidProductIdentifier), (.refused(.forbidden), .internalError),
    (.serviceUnavailable, .serviceUnavailable),
    (.internalError("?"), .internalError), (.notSignedIn, .internalError), (.cancelled, .cancelled),
  ]

  @Test("PRD-5: every fault has its published case", arguments: errors)
  func fault(error: StoreError, published: OnsideProductsRequestError) async {
    store.set { $0.products = .failure(error) }
    let client = OnsideClient.scripted(store, in: world)
    await #expect(throws: published) { try await client.products(for: ["a"]) }
    await client.close()
  }

  @Test("PRD-5: a request ends within its deadline of 15 seconds")
  func deadline() async {
    store.set { $0.hangs = true }
    let (client, request) = request()
    request.start()
    #expect(await eventually { store.now.isHanging && world.clock.sleepers >= 1 })
    world.clock.advance(15)
    #expect(await eventually { listener.heard == ["failed: connectionError"] })
    #expect(store.now.wasCancelled)
    await client.close()
  }

  @Test("PRD-4: stop in flight is cancelled, once; a second start and a late stop do nothing")
  func stop() async {
    store.set { $0.hangs = true }
    let (client, request) = request()
    request.start()
    request.start()
    #expect(await eventually { store.now.isHanging })
    request.stop()
    #expect(listener.heard == ["failed: cancelled"])
    request.stop()
    request.start()
    #expect(await eventually { store.now.wasCancelled })
    #expect(listener.heard == ["failed: cancelled"])
    #expect(store.now.asked.count == 1)
    await client.close()
  }

  @Test("PRD-4: stop before the start and after the end is silent")
  func silentStop() async {
    store.set { $0.products = .success(.netherlands()) }
    let (client, request) = request()
    request.stop()
    #expect(listener.heard.isEmpty)
    request.start()
    #expect(await eventually { listener.heard.count == 2 })
    request.stop()
    #expect(listener.heard == ["received", "finished"])
    await client.close()
  }

  @Test("PRD-4: stop from within a callback is silent")
  func reentrantStop() async {
    store.set { $0.products = .success(.netherlands()) }
    let (client, request) = request()
    listener.react = { _ in
      request.delegate = nil
      request.stop()
    }
    request.start()
    #expect(await eventually { !listener.heard.isEmpty })
    await client.close()
    #expect(listener.heard == ["received"])
  }

  @Test("PRD-4: dropping the last reference cancels silently")
  func dropped() async {
    store.set { $0.hangs = true }
    let client = OnsideClient.scripted(store, in: world)
    weak var dropped: (any OnsideProductsRequest)?
    do {
      let request = client.makeProductsRequest(productIdentifiers: ["a"])
      request.delegate = listener
      dropped = request
      request.start()
      #expect(await eventually { store.now.isHanging })
    }
    #expect(dropped == nil)
    #expect(await eventually { store.now.wasCancelled })
    #expect(listener.heard.isEmpty)
    await client.close()
  }

  @Test("STF-2: the region is resolved when the request starts")
  func regionAtStart() async {
    store.set { $0.products = .success(.netherlands()) }
    let (client, request) = request(region: "DE")
    let delegate = CountryGuess("fr ")
    client.delegate = delegate
    request.start()
    #expect(await eventually { listener.heard.count == 2 })
    #expect(store.now.asked.map { $0.country?.alpha2 } == ["FR"])
    await client.close()
  }

  @Test("STF-2: without hint and system region the store's default is asked for, and remembered")
  func storeDefault() async throws {
    store.set { $0.products = .success(.netherlands()) }
    let client = OnsideClient.scripted(store, in: world)
    _ = try await client.products(for: ["a"])
    _ = try await client.products(for: ["a"])
    #expect(store.now.asked.map { $0.country?.alpha2 } == [nil, "NL"])
    await client.close()
  }

  @Test("PRD-8: the user's languages are sent, best first")
  func languages() async throws {
    store.set { $0.products = .success(.netherlands()) }
    let client = OnsideClient(
      configuration: world.configuration(), dependencies: world.dependencies(languages: ["nl-NL", "en"]), store: store,
      host: OnsideHost())
    _ = try await client.products(for: ["a"])
    #expect(store.now.asked.map(\.languages) == [["nl-NL", "en"]])
    await client.close()
  }
}

/// A delegate that assumes a country.
@MainActor
final class CountryGuess: OnsideDelegate {
  let country: String
  init(_ country: String) { self.country = country }
  func onsideDefaultCountryCodeAssumption() -> String? { country }
}
