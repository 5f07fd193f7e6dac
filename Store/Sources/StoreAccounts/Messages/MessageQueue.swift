import CoreMetrics
import Foundation
import Logging
import StoreBase
import StoreWeb

/// Delivers the codes to one kind of recipient through one sender. A code waits in the database from the moment it is
/// asked for, so that none is lost when the process ends, and it is marked once the gateway has it, so that none is
/// sent again.
final class MessageQueue: Sendable {
  /// How long one process has for a delivery before another may try; longer than any sender's timeout.
  private static let lease: TimeInterval = 30
  /// How many deliveries are claimed, and under way, at once.
  private static let width = 8

  private let recipients: MessageRecipients
  private let sender: any MessageSender
  private let database: any Database
  private let clock: any StoreClock
  private let codeGenerator: VersionedKey<OneTimeCodeGenerator>
  private let metrics: MessageMetrics
  private let storeName: String
  private let logger: Logger
  private let wakeUps: AsyncStream<Void>
  private let wake: AsyncStream<Void>.Continuation

  init(
    _ recipients: MessageRecipients, sender: any MessageSender, database: any Database, clock: any StoreClock,
    codeGenerator: VersionedKey<OneTimeCodeGenerator>, storeName: String, metrics: MessageMetrics, logger: Logger
  ) {
    self.recipients = recipients
    self.sender = sender
    self.database = database
    self.clock = clock
    self.codeGenerator = codeGenerator
    self.storeName = storeName
    self.metrics = metrics
    self.logger = logger
    (wakeUps, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Tells that there is something to deliver.
  func messageIsWaiting() { wake.yield() }

  /// Delivers until the task is cancelled.
  func run() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { [self] in
        while !Task.isCancelled {
          do { try await clock.sleep(for: .seconds(1)) } catch { return }
          messageIsWaiting()
        }
      }
      for await _ in wakeUps {
        guard !Task.isCancelled else { break }
        await deliverDue()
      }
      group.cancelAll()
    }
  }

  /// Delivers everything that is due now. Only what is sent at once is claimed: a lease must not run out in a queue.
  func deliverDue() async {
    do {
      while !Task.isCancelled {
        let due = try await claim()
        if due.isEmpty { return }
        await withTaskGroup(of: Void.self) { group in
          for delivery in due { group.addTask { await self.deliver(delivery) } }
        }
      }
    } catch {
      logger.error("messages cannot be read", metadata: ["error": "\(error.loggedName)"])
    }
  }

  /// Claims the messages that have been due longest: no other process sends them while the claim lasts.
  private func claim() async throws -> [MessageDelivery] {
    let now = clock.now()
    let isDue = try await database.read(at: now) { [recipients] in try MessageRecords.isDue(recipients, in: $0) }
    guard isDue else { return [] }
    // A sender that does not recognise repeats would deliver a second message. Its claim lasts as long as the code, so
    // that no process repeats a try during which this process ended.
    let lease = sender.recognisesRepeats ? Self.lease : CodeRecords.lifetime
    return try await database.write(at: now) { [recipients] transaction in
      try MessageRecords.claim(recipients, limit: Self.width, lease: lease, in: transaction)
    }
  }

  private func deliver(_ delivery: MessageDelivery) async {
    let code = codeGenerator.value(at: delivery.sentAt).code(for: delivery.id)
    let texts = Texts(delivery.language)
    let values = ["code": code, "store": storeName]
    do {
      try await sender.send(
        OutgoingMessage(
          id: delivery.id, to: delivery.to, code: code, subject: texts(.messageSubject, values),
          text: texts(.messageText, values)))
      metrics.delivered.increment()
      await mark(delivery)
    } catch MessageFailure.refused(let reason) {
      await giveUp(delivery, reason: reason)
    } catch MessageFailure.unclear(let reason) where !sender.recognisesRepeats {
      await giveUp(delivery, reason: reason)
    } catch {
      await retryLater(delivery, after: error)
    }
  }

  /// Writes that a message has gone out. If that fails, the claim keeps it from a second try for as long as it lasts:
  /// until the code expires where the sender does not recognise repeats.
  private func mark(_ delivery: MessageDelivery) async {
    do {
      try await database.write(at: clock.now()) { try MessageRecords.setDelivered(delivery.id, in: $0) }
    } catch {
      logger.error(
        "message delivered, but that cannot be written",
        metadata: ["id": "\(delivery.id)", "error": "\(error.loggedName)"])
    }
  }

  private func giveUp(_ delivery: MessageDelivery, reason: String) async {
    metrics.givenUp.increment()
    logger.warning("message given up", metadata: ["id": "\(delivery.id)", "reason": "\(reason)"])
    await setNextTry(of: delivery, at: clock.now() + CodeRecords.lifetime)
  }

  private func retryLater(_ delivery: MessageDelivery, after error: any Error) async {
    metrics.failed.increment()
    let delay = TimeInterval(1 << min(delivery.tries, 6))
    let next = clock.now() + delay
    // Not the text of an unknown error: what a gateway says may repeat the number.
    let reason = (error as? MessageFailure)?.description ?? error.loggedName
    logger.warning(
      "message not delivered, will be tried again",
      metadata: ["id": "\(delivery.id)", "reason": "\(reason)", "seconds": "\(Int(delay))"])
    await setNextTry(of: delivery, at: next)
  }

  private func setNextTry(of delivery: MessageDelivery, at next: Date) async {
    _ = try? await database.write(at: clock.now()) {
      try MessageRecords.setNextTry(of: delivery, at: next, in: $0)
    }
  }
}
