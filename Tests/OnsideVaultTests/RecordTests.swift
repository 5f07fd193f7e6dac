import Foundation
import OnsideAPI
import OnsideVault
import Testing

@Suite("The vault's record over time", .timeLimit(.minutes(5)))
struct RecordTests {
  @Test("WAL-6 Three tries are free, then the waits grow, and the tenth deletes the key as it is counted")
  func tenTries() throws {
    var (record, now) = (try Sample.confirmed(), Sample.now)
    let waits: [TimeInterval] = [0, 0, 0, 60, 300, 900, 3600, 3600, 28_800]
    for (index, wait) in waits.enumerated() {
      _ = try record.handle(.evaluate, at: now)
      #expect(record.triesRemaining == 9 - index)
      #expect(record.message(at: now).retryAfter == Int(wait))
      if wait > 0 {
        let before = record
        #expect(throws: VaultRefusal.wait) { try record.handle(.evaluate, at: now + wait - 0.001) }
        #expect(record == before)
      }
      now += wait
    }
    #expect(record.key != nil)
    guard case .evaluate = try record.handle(.evaluate, at: now) else {
      Issue.record("expected .evaluate, got another value")
      return
    }
    #expect(record.key == nil && record.state == .destroyed && record.enrolsAnew)
    #expect(record.message(at: now).triesRemaining == 0)
    #expect(throws: VaultRefusal.destroyed) { try record.handle(.evaluate, at: now + 1e9) }
    #expect(throws: VaultRefusal.destroyed) { try record.handle(.confirm(tag: Sample.tag), at: now) }
  }

  @Test("WAL-6 The right tag begins the count anew, at any number of tries and during a wait", arguments: 1...9)
  func reset(tries: Int) throws {
    var (record, now) = (try Sample.confirmed(), Sample.now)
    for _ in 0..<tries {
      now = max(now, record.waitsUntil)
      _ = try record.handle(.evaluate, at: now)
    }
    _ = try record.handle(.confirm(tag: Sample.tag), at: now)
    #expect(record.triesRemaining == 10 && record.message(at: now).retryAfter == 0)
  }

  @Test("WAL-6 A clock that is turned back makes a wait longer and gives no try")
  func clockTurnedBack() throws {
    var record = try Sample.confirmed()
    for _ in 1...4 { _ = try record.handle(.evaluate, at: Sample.now) }
    let end = record.waitsUntil
    #expect(throws: VaultRefusal.wait) { try record.handle(.evaluate, at: Sample.now - 172_800) }
    #expect(record.waitsUntil == end)
  }

  @Test("WAL-7 A change puts the new key into use and deletes the old one; until then only the old one opens")
  func change() throws {
    var old = try Sample.confirmed()
    var new = try Sample.open(replacing: old, 2)
    #expect(new.epoch == 2)
    _ = try new.handle(.evaluate, at: Sample.now)
    _ = try new.handle(.seal(tagHash: Sample.tagHash), at: Sample.now)
    #expect(throws: VaultRefusal.notCurrent) { try new.handle(.evaluate, at: Sample.now) }
    _ = try old.handle(.evaluate, at: Sample.now)
    _ = try new.handle(.confirm(tag: Sample.tag), at: Sample.now)
    _ = try old.handle(.replace, at: Sample.now)
    #expect(old.key == nil)
    #expect(throws: VaultRefusal.replaced) { try old.handle(.evaluate, at: Sample.now) }
    _ = try new.handle(.evaluate, at: Sample.now)
  }

  @Test("A record whose key is deleted leaves its epoch, and the new one is used at once")
  func afterDestruction() throws {
    var new = try Sample.open(replacing: try Sample.after(.destroy), 2)
    #expect(new.epoch == 2 && new.replaces == nil)
    _ = try new.handle(.seal(tagHash: Sample.tagHash), at: Sample.now)
    _ = try new.handle(.evaluate, at: Sample.now)
  }

  @Test("WAL-6 After a restored backup there is one try, which deletes the key, whatever the backup's count was")
  func restored() throws {
    var record = try Sample.confirmed()
    _ = try record.handle(.restore, at: Sample.now)
    #expect(record.triesRemaining == 1 && record.enrolsAnew)
    _ = try record.handle(.confirm(tag: Sample.tag), at: Sample.now)
    #expect(record.triesRemaining == 1, "a tag that was kept does not give tries back")
    guard case .evaluate = try record.handle(.evaluate, at: Sample.now) else {
      Issue.record("expected .evaluate, got another value")
      return
    }
    #expect(record.key == nil)
  }

  @Test("Only an enrolment that was not confirmed within a day is dropped")
  func expiry() throws {
    let day: TimeInterval = 86_400
    for record in [try Sample.open(), try Sample.sealed()] {
      #expect(!record.isExpired(at: Sample.now + day - 1))
      #expect(record.isExpired(at: Sample.now + day))
    }
    for record in [try Sample.confirmed(), try Sample.after(.destroy), try Sample.after(.replace)] {
      #expect(!record.isExpired(at: Sample.now + 1000 * day))
    }
  }
}
