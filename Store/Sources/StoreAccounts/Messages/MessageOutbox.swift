import ServiceLifecycle
package import StoreBase

/// Delivers the codes that are waiting in the database, to phones and to mailboxes with one queue for each.
package final class MessageOutbox: Service {
  private let queues: [MessageQueue]

  package init(
    _ dependencies: BaseDependencies, storeName: String, metrics: MessageMetrics, senders: MessageSenders,
    codeGenerator: VersionedKey<OneTimeCodeGenerator>
  ) {
    let channels: [((any MessageSender)?, MessageRecipients)] = [
      (senders.phone, .phones), (senders.email, .mailboxes),
    ]
    queues = channels.compactMap { sender, recipients in
      sender.map { sender in
        MessageQueue(
          recipients, sender: sender, database: dependencies.database, clock: dependencies.clock,
          codeGenerator: codeGenerator, storeName: storeName, metrics: metrics,
          logger: dependencies.logger)
      }
    }
  }

  /// Tells that there is something to deliver.
  func messageIsWaiting() { for queue in queues { queue.messageIsWaiting() } }

  /// Delivers until the service stops: at once when told, and every second for what must be tried again.
  func run() async throws {
    await cancelWhenGracefulShutdown {
      await withTaskGroup(of: Void.self) { group in
        for queue in self.queues { group.addTask { await queue.run() } }
      }
    }
  }

  /// Delivers everything that is due now.
  package func deliverDue() async {
    await withTaskGroup(of: Void.self) { group in
      for queue in queues { group.addTask { await queue.deliverDue() } }
    }
  }
}
