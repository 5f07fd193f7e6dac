import Foundation
import HTTPTypes
import OnsideAPI

@testable import OnsideStore
@testable import StoreBase
@testable import StoreWeb

/// A request made of what the document says of an operation.
struct DocumentedRequest {
  struct Parameter {
    let name: String
    let place: String
    let isRequired: Bool
    let schema: JSONValue
    var value: JSONValue?
  }

  let operation: OpenAPIDocument.Operation
  var parameters: [Parameter]
  let media: String?
  let schema: JSONValue?
  var body: JSONValue?

  /// A request that fits.
  init(_ operation: OpenAPIDocument.Operation, sampler: inout SchemaSampler) {
    let document = sampler.document
    let shared = document.root["paths"]?[operation.path]?["parameters"]?.array ?? []
    self.operation = operation
    parameters = []
    for value in (shared + (operation.value["parameters"]?.array ?? [])).map({ document.resolved($0) }) {
      let (name, place) = (value["name"]?.string ?? "", value["in"]?.string ?? "")
      let (schema, isRequired) = (value["schema"] ?? .null, value["required"] == .bool(true))
      let isGiven = isRequired || sampler.fuzzer.chance(50)
      parameters.append(
        Parameter(
          name: name, place: place, isRequired: isRequired, schema: schema,
          value: isGiven ? sampler.value(schema, named: name) : nil))
    }
    let content = operation.value["requestBody"]?["content"]?.object.first
    media = content?.key
    schema = content?.value["schema"].map { document.resolved($0) }
    body = schema.map { sampler.value($0, named: "") }
  }

  /// The request with the proof of who makes it that the document asks for.
  func probe(in world: InterfaceWorld) -> Probe {
    var path = operation.path
    var query: [(String, String)] = []
    var probe = Probe(method: operation.method == "GET" ? .get : .post, uri: "")
    for parameter in parameters {
      for text in parameter.value?.plain ?? [] {
        switch parameter.place {
        case "path": path = path.replacing("{\(parameter.name)}", with: text.percentEncoded)
        case "query": query.append((parameter.name, text))
        default: HTTPField.Name(parameter.name).map { probe.headers[$0] = text }
        }
      }
    }
    probe.uri = path.appendingQuery(query)
    if media == "application/json" {
      probe.json(body?.json ?? "")
    } else if media != nil {
      let fields = (body?.object ?? [:]).sorted { $0.key < $1.key }
        .flatMap { name, value in (value.plain ?? []).map { (name, $0) } }
      probe.form(String("".appendingQuery(fields).dropFirst()))
    }
    switch operation.security.first {
    case "accessToken": probe.bearer(world.token(InterfaceWorld.user))
    case "onsideApp": probe.headers[.onsideApp] = InterfaceWorld.app
    case "apiKey": operation.scopes.first.flatMap { world.keys[$0] }.map { probe.bearer($0) }
    case "merchantToken": Role.merchantToken.sign(&probe, in: world)
    case "serverCredential": Role.merchant.sign(&probe, in: world)
    case "sandboxSignature": Role.provider.sign(&probe, in: world)
    default: break
    }
    return probe
  }

  /// The same request with one thing wrong each, and what that is.
  func spoiled(_ sampler: SchemaSampler) -> [(fault: String, request: DocumentedRequest)] {
    var all: [(String, DocumentedRequest)] = []
    for (index, parameter) in parameters.enumerated() where parameter.place != "path" {
      var wrong = sampler.wrongValues(parameter.schema).filter { parameter.fails($0.value, against: sampler.document) }
      if parameter.isRequired { wrong.append(("is missing", .null)) }
      for (fault, value) in wrong {
        var request = self
        request.parameters[index].value = value == .null ? nil : value
        all.append(("\(parameter.name) \(fault)", request))
      }
    }
    guard let schema, let members = body?.object else { return all }
    for name in schema["required"]?.array.compactMap(\.string) ?? [] {
      var request = self
      request.body = .object(members.filter { $0.key != name })
      all.append(("\(name) is missing", request))
    }
    guard media == "application/json" else { return all }
    for (name, property) in schema["properties"]?.object ?? [:] {
      // Null counts as nothing, which what is not required may be.
      for (fault, value) in sampler.wrongValues(property) where value != .null || isRequired(name) {
        var request = self
        request.body = .object(members.merging([name: value]) { $1 })
        all.append(("\(name) \(fault)", request))
      }
    }
    return all
  }

  private func isRequired(_ name: String) -> Bool { schema?["required"]?.array.contains(.string(name)) == true }
}

extension DocumentedRequest.Parameter {
  /// Whether a value does not fit, as the text that it is in an address or header.
  fileprivate func fails(_ value: JSONValue, against document: OpenAPIDocument) -> Bool {
    let schema = document.resolved(schema)
    guard let text = value.plain?.first else { return false }
    if schema["type"]?.string == "integer" {
      return Int64(text).map { !document.faults(.integer($0), against: schema).isEmpty || value.integer != nil } ?? true
    }
    return !document.faults(.string(text), against: document.resolved(schema["items"] ?? schema)).isEmpty
  }
}
