/// What goes along with the commit of some writes: a number in the database that is also kept elsewhere, say.
public protocol CommitCompanion: AnyObject, Sendable {
  /// Runs inside the transaction, once for all writes that share it, after the last of them; when it throws, all of them
  /// are undone. What it returns runs after the commit and before anybody is told; its error is told to those who wrote
  /// beside this companion, whose writes stay.
  func takePart(in connection: any SQLConnection) throws -> @Sendable () throws -> Void
}
