import CoreMetrics
import Foundation
import Logging
import ServiceLifecycle
import Synchronization

/// Delivers the codes that are waiting in the database. A code waits there from the moment it is asked for, so that
/// none is lost when the process ends, and it is marked once the gateway has it, so that none is sent again.
package final class MessageOutbox: Service {
  /// How long one process has for a delivery before another may try; longer than any sender's timeout.
  private static let lease: TimeInterval = 30

  private let database: any Database
  private let clock: any StoreClock
  private let mint: CodeMint
  private let senders: MessageSenders
  private let measures: MessageMeasures
  private let storeName: String
  private let logger: Logger
  private let wakeUps: AsyncStream<Void>
  private let wake: AsyncStream<Void>.Continuation

  init(
    database: any Database, clock: any StoreClock, mint: CodeMint, senders: MessageSenders, storeName: String,
    measures: MessageMeasures, logger: Logger
  ) {
    self.database = database
    self.clock = clock
    self.mint = mint
    self.senders = senders
    self.measures = measures
    self.storeName = storeName
    self.logger = logger
    (wakeUps, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Tells that there is something to deliver.
  func messageIsWaiting() { wake.yield() }

  /// Delivers until the service stops: at once when told, and every second for what must be tried again.
  func run() async throws {
    try await cancelWhenGracefulShutdown {
      await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { [self] in
          while !Task.isCancelled {
            try await clock.sleep(for: .seconds(1))
            messageIsWaiting()
          }
        }
        for await _ in self.wakeUps {
          guard !Task.isCancelled else { break }
          await self.deliverDue()
        }
        group.cancelAll()
      }
    }
  }

  /// Delivers everything that is due now.
  package func deliverDue() async {
    do {
      let due = try await claim()
      await withTaskGroup(of: Void.self) { group in
        for (index, delivery) in due.enumerated() {
          if index >= 8 { await group.next() }
          group.addTask { await self.deliver(delivery) }
        }
      }
    } catch {
      logger.error("messages cannot be read", metadata: ["error": "\(String(reflecting: type(of: error)))"])
    }
  }

  private struct Delivery: Sendable {
    var id: String
    var to: Contact
    var language: Language
    var tries: Int64

    init(_ row: SQLRow, to contact: Contact) throws {
      id = try row.text("id")
      to = contact
      language = Language(rawValue: try row.text("language")) ?? .english
      tries = try row.integer("deliveries")
    }
  }

  /// Takes what is due, for as long as the lease lasts.
  private func claim() async throws -> [Delivery] {
    let now = clock.now()
    let nothing = try await database.read { connection in
      try connection.row(
        "SELECT id FROM one_time_codes WHERE delivered_at IS NULL AND next_delivery_at <= $1 AND expires_at > $1 LIMIT 1",
        [.date(now)])
        == nil
    }
    if nothing { return [] }
    // Who cannot tell a second try from a second message gets none when this process dies over the first.
    let isRepeatable = [senders.phone, senders.email].allSatisfy { $0?.recognisesRepeats ?? true }
    let lease = isRepeatable ? Self.lease : CodeRecords.lifetime
    return try await database.write { connection in
      try connection.rows(
        """
        UPDATE one_time_codes SET next_delivery_at = $2, deliveries = deliveries + 1
        WHERE delivered_at IS NULL AND next_delivery_at <= $1 AND expires_at > $1
        RETURNING id, phone, language, deliveries
        """, [.date(now), .date(now + lease)]
      ).compactMap { row in
        try Contact(stored: try row.text("phone")).map { try Delivery(row, to: $0) }
      }
    }
  }

  private func deliver(_ delivery: Delivery) async {
    guard let sender = senders[delivery.to] else { return }
    let code = mint.code(for: delivery.id)
    let texts = Texts(delivery.language)
    let values = ["code": code, "store": storeName]
    do {
      try await sender.send(
        OutgoingMessage(
          id: delivery.id, to: delivery.to, code: code, subject: texts(.messageSubject, values),
          text: texts(.messageText, values)))
      let now = clock.now()
      try await database.write { connection in
        try connection.execute(
          "UPDATE one_time_codes SET delivered_at = $2 WHERE id = $1", [.text(delivery.id), .date(now)])
      }
      measures.delivered.increment()
    } catch MessageFailure.refused(let reason) {
      await giveUp(delivery, reason)
    } catch MessageFailure.unclear(let reason) where !sender.recognisesRepeats {
      await giveUp(delivery, reason)
    } catch {
      await retryLater(delivery, error)
    }
  }

  private func giveUp(_ delivery: Delivery, _ reason: String) async {
    measures.givenUp.increment()
    logger.warning("message given up", metadata: ["id": "\(delivery.id)", "reason": "\(reason)"])
    await setNextTry(of: delivery, at: clock.now() + CodeRecords.lifetime)
  }

  private func retryLater(_ delivery: Delivery, _ error: any Error) async {
    measures.failed.increment()
    let delay = TimeInterval(1 << min(delivery.tries, 6))
    let next = clock.now() + delay
    // Of an unknown error the type alone: what a gateway says may repeat the number.
    let reason = (error as? MessageFailure)?.description ?? String(reflecting: type(of: error))
    logger.warning(
      "message not delivered, will be tried again",
      metadata: ["id": "\(delivery.id)", "reason": "\(reason)", "seconds": "\(Int(delay))"])
    await setNextTry(of: delivery, at: next)
  }

  private func setNextTry(of delivery: Delivery, at next: Date) async {
    _ = try? await database.write { connection in
      try connection.execute(
        "UPDATE one_time_codes SET next_delivery_at = $2 WHERE id = $1 AND delivered_at IS NULL",
        [.text(delivery.id), .date(next)])
    }
  }
}
