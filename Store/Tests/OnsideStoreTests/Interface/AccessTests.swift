import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OnsideAPI
import StoreTestSupport
import Testing

@testable import OnsideStore

@Suite(.timeLimit(.minutes(5))) struct AccessTests {
  private let document: OpenAPIDocument
  /// The status by route and role, as `docs/access.md` has it.
  private let table: [String: [String: Int]]
  private let roles: [String]

  init() throws {
    document = try OpenAPIDocument()
    let rows = try Repository.text("docs/access.md").split(separator: "\n").filter { $0.hasPrefix("| ") }.map { row in
      row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
    let roles = rows.first.map { Array($0.dropFirst()) } ?? []
    self.roles = roles
    table = Dictionary(
      rows.dropFirst().map { row in
        (
          row[0].trimmingCharacters(in: ["`"]),
          Dictionary(zip(roles, row.dropFirst().map { Int($0) ?? 0 })) { first, _ in first }
        )
      }, uniquingKeysWith: { first, _ in first })
  }

  @Test("STO-7: docs/access.md has one row for every route of the store, and one column for every role")
  func completeness() async throws {
    let world = try await InterfaceWorld()
    #expect(Set(table.keys) == Set(world.application.routes.map(\.route.name)))
    #expect(roles == Role.allCases.map(\.rawValue))
  }

  @Test(
    "STO-7: every route by every role gives what the matrix says, in a form that the document knows",
    arguments: Role.allCases)
  func matrix(role: Role) async throws {
    let world = try await InterfaceWorld()
    try await world.test { client in
      for (route, _) in world.application.routes {
        var probe = world.probe(route)
        role.sign(&probe, in: world)
        let response = try await probe.send(client)
        let place = "\(route.name) by \(role.rawValue)"
        #expect(response.status.code == table[route.name]?[role.rawValue], "\(place)")
        #expect(document.faults(response, to: route) == [], "\(place)")
      }
    }
  }
}

extension OpenAPIDocument {
  /// What an answer has that the document does not say of the route.
  func faults(_ answer: TestResponse, to route: Route) -> [String] {
    guard let operation = operations.first(where: { $0.name == route.name }) else { return ["no such operation"] }
    return faults(answer, to: operation)
  }

  func faults(_ answer: TestResponse, to operation: Operation) -> [String] {
    guard let response = response(operation, status: answer.status.code) else {
      return ["status \(answer.status.code) is not documented"]
    }
    let content = response["content"]?.object ?? [:]
    guard answer.body.readableBytes > 0 else {
      return content.isEmpty || operation.method == "POST" ? [] : ["expected a body of \(content.keys.sorted())"]
    }
    let type = answer.headers[.contentType]?.prefix { $0 != ";" } ?? "none"
    if operation.tags == ["pages"], content.isEmpty { return [] }
    guard let media = content[String(type)] else { return ["\(type) is not documented for \(answer.status.code)"] }
    guard let schema = media["schema"], type.contains("json") else { return [] }
    guard let value = try? JSONDecoder().decode(JSONValue.self, from: Data(answer.body.readableBytesView)) else {
      return ["the body is no JSON"]
    }
    return faults(value, against: schema)
  }
}
