/// The files that SQLite keeps beside a database.
extension StoreFile {
  /// The suffixes of the write-ahead log and of its index.
  package static let logSuffixes = ["-wal", "-shm"]

  /// The database, its rollback journal, its write-ahead log and the log's index, whether or not they exist.
  package var databaseFiles: [StoreFile] { (["", "-journal"] + Self.logSuffixes).map { StoreFile(path + $0) } }

  /// The write-ahead log.
  package var writeAheadLog: StoreFile { StoreFile(path + "-wal") }
}
