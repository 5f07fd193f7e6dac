import Foundation
import Logging
import OnsideAPI

/// The transactions on disk: one small JSON file for each, so that damage to one never reaches the others, and one file
/// for each account's sync cursor.
actor TransactionJournal {
  private let transactions: DurableFolder
  private let cursors: DurableFolder
  /// The app whose own ids the accounts have; nil in local testing, whose accounts are the local store's own.
  private let app: String?
  private let logger: Logger
  private let encoder: JSONEncoder
  /// Keeps other processes, and other queues of this one, out of the folder.
  private var lock: (any Sendable)?
  /// Accounts of which a write has failed. Their cursor stays off the disk, so that the next launch asks the store for
  /// everything again. They stay in here until the process ends: a launch that asks for too much does no harm.
  private var behind: Set<AccountID> = []

  /// Makes a journal in a storage folder; nothing is read or written before the first call.
  init(storageFolder: URL, app: String? = nil, files: any FileSystem = SystemFiles(), logger: Logger) {
    self.app = app
    transactions = DurableFolder(
      url: storageFolder.appendingPathComponent("transactions", isDirectory: true), files: files)
    cursors = DurableFolder(url: storageFolder, files: files)
    self.logger = logger
    encoder = WireCoding.encoder()
    encoder.dateEncodingStrategy = .secondsSince1970
  }

  /// What a file holds.
  private struct Record: Codable {
    var version = 1
    var transaction: QueueEntry
  }

  /// Everything on disk, by account. A file with damaged content is set aside, and the sync starts over then, since the
  /// store may know the purchase that was in it. A disk that cannot be read is no damage: the error is thrown, and
  /// everything stays as it is for another try. Throws ``FileLock/Busy`` when another queue uses the folder.
  func load() async throws -> [AccountID: TransactionBook] {
    try cursors.make()
    if lock == nil { lock = try cursors.lock("queue.lock") }
    try transactions.make()
    let names = try transactions.names().filter { !$0.hasSuffix(Self.damagedSuffix) }
    let drafts = names.filter { $0.hasSuffix(DurableFolder.temporarySuffix) }
    // This flushes the folder, too: a name that a killed process gave is read here and may not be on the disk yet.
    try transactions.erase(drafts)
    var (entries, damaged) = try await read(names.filter { !$0.hasSuffix(DurableFolder.temporarySuffix) })
    for index in entries.indices { entries[index].account = converted(entries[index].account) }
    // The cursors go first: once the damaged files have other names, nothing tells that the sync has to start over.
    let books = try books(of: entries, startOver: !damaged.isEmpty)
    setAside(damaged)
    return books
  }

  /// Releases the folder for another queue.
  func close() { lock = nil }

  /// Puts entries on the disk; they are safe when it returns. When it throws, the next launch's sync starts over.
  func write(_ entries: [QueueEntry]) throws {
    do {
      try store(entries)
    } catch {
      let accounts = Set(entries.map(\.account))
      behind.formUnion(accounts)
      // This needs no space on the disk. Should it fail all the same, the next cursor tries it again.
      try? cursors.erase(accounts.map(Self.cursorName))
      throw error
    }
  }

  private func store(_ entries: [QueueEntry]) throws {
    try transactions.make()
    try transactions.write(
      entries.map { (name: Self.name($0.id), content: try encoder.encode(Record(transaction: $0))) })
  }

  /// Takes entries off the disk.
  func erase(_ ids: [UUID]) throws {
    try transactions.erase(ids.map(Self.name))
  }

  /// Stores the sync cursor of an account; after `nil` the sync starts over. A cursor never passes a failed write.
  func saveCursor(_ cursor: String?, for account: AccountID) throws {
    guard let cursor, !behind.contains(account) else { return try cursors.erase([Self.cursorName(account)]) }
    try cursors.write([(name: Self.cursorName(account), content: Data(cursor.utf8))])
  }

  private func books(of entries: [QueueEntry], startOver: Bool) throws -> [AccountID: TransactionBook] {
    let names = try cursors.names().filter { $0.hasPrefix(Self.cursorPrefix) && $0.hasSuffix(".json") }
    if startOver { try cursors.erase(names) }
    var cursorOf: [AccountID: String] = [:]
    for name in try startOver ? [] : convertedCursors(names) {
      guard let account = Self.account(ofCursor: name) else { continue }
      cursorOf[account] = try cursors.read(name).flatMap { String(data: $0, encoding: .utf8) }
    }
    let byAccount = Dictionary(grouping: entries, by: \.account)
    return Set(byAccount.keys).union(cursorOf.keys).reduce(into: [:]) { books, account in
      books[account] = TransactionBook(byAccount[account] ?? [], cursor: cursorOf[account])
    }
  }

  /// The app's own id of an account; files of earlier versions have the id that all apps share.
  private func converted(_ account: AccountID) -> AccountID { app.map { account.pairwise(in: $0) } ?? account }

  /// The names of the cursors, after those with an id of an earlier version have got the app's own. A cursor that is
  /// there under both is the newer one's: the older file could not be erased before.
  private func convertedCursors(_ names: [String]) throws -> Set<String> {
    var all = Set(names)
    for name in names {
      guard let account = Self.account(ofCursor: name) else { continue }
      let newer = Self.cursorName(converted(account))
      guard newer != name else { continue }
      // Without the cursor the sync starts over, which loses nothing, also on a full disk.
      if !all.contains(newer), let cursor = try cursors.read(name) {
        try? cursors.write([(name: newer, content: cursor)])
      }
      try cursors.erase([name])
      all.remove(name)
      all.insert(newer)
    }
    return all
  }

  /// Reads files on all cores.
  private func read(_ names: [String]) async throws -> (entries: [QueueEntry], damaged: [String]) {
    let folder = transactions
    return try await withThrowingTaskGroup { group in
      for start in stride(from: 0, to: names.count, by: Self.batch) {
        let batch = names[start..<min(start + Self.batch, names.count)]
        group.addTask { try Self.read(batch, in: folder) }
      }
      var entries: [QueueEntry] = []
      var damaged: [String] = []
      for try await part in group {
        entries += part.entries
        damaged += part.damaged
      }
      return (entries, damaged)
    }
  }

  private static func read(
    _ names: ArraySlice<String>, in folder: DurableFolder
  ) throws -> (entries: [QueueEntry], damaged: [String]) {
    let decoder = WireCoding.decoder()
    decoder.dateDecodingStrategy = .secondsSince1970
    var entries: [QueueEntry] = []
    var damaged: [String] = []
    for name in names {
      let record = try folder.read(name).flatMap { try? decoder.decode(Record.self, from: $0) }
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
  private static func account(ofCursor name: String) -> AccountID? {
    AccountID(String(name.dropFirst(cursorPrefix.count).dropLast(5)))
  }
  private static func cursorName(_ account: AccountID) -> String { "\(cursorPrefix)\(account).json" }
}
