import OnsideStore
import StoreBase

/// A PostgreSQL server as the store depends on it.
struct PostgresChecks {
  let database: any Database
  let location: DatabaseLocation

  func findings() async throws -> [Finding] {
    let settings = try await settings()
    return [server(settings), durability(settings), checksums(settings), standbys(settings)]
  }

  private func settings() async throws -> [String: String] {
    try await database.read { connection in
      let rows = try connection.rows(
        """
        SELECT name::text AS name, setting::text AS value FROM pg_settings WHERE name IN
          ('server_version', 'fsync', 'full_page_writes', 'synchronous_commit', 'data_checksums',
           'synchronous_standby_names')
        """)
      return try Dictionary(uniqueKeysWithValues: rows.map { (try $0.text("name"), try $0.text("value")) })
    }
  }

  private func server(_ settings: [String: String]) -> Finding {
    .good("server", "PostgreSQL \(settings["server_version"] ?? "of an unknown version"), \(location)")
  }

  private func durability(_ settings: [String: String]) -> Finding {
    let weak = ["fsync", "full_page_writes", "synchronous_commit"].filter { settings[$0] == "off" }
    guard weak.isEmpty else {
      return .bad(
        "durability", "\(weak.joined(separator: ", ")): off",
        remedy: "An acknowledged order could be lost when the server's power fails: ALTER SYSTEM SET … = on.")
    }
    let level = settings["synchronous_commit"] ?? "unknown"
    return .good("durability", "every commit is flushed (synchronous_commit = \(level))")
  }

  private func checksums(_ settings: [String: String]) -> Finding {
    settings["data_checksums"] == "on"
      ? .good("checksums", "the server checks every page that it reads")
      : .good("checksums", "off: a damaged page is not noticed; pg_checksums --enable, with the server stopped")
  }

  private func standbys(_ settings: [String: String]) -> Finding {
    guard let names = settings["synchronous_standby_names"], !names.isEmpty else {
      return .good("standbys", "none is synchronous: orders of the last moments are lost with the server's disk")
    }
    return .good("standbys", "an order is acknowledged once it is on \(names), too")
  }
}
