import Foundation
import Logging
import OnsideAPI

/// The transactions on disk: one small JSON file for each, so that damage to one never reaches the others, and one file
/// for each account's sync cursor.
actor TransactionJournal {
  private let transactions: DurableFolder
  private let cursors: DurableFolder
  private let logger: Logger

  /// Makes a journal in a storage folder; nothing is read or written before the first call.
  init(storageFolder: URL, logger: Logger) {
    transactions = DurableFolder(url: storageFolder.appendingPathComponent("transactions", isDirectory: true))
    cursors = DurableFolder(url: storageFolder)
    self.logger = logger
  }

  /// What a file holds.
  private struct Record: Codable {
    var version = 1
    var transaction: QueueEntry
  }

  /// Everything on disk, by account. A file that cannot be read is set aside, and the sync starts over then, since the
  /// store may know the purchase that was in it.
  func load() async -> [AccountID: TransactionBook] {
    do {
      try cursors.make()
      try transactions.make()
      let names = try transactions.names().filter { !$0.hasSuffix(Self.damagedSuffix) }
      let drafts = names.filter { $0.hasSuffix(DurableFolder.temporarySuffix) }
      if !drafts.isEmpty { try transactions.erase(drafts) }
      let (entries, damaged) = await read(names.filter { !$0.hasSuffix(DurableFolder.temporarySuffix) })
      setAside(damaged)
      return try books(of: entries, startOver: !damaged.isEmpty)
    } catch {
      logger.error("The transactions in \(transactions.url.path) cannot be read: \(error)")
      return [:]
    }
  }

  /// Puts entries on the disk; they are safe when it returns.
  func write(_ entries: [QueueEntry]) throws {
    let encoder = WireCoding.encoder()
    encoder.dateEncodingStrategy = .secondsSince1970
    try transactions.make()
    try transactions.write(
      entries.map { (name: Self.name($0.id), content: try encoder.encode(Record(transaction: $0))) })
  }

  /// Takes entries off the disk.
  func erase(_ ids: [UUID]) throws {
    try transactions.erase(ids.map(Self.name))
  }

  /// Keeps how far an account's sync has come; `nil` lets it start over.
  func saveCursor(_ cursor: String?, for account: AccountID) throws {
    guard let cursor else { return try cursors.erase([Self.cursorName(account)]) }
    try cursors.write([(name: Self.cursorName(account), content: Data(cursor.utf8))])
  }

  private func books(of entries: [QueueEntry], startOver: Bool) throws -> [AccountID: TransactionBook] {
    let names = try cursors.names().filter { $0.hasPrefix(Self.cursorPrefix) && $0.hasSuffix(".json") }
    if startOver { try cursors.erase(names) }
    var cursorOf: [AccountID: String] = [:]
    for name in startOver ? [] : names {
      guard let account = AccountID(String(name.dropFirst(Self.cursorPrefix.count).dropLast(5))) else { continue }
      cursorOf[account] = try cursors.read(name).flatMap { String(data: $0, encoding: .utf8) }
    }
    let byAccount = Dictionary(grouping: entries, by: \.account)
    return Set(byAccount.keys).union(cursorOf.keys).reduce(into: [:]) { books, account in
      books[account] = TransactionBook(byAccount[account] ?? [], cursor: cursorOf[account])
    }
  }

  /// Reads files on all cores.
  private func read(_ names: [String]) async -> (entries: [QueueEntry], damaged: [String]) {
    let folder = transactions
    return await withTaskGroup { group in
      for start in stride(from: 0, to: names.count, by: Self.batch) {
        let batch = names[start..<min(start + Self.batch, names.count)]
        group.addTask { Self.read(batch, in: folder) }
      }
      var entries: [QueueEntry] = []
      var damaged: [String] = []
      for await part in group {
        entries += part.entries
        damaged += part.damaged
      }
      return (entries, damaged)
    }
  }

  private static func read(
    _ names: ArraySlice<String>, in folder: DurableFolder
  ) -> (entries: [QueueEntry], damaged: [String]) {
    let decoder = WireCoding.decoder()
    decoder.dateDecodingStrategy = .secondsSince1970
    var entries: [QueueEntry] = []
    var damaged: [String] = []
    for name in names {
      let record = (try? folder.read(name)).flatMap { $0 }.flatMap { try? decoder.decode(Record.self, from: $0) }
      if let entry = record?.transaction, record?.version == 1, Self.name(entry.id) == name {
        entries.append(entry)
      } else {
        damaged.append(name)
      }
    }
    return (entries, damaged)
  }

  private func setAside(_ damaged: [String]) {
    guard !damaged.isEmpty else { return }
    for name in damaged { try? transactions.setAside(name, as: name + Self.damagedSuffix) }
    logger.error(
      "Set \(damaged.count) unreadable transaction files aside as *\(Self.damagedSuffix): \(damaged.sorted())",
      metadata: ["folder": "\(transactions.url.path)"])
  }

  private static let batch = 500
  private static let damagedSuffix = ".damaged"
  private static let cursorPrefix = "cursor-"
  private static func name(_ id: UUID) -> String { id.uuidString.lowercased() + ".json" }
  private static func cursorName(_ account: AccountID) -> String { "\(cursorPrefix)\(account).json" }
}
