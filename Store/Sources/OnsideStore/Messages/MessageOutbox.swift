import Foundation
import Logging
import ServiceLifecycle

/// Delivers the codes that are waiting in the database, to phones and to mailboxes each in a lane of its own.
package final class MessageOutbox: Service {
  private let lanes: [MessageLane]

  init(
    database: any Database, clock: any StoreClock, mint: CodeMint, senders: MessageSenders, storeName: String,
    measures: MessageMeasures, logger: Logger
  ) {
    let ways: [((any MessageSender)?, MessageLane.Recipients)] = [
      (senders.phone, .phones), (senders.email, .mailboxes),
    ]
    lanes = ways.compactMap { sender, recipients in
      sender.map { sender in
        MessageLane(
          recipients, sender: sender, database: database, clock: clock, mint: mint, storeName: storeName,
          measures: measures, logger: logger)
      }
    }
  }

  /// Tells that there is something to deliver.
  func messageIsWaiting() { for lane in lanes { lane.messageIsWaiting() } }

  /// Delivers until the service stops: at once when told, and every second for what must be tried again.
  func run() async throws {
    await cancelWhenGracefulShutdown {
      await withTaskGroup(of: Void.self) { group in
        for lane in self.lanes { group.addTask { await lane.run() } }
      }
    }
  }

  /// Delivers everything that is due now.
  package func deliverDue() async {
    await withTaskGroup(of: Void.self) { group in
      for lane in lanes { group.addTask { await lane.deliverDue() } }
    }
  }
}
