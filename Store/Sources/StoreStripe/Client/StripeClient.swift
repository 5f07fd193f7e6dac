import Foundation
import StoreBase

/// A client of Stripe's API: one method for each call that the store needs. Each call is made once; who repeats it uses
/// the same idempotency key.
struct StripeClient: Sendable {
  /// Where Stripe is.
  static let address = "https://api.stripe.com"
  /// The most pages that ``all(_:form:limit:)`` reads.
  static let pageLimit = 1000

  let http: StripeHTTP

  init(key: StripeKey, address: String = Self.address, timeout: Duration = .seconds(30)) {
    http = StripeHTTP(key: key, address: address, timeout: timeout)
  }

  func get<Value: Decodable>(_ path: String, form: StripeForm = StripeForm()) async throws(StripeError) -> Value {
    try Self.read(try await http.get(path, form: form))
  }

  func post<Value: Decodable>(
    _ path: String, form: StripeForm = StripeForm(), key: StripeIdempotencyKey
  ) async throws(StripeError) -> Value {
    try Self.read(try await http.post(path, form: form, key: key))
  }

  func delete<Value: Decodable>(_ path: String) async throws(StripeError) -> Value {
    try Self.read(try await http.delete(path))
  }

  /// Every object of a list, the newest first: page by page.
  func all<Element: StripeObject>(_ path: String, form: StripeForm) async throws(StripeError) -> [Element] {
    var elements: [Element] = []
    for _ in 0..<Self.pageLimit {
      var form = form
      form.set("limit", to: 100)
      form.set("starting_after", to: elements.last?.id)
      let page: StripeList<Element> = try await get(path, form: form)
      elements += page.data
      guard page.hasMore, !page.data.isEmpty else { return elements }
    }
    throw StripeError(kind: .unreadable, reason: "expected at most \(Self.pageLimit) pages of \(path), got more")
  }

  private static func read<Value: Decodable>(_ answer: StripeAnswer) throws(StripeError) -> Value {
    guard (200..<300).contains(answer.status) else { throw StripeError(answer) }
    do {
      return try StripeJSON.decode(Value.self, from: answer.body)
    } catch {
      var failure = StripeError(kind: .unreadable, reason: "expected \(Value.self), got other JSON")
      failure.status = answer.status
      failure.requestID = answer.requestID
      throw failure
    }
  }

  /// A path with an id in it.
  static func path(_ collection: String, id: String, _ verb: String? = nil) -> String {
    "/v1/\(collection)/\(id.percentEncoded)" + (verb.map { "/" + $0 } ?? "")
  }
}

/// An object with an id.
protocol StripeObject: Decodable, Sendable {
  var id: String { get }
}
