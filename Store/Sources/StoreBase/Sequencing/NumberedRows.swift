/// Rows that get consecutive numbers after their commit.
///
/// The transaction of such a row writes it without a number and locks no counter. The ``Sequencer`` numbers the
/// committed rows, so that a transaction that is rolled back leaves no gap.
package protocol NumberedRows: Sendable {
  /// The name of the rows in logs, such as `receipts`.
  var name: String { get }

  /// Returns whether a row waits for its number. Runs several times a second: a look into a partial index.
  func isWaiting(in connection: any SQLConnection) throws -> Bool

  /// Numbers waiting rows; returns how many. Fewer than the limit: no row waits any more.
  ///
  /// Several processes may call it at the same time. It locks the counter's row by a write before it reads the waiting
  /// rows, because a statement of PostgreSQL sees the commits before that statement: the second process then sees the
  /// numbers of the first one.
  func assignNumbers(limit: Int, in transaction: StoreTransaction) throws -> Int
}
