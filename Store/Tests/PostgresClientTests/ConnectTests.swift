import Foundation
import Glibc
import PostgresClient
import StoreTestSupport
import Testing

@Suite("Connecting to PostgreSQL", .timeLimit(.minutes(5)))
struct ConnectTests {
  private func failure(_ url: String, settings: PostgresSettings = PostgresSettings()) async throws -> PostgresError? {
    let address = try PostgresAddress(url)
    return try await onThread {
      #expect(throws: PostgresError.self) { try PostgresConnection(address, settings: settings) }
    }
  }

  @Test("goes on to the next host when the first one does not answer")
  func nextHost() async throws {
    let database = try await TestDatabase()
    let nothing = try TemporaryFolder(in: URL(filePath: "/tmp"))
    let hosts = [nothing.path, database.server.socketFolder].joined(separator: ",")
    let address = try PostgresAddress("postgres:///\(database.name)?host=\(hosts)&user=\(PostgresServer.user)")
    let value = try await onThread { try PostgresConnection(address).value("SELECT 1") }
    #expect(value == .integer(1))
  }

  @Test("refuses a server that refuses to write, unless the address says that any will do")
  func readOnly() async throws {
    let database = try await TestDatabase()
    let url = database.server.url(database.name) + "?options=-c%20default_transaction_read_only%3Don"
    let kind = try await failure(url)?.kind
    #expect(kind == .readOnly)
    let address = try PostgresAddress(url + "&target_session_attrs=any")
    let error = try await onThread {
      let connection = try PostgresConnection(address)
      try connection.run(script: "SET default_transaction_read_only = on")
      return #expect(throws: PostgresError.self) { try connection.query("CREATE TABLE t(a int8)") }
    }
    #expect(error?.kind == .readOnly && error?.sqlState == "25006")
  }

  @Test("tells a refused password on one host as that, not as a missing primary")
  func authentication() async throws {
    let database = try await TestDatabase()
    let nothing = try TemporaryFolder(in: URL(filePath: "/tmp"))
    for hosts in [[database.server.socketFolder], [nothing.path, database.server.socketFolder, nothing.path]] {
      let list = hosts.joined(separator: ",")
      let url = "postgres://\(PostgresServer.lockedUser):s3cret@/\(database.name)?host=\(list)"
      let error = try await failure(url)
      #expect(error?.kind == .authentication)
      #expect(error?.sqlState == "28P01")
      #expect(error.map { !"\($0)".contains("s3cret") } ?? false)
    }
    let withoutPassword = database.server.url(database.name, user: PostgresServer.lockedUser)
    let kind = try await failure(withoutPassword)?.kind
    #expect(kind == .authentication)
  }

  @Test("says that there is no such database, no server, no such host")
  func nothingThere() async throws {
    let server = try await SharedPostgresServer.server
    let missing = try await failure(server.url("missing"))
    #expect(missing?.kind == .missingDatabase && missing?.sqlState == "3D000")
    let kind = try await failure("postgres://me@%2Ftmp%2Fnowhere/store")?.kind
    #expect(kind == .unreachable)
    let secondKind = try await failure("postgres://me@localhost:1/store")?.kind
    #expect(secondKind == .unreachable)
    let unknown = try await failure("postgres://me@nowhere.invalid/store")
    #expect(unknown?.kind == .unreachable)
    #expect(unknown?.message.contains("nowhere.invalid is not known") == true)
  }

  @Test("gives up a server that does not answer")
  func silent() async throws {
    let database = try await TestDatabase()
    let proxy = try PostgresProxy(to: database.server)
    proxy.set(.isSilent)
    let error = try await failure(
      proxy.url(database.name), settings: PostgresSettings(connectTimeout: .milliseconds(100)))
    #expect(error?.kind == .unreachable)
    #expect(error?.message.contains("in time") == true)
  }

  @Test("SEC-6: rejects an address of several hosts without an sslmode, even if the host is this machine")
  func severalHosts() async throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isOpen = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, length) == 0 && listen(listener, 8) == 0 && getsockname(listener, $0, &length) == 0
      }
    }
    try #require(isOpen)
    let settings = PostgresSettings(connectTimeout: .milliseconds(100))
    let hosts = "postgres://me@127.0.0.1:\(UInt16(bigEndian: address.sin_port)),nowhere.invalid/store"
    let rejected = try await failure(hosts)
    #expect(rejected?.kind == .invalidAddress && rejected?.message.contains("one of several hosts") == true)
    let explicit = try await failure(hosts + "?sslmode=disable", settings: settings)
    #expect(explicit?.kind == .unreachable)
  }
}
