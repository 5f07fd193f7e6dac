import Foundation
import HTTPTypes
import HummingbirdTesting
import OnsideAPI
import OnsideCommerce
import StoreTestSupport
import Testing

@testable import OnsideStore
@testable import StoreWeb

@Suite(.timeLimit(.minutes(5))) struct OpenAPITests {
  private let document: OpenAPIDocument

  init() throws { document = try OpenAPIDocument() }

  @Test("STO-6: the OpenAPI document and the store's routes are the same set")
  func routes() async throws {
    let store = try await TestStore()
    let mounted = StoreApplication(core: store.core).routes.map(\.route)
    #expect(Set(mounted.map(\.name)).count == mounted.count, "a route is mounted twice")
    #expect(Set(mounted.map(\.name)) == Set(document.operations.map(\.name)))
    #expect(Set(Route.all).isSubset(of: mounted))
    let pages = document.operations.filter { $0.tags == ["pages"] }.map(\.name)
    #expect(Set(mounted).subtracting(Route.all).map(\.name).sorted() == pages)
  }

  @Test("STO-6: the document says of every route how the caller proves who it is")
  func security() {
    let schemes: [Route.Caller: [String]] = [
      .anyone: [], .browser: [], .app: ["accessToken", "onsideApp"], .account: ["accessToken"],
      .provider: ["sandboxSignature"], .merchant: ["serverCredential"],
      .device: ["vaultSignature"], .apiKey: ["apiKey"], .merchantToken: ["merchantToken"],
    ]
    for route in Route.all {
      let operation = document.operations.first { $0.name == route.name }
      #expect(operation?.security == schemes[route.caller], "\(route.name)")
      #expect(operation?.scopes == (route.scope.map { [$0] } ?? []), "\(route.name)")
    }
  }

  @Test("Every reference in the document leads somewhere, and every operation has its own id")
  func references() {
    for reference in Set(document.references()) {
      #expect(document.resolved(.object(["$ref": .string(reference)])) != .null, "\(reference)")
    }
    let ids = document.operations.compactMap { $0.value["operationId"]?.string }
    #expect(ids.count == document.operations.count && Set(ids).count == ids.count)
  }

  @Test("Every path parameter in braces is described")
  func parameters() {
    for operation in document.operations {
      let inPath = operation.path.split(separator: "/").filter { $0.hasPrefix("{") }.map {
        String($0.dropFirst().dropLast())
      }
      let shared = document.root["paths"]?[operation.path]?["parameters"]?.array ?? []
      let described = (shared + (operation.value["parameters"]?.array ?? [])).map { document.resolved($0) }
        .filter { $0["in"] == .string("path") }.compactMap { $0["name"]?.string }
      #expect(described.sorted() == inPath.sorted(), "\(operation.name)")
    }
  }

  @Test("Every example of a schema fits it")
  func examples() {
    for (name, schema) in document.schemas {
      for example in schema["examples"]?.array ?? [] {
        #expect(document.faults(example, against: schema) == [], "\(name)")
      }
    }
  }

  @Test("STO-6: every message, as it is encoded, fits its schema, with every field and with as few as can be")
  func messages() throws {
    for (name, message) in MessageSamples.all {
      let schema = try #require(document.schema(name), "\(name)")
      let value = try JSONDecoder().decode(JSONValue.self, from: message())
      #expect(document.faults(value, against: schema) == [], "\(name)")
    }
    #expect(Set(MessageSamples.all.map(\.name)) == Set(document.schemas.filter { $0.key.isMessage }.keys))
  }

  @Test("QUE-30: the document has the quantities that the store takes")
  func quantities() {
    let quantity = document.schema("OrderRequest")?["properties"]?["quantity"]
    #expect(quantity?["minimum"] == .integer(Int64(OrderRequest.quantities.lowerBound)))
    #expect(quantity?["maximum"] == .integer(Int64(OrderRequest.quantities.upperBound)))
  }

  @Test("A value that does not fit is told apart, so that the checks above can fail")
  func faults() throws {
    let schema = try #require(document.schema("AccountMessage"))
    let good: [String: JSONValue] = [
      "subject": .string("c3ViamVjdA"), "country": .string("NL"),
    ]
    #expect(document.faults(.object(good), against: schema) == [])
    for (key, value) in [("country", JSONValue.string("nl")), ("subject", .integer(1)), ("extra", .null)] {
      #expect(document.faults(.object(good.merging([key: value]) { $1 }), against: schema).count == 1)
    }
    #expect(document.faults(.object([:]), against: schema).count == 2)
  }

  @Test("STO-4: the document, docs/problems.md and the pages of the store explain every problem code")
  func problems() async throws {
    let codes = ProblemCode.all.map(\.rawValue)
    let listed = document.schema("ProblemDetails")?["properties"]?["code"]?["examples"]?.array.compactMap(\.string)
    #expect(listed == codes)
    let manual = try Repository.text("docs/problems.md")
    #expect(
      manual.split(separator: "\n").filter { $0.hasPrefix("## ") }.map { $0.dropFirst(3) } == codes.map { $0[...] })
    let words = manual.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    for explanation in ProblemExplanation.all {
      let section =
        "## \(explanation.code) HTTP status \(explanation.status). "
        + "\(explanation.meaning) What to do: \(explanation.remedy)"
      #expect(words.contains(section), "\(explanation.code)")
    }
    let store = try await TestStore()
    try await store.test { client in
      for code in codes {
        try await client.execute(uri: "/problems/\(code)", method: .get) { response in
          #expect(response.status == .ok, "\(code)")
        }
      }
      try await client.execute(uri: "/problems/none", method: .get) { #expect($0.status == .notFound) }
    }
  }
}

extension Route {
  /// Method and path.
  var name: String { "\(method.rawValue) \(path)" }
}

extension String {
  /// True for the name of a schema that is one of OnsideAPI's types.
  fileprivate var isMessage: Bool { hasSuffix("Message") || hasSuffix("Request") || self == "ProblemDetails" }
}
