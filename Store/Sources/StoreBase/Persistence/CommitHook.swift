/// A hook that runs inside a shared commit and after it, for example to mirror a generation number in a file.
public protocol CommitHook: AnyObject, Sendable {
  /// Runs inside the transaction, once for all writes that share it, after the last of them. When it throws, all of the
  /// writes are rolled back. The returned closure runs after the commit and before any writer gets its result; when it
  /// throws, the writers with this commit hook get the error, and their writes stay committed.
  func takePart(in connection: any SQLConnection) throws -> @Sendable () throws -> Void
}
