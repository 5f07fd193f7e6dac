import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import OnsideAPI
import Testing

@testable import OnsideStore
@testable import StoreWeb

/// A browser without a window: it keeps cookies, follows the store's own redirects and fills in forms.
final class Browser {
  let client: any TestClientProtocol
  var cookies: [String: String] = [:]
  var headers: HTTPFields = [:]
  /// The last answer, after redirects within the store.
  private(set) var response: TestResponse?
  private(set) var path = "/"
  /// Where the store sent the browser outside of itself, if it did.
  private(set) var leftFor: String?
  /// Called with each address that was opened and the answer to it.
  var onAnswer: (_ address: String, TestResponse) -> Void = { _, _ in }

  init(_ client: any TestClientProtocol) { self.client = client }

  var html: String { response.map { String(buffer: $0.body) } ?? "" }
  var page: HTMLScan { HTMLScan(html) }
  var status: HTTPResponse.Status? { response?.status }
  /// The parameters of the address that the browser was sent to.
  var answer: FormFields { FormFields(leftFor.flatMap { $0.split(separator: "?").last.map(String.init) } ?? "") }

  @discardableResult
  func get(_ path: String) async throws -> Browser { try await go(path, method: .get, body: nil) }

  /// Sends the form of the page that leads to an address with this ending, with what it is filled in with.
  @discardableResult
  func submit(_ ending: String, with fields: [String: String] = [:]) async throws -> Browser {
    let scan = page
    let index = try #require(
      scan.elements.firstIndex { element in
        element.name == "form" && element["action"].map { $0.split(separator: "?")[0].hasSuffix(ending) } == true
      }, "no form leads to \(ending) on \(path): \(html.prefix(2000))")
    var values: [String: String] = [:]
    for input in scan.elements where input.parents.contains(index) && input.name == "input" {
      let isChosen = input["type"] != "radio" && input["type"] != "checkbox" || input["checked"] != nil
      if let name = input["name"], isChosen { values[name] = input["value"] ?? "" }
    }
    values.merge(fields) { $1 }
    return try await post(scan.elements[index]["action"] ?? "", fields: values)
  }

  @discardableResult
  func post(_ path: String, fields: [String: String]) async throws -> Browser {
    let body = FormEncoding.encode(fields.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) })
    return try await go(path.replacing("&amp;", with: "&"), method: .post, body: body)
  }

  private func go(_ path: String, method: HTTPRequest.Method, body: String?) async throws -> Browser {
    var fields = headers
    if !cookies.isEmpty {
      fields[.cookie] = cookies.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
    }
    if body != nil { fields[.contentType] = "application/x-www-form-urlencoded" }
    self.path = path
    leftFor = nil
    let response = try await client.execute(
      uri: path, method: method, headers: fields, body: body.map { ByteBuffer(string: $0) })
    self.response = response
    onAnswer(path, response)
    for cookie in response.headers[values: .setCookie] {
      let pair = cookie.split(separator: ";")[0].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      cookies[String(pair[0])] = cookie.contains("Max-Age=0") ? nil : String(pair[1])
    }
    guard let location = response.headers[.location] else { return self }
    guard location.hasPrefix("/") else {
      leftFor = location
      return self
    }
    return try await go(location, method: .get, body: nil)
  }
}
