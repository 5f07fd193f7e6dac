import PostgresClient
import Testing

@Suite("An address of PostgreSQL", .timeLimit(.minutes(5)))
struct AddressTests {
  @Test("is printed without its password and its options")
  func redaction() throws {
    let address = try PostgresAddress("postgres://shop:s3cret@db1:5433,db2/store?sslpassword=an0ther&sslmode=require")
    let texts = ["\(address)", String(reflecting: address), "\(Mirror(reflecting: address).children.map { "\($0)" })"]
    #expect(texts[0] == "postgres://shop@db1:5433,db2/store")
    for text in texts { #expect(!text.contains("s3cret") && !text.contains("an0ther")) }
  }

  @Test("may be a socket, in the place of the host and as an option")
  func socket() throws {
    #expect("\(try PostgresAddress("postgresql://me@%2Ftmp%2Fs/store"))" == "postgres://me@/tmp/s/store")
    #expect("\(try PostgresAddress("postgres:///store?host=/tmp/s"))" == "postgres:///tmp/s/store")
  }

  @Test("gives PostgreSQL's own programs each of its options in a variable, the password among them")
  func environment() throws {
    let address = try PostgresAddress("postgres://shop:s3cret@db1:5433,db2/store?sslmode=require&keepalives=1")
    #expect(
      address.environment == [
        "PGHOST": "db1,db2", "PGPORT": "5433,", "PGUSER": "shop", "PGPASSWORD": "s3cret", "PGDATABASE": "store",
        "PGSSLMODE": "require", "PGTARGETSESSIONATTRS": "read-write",
      ])
  }

  @Test(
    "of another form is refused without repeating it",
    arguments: [
      "", "postgres://", "store.sqlite", "host=db password=s3cret", "mysql://me:s3cret@db/store",
      "postgres://me:s3cret@[db/store", "postgres://me:s3cret@db/store?nonsense=1",
      "postgres://a,b,c:1,2:3/store?port=1,2", "postgres://me:s3cret@db:65536/store", "postgres://me:s3cret@db:a/store",
      "postgres://me:s3cret@db/store?target_session_attrs=standby",
    ])
  func refusal(url: String) throws {
    let error = #expect(throws: PostgresError.self) { try PostgresAddress(url) }
    #expect(error?.kind == .invalidAddress)
    #expect(error.map { !"\($0)".contains("s3cret") } ?? false)
  }
}
