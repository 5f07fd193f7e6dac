import Testing

@testable import StoreWeb

@Suite("Proxies: the client's address in X-Forwarded-For")
struct ProxiesTests {
  @Test(
    "is the last entry that no known proxy has",
    arguments: [
      (["10.9.9.9", "198.51.100.7"], "198.51.100.7"), (["1.1.1.1", "198.51.100.7", "10.1.2.3"], "198.51.100.7"),
      (["1.1.1.1", "2001:db8:1::9", "192.0.2.7", "10.1.2.3:4711"], "2001:db8:1::9"),
      (["1.1.1.1", "unknown", "10.1.2.3"], "unknown"), (["10.1.2.3", "10.1.2.4"], "10.1.2.3"),
      (["198.51.100.7", "::ffff:10.1.2.3"], "198.51.100.7"),
    ])
  func several(entries: [String], client: String) throws {
    let known = try ["10.0.0.0/8", "192.0.2.7"].map { try #require(NetworkRange($0)) }
    #expect(Proxies(areInFront: true, known: known).client(in: entries) == client)
  }

  @Test("is the last entry where no further proxy is known")
  func one() {
    #expect(Proxies(areInFront: true, known: []).client(in: ["1.1.1.1", "10.1.2.3"]) == "10.1.2.3")
    #expect(Proxies(areInFront: true, known: []).client(in: []) == nil)
  }

  @Test(
    "ranges are read with the number of their fixed bits",
    arguments: [
      ("10.128.0.0/9", "10.200.1.1", true), ("10.128.0.0/9", "10.127.1.1", false), ("0.0.0.0/0", "198.51.100.7", true),
      ("2001:db8::/32", "2001:db8:ffff::1", true), ("2001:db8::/32", "2001:db9::1", false),
      ("10.0.0.0/8", "2001:db8::1", false), ("192.0.2.7", "192.0.2.7", true), ("192.0.2.7", "192.0.2.8", false),
    ])
  func ranges(range: String, address: String, isIn: Bool) throws {
    let (range, address) = (try #require(NetworkRange(range)), try #require(IPAddress(address)))
    #expect(range.contains(address) == isIn)
  }

  @Test("what is no range is rejected", arguments: ["", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "proxy", "::/129"])
  func invalid(text: String) {
    #expect(NetworkRange(text) == nil)
  }
}
