import Foundation
import StoreTestSupport

/// A page in a real browser or web view. The cases speak to it through this, and run in every column that has one.
@MainActor
protocol WebPage: AnyObject, Sendable {
  /// Goes to an address; returns when that page has loaded.
  func open(_ address: URL) async throws
  /// Loads the page again; returns when it has loaded.
  func reload() async throws
  /// Runs the body of an asynchronous function in the page's own world. Arguments, known to it by name, and the value
  /// that it returns are JSON texts; `undefined` is `null`. No script is made of them.
  /// - Throws: what the function throws, described.
  func call(_ body: String, with texts: [String: String]) async throws -> String
  /// Kills the process that shows the page. Then the page can be opened anew.
  func crash() async throws
  /// Closes the tab or the view.
  func close() async
}

extension WebPage {
  /// Runs the body of an asynchronous function and reads its value.
  func value<Value: Decodable>(
    _ body: String, arguments: [String: any Encodable] = [:]
  ) async throws -> Value {
    let texts = try arguments.mapValues { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
    return try JSONDecoder().decode(Value.self, from: Data(try await call(body, with: texts).utf8))
  }

  /// Runs the body of an asynchronous function whose value does not matter.
  func run(_ body: String, arguments: [String: any Encodable] = [:]) async throws {
    let _: Ignored = try await value(body, arguments: arguments)
  }

  /// The value that an expression has, as JSON with its keys in order.
  func json(_ expression: String) async throws -> String {
    try await value("const value = await (\(expression)); return sorted(value === undefined ? null : value)")
  }

  /// Waits until an expression is true of the page.
  func until(_ condition: String) async throws {
    // Many short calls: WebKit's garbage collector may lose a function that waits for long ("Unsupported result type").
    try await NamedDeadline.wait(for: "a page on which \(condition)", every: .milliseconds(10)) {
      try await value("return !!(await (\(condition)))")
    }
  }
}

private struct Ignored: Decodable {
  init(from decoder: any Decoder) throws {}
}
