import Foundation
import Logging
import StoreBase
import StoreWeb

/// The address under which a process of the store served last. A command, which may lack the options of that process,
/// sends and prints links with it.
struct ServedAddress {
  private static let name = "served_address"

  let database: any Database

  func read() async throws -> URL? {
    try await database.read { try StoreSettings(connection: $0).value(Self.name) }.flatMap { URL(string: $0) }
  }

  func write(_ url: URL) async throws {
    guard try await read() != url else { return }
    try await database.write { try StoreSettings(connection: $0).set(Self.name, to: url.absoluteString) }
  }
}

extension StoreCore {
  /// Stores the address for commands. A store on a full disk serves nevertheless.
  func storeAddress() async {
    do { try await ServedAddress(database: dependencies.database).write(address.url) } catch {
      dependencies.logger.warning("the store's address cannot be stored", metadata: ["error": "\(error.loggedName)"])
    }
  }
}
