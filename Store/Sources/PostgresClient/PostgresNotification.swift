/// What a session has sent to a channel with NOTIFY.
struct PostgresNotification: Sendable {
  /// The server's number of the session that has sent it.
  let sender: Int32
  let payload: String
}
