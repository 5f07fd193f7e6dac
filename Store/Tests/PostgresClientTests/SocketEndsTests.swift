import Testing

@testable import PostgresClient

@Suite("The ends of a connection")
struct SocketEndsTests {
  @Test(
    "SEC-6: show another machine unless the peer is a loopback address or the own address",
    arguments: [
      (SocketEnds(own: "127.0.0.1", peer: "127.0.0.2"), false), (SocketEnds(own: "::1", peer: "::1"), false),
      (SocketEnds(own: "::ffff:127.0.0.1", peer: "::ffff:127.0.0.1"), false),
      (SocketEnds(own: "192.0.2.7", peer: "192.0.2.7"), false), (SocketEnds(own: "192.0.2.7", peer: "192.0.2.8"), true),
      (SocketEnds(own: "2001:db8::7", peer: "2001:db8::8"), true),
    ])
  func otherMachine(ends: SocketEnds, isOther: Bool) {
    #expect(ends.isOtherMachine == isOther)
  }
}
