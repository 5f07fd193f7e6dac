import Foundation
import OnsideAPI
import OnsideVault
import Testing

@Suite("Requests that a device signs", .timeLimit(.minutes(5)))
struct SignatureTests {
  private let device = VaultDeviceKey()
  private let request = VaultRequest(.post, "/v1/vault/enrolments", body: Array("{}".utf8))
  private let time = Int64(Sample.now.timeIntervalSince1970 * 1000)

  @Test("A signed request is taken, and tells key, time and nonce")
  func right() throws {
    let nonce = [UInt8](repeating: 3, count: 16)
    let signature = try #require(
      VaultSignature(header: device.sign(request, time: time, nonce: nonce), of: request))
    #expect(signature.deviceKey == device.publicKey && signature.time == time && signature.nonce == nonce)
    let fresh = [device.sign(request, time: time), device.sign(request, time: time)]
    #expect(fresh[0] != fresh[1])
  }

  @Test("Another method, path or body is refused")
  func otherRequest() {
    let header = device.sign(request, time: time)
    for other in [
      VaultRequest(.get, request.path, body: request.body),
      VaultRequest(.post, request.path + "/x", body: request.body),
      VaultRequest(.post, request.path, body: request.body + [32]),
    ] {
      #expect(VaultSignature(header: header, of: other) == nil)
    }
  }

  @Test("A header with any character changed, cut or added is refused")
  func otherHeader() {
    let header = device.sign(request, time: time)
    #expect(VaultSignature(header: nil, of: request) == nil)
    #expect(VaultSignature(header: "", of: request) == nil)
    #expect(VaultSignature(header: header + ".", of: request) == nil)
    for index in header.indices {
      var changed = header
      changed.replaceSubrange(index...index, with: header[index] == "A" ? "B" : "A")
      #expect(VaultSignature(header: changed, of: request) == nil)
      #expect(VaultSignature(header: String(header[..<index]), of: request) == nil)
    }
  }

  @Test("AUTH: a request of another device, or five minutes off, is refused; one that is too old is a replay")
  func admission() throws {
    var record = try Sample.confirmed()
    let own = try #require(VaultSignature(header: Sample.device.sign(request, time: time), of: request))
    let strange = try #require(VaultSignature(header: device.sign(request, time: time), of: request))
    #expect(throws: VaultRefusal.notFound) { try record.admit(strange, clock: Sample.now) }
    for off in [-301.0, 301] {
      #expect(throws: VaultRefusal.clock) { try record.admit(own, clock: Sample.now + off) }
    }
    for off in [-300.0, 0, 300] { try record.admit(own, clock: Sample.now + off) }
    let later = try #require(
      VaultSignature(header: Sample.device.sign(request, time: time + 600_000), of: request))
    try record.admit(later, clock: Sample.now + 600)
    // The vault's clock is turned back: the nonces of that time are forgotten, so the request is refused all the same.
    #expect(throws: VaultRefusal.replayed) { try record.admit(own, clock: Sample.now) }
  }

  @Test("WAL-6: a vault whose clock was a day ahead lets its owner in afterwards, and no request of that day")
  func clockAhead() throws {
    var record = try Sample.confirmed()
    let day = 86_400.0
    func signed(at date: Date) throws -> VaultSignature {
      let time = Int64(date.timeIntervalSince1970 * 1000)
      return try #require(VaultSignature(header: Sample.device.sign(request, time: time), of: request))
    }
    let early = try signed(at: Sample.now + day)
    try record.admit(early, clock: Sample.now + day)
    try record.admit(try signed(at: Sample.now + day + 1200), clock: Sample.now + day + 1200)
    // The clock is set right: the device's own time is refused, and the time that the record goes by is let in.
    for clock in [Sample.now, Sample.now + 60, Sample.now + day / 2] {
      #expect(throws: VaultRefusal.replayed) { try record.admit(try signed(at: clock), clock: clock) }
      try record.admit(try signed(at: record.clock(at: clock)), clock: clock)
    }
    // Of the requests of that day those that are forgotten are refused whenever they come.
    for clock in [Sample.now, Sample.now + day, Sample.now + day + 600, Sample.now + 2 * day] {
      #expect(throws: VaultRefusal.self) { try record.admit(early, clock: clock) }
    }
    // Two days later the vault's clock counts again.
    #expect(record.clock(at: Sample.now + 2 * day) == Sample.now + 2 * day)
    try record.admit(try signed(at: Sample.now + 2 * day), clock: Sample.now + 2 * day)
  }
}
