import Foundation
import OnsideCommerce
import StoreBaseTestSupport
import Synchronization
import Testing

@testable import StoreAccounts

@Suite("Rejected messages")
struct PatientMessageSenderTests {
  /// A receiver that rejects everything, or everything for one number.
  private final class Receiver: MessageSender {
    let rejectsAll = Mutex(true)
    let tries = Mutex<[String]>([])

    func send(_ message: OutgoingMessage) async throws {
      tries.withLock { $0.append(message.id) }
      if message.id == "wrong" || rejectsAll.withLock(\.self) { throw MessageFailure.refused("550") }
    }
  }

  private let receiver = Receiver()
  private let clock = ManualClock()
  private let sender: PatientMessageSender

  init() { sender = PatientMessageSender(receiver, clock: clock) }

  private func outcome(_ id: String) async throws -> MessageFailure? {
    let message = OutgoingMessage(
      id: id, to: .email(try EmailAddress(parsing: "ann@example.org")), code: "", subject: "s", text: "t")
    do {
      try await sender.send(message)
      return nil
    } catch let failure as MessageFailure { return failure }
  }

  @Test("STO-21: a receiver that rejects everything for a day loses no message")
  func rejectsEverything() async throws {
    for _ in 0..<24 {
      for id in ["1", "2"] {
        let outcome = try await outcome(id)
        #expect(outcome == .notAccepted("550"))
      }
      clock.advance(by: .seconds(3600))
    }
    receiver.rejectsAll.withLock { $0 = false }
    for id in ["1", "2"] {
      let outcome = try await outcome(id)
      #expect(outcome == nil)
    }
  }

  @Test("STO-21: a rejection is final once the receiver has accepted another message since")
  func wrongAddress() async throws {
    receiver.rejectsAll.withLock { $0 = false }
    _ = try await outcome("earlier")
    clock.advance(by: .seconds(1))
    let first = try await outcome("wrong")
    #expect(first == .notAccepted("550"))
    clock.advance(by: .seconds(1))
    let second = try await outcome("wrong")
    #expect(second == .notAccepted("550"))
    _ = try await outcome("later")
    let third = try await outcome("wrong")
    #expect(third == .refused("550"))
  }

  @Test("STO-21: after three days a rejection is final")
  func threeDays() async throws {
    let first = try await outcome("wrong")
    clock.advance(by: .seconds(3 * 86_400))
    let last = try await outcome("wrong")
    #expect(first == .notAccepted("550") && last == .refused("550"))
  }
}
