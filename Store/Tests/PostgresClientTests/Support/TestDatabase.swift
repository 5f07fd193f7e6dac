import Foundation
import PostgresClient
import StoreTestSupport

/// A database of one test.
struct TestDatabase {
  let name: String
  let server: PostgresServer

  init() async throws {
    server = try await SharedPostgresServer.server
    name = try await server.makeDatabase()
  }

  var address: PostgresAddress {
    get throws { try PostgresAddress(server.url(name)) }
  }

  /// Limits that a busy machine does not reach.
  private static let patient = PostgresSettings(
    connectTimeout: .seconds(60), statementTimeout: .seconds(60), idleTransactionTimeout: .seconds(60))

  /// Runs blocking calls with a connection, on a thread of their own.
  func connected<T: Sendable>(
    _ settings: PostgresSettings = Self.patient, _ body: @escaping @Sendable (PostgresConnection) throws -> T
  ) async throws -> T {
    let address = try address
    return try await onThread { try body(PostgresConnection(address, settings: settings)) }
  }
}

extension PostgresConnection {
  /// The first value of a query's first row.
  func value(_ sql: String, _ parameters: [PostgresParameter] = []) throws -> PostgresValue? {
    try query(sql, parameters).rows.first?.first
  }
}
