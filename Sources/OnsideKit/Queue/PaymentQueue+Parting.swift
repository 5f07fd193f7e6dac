import OnsideAPI

/// The end of a session waits until the store knows every finish of its account (QUE-13).
extension PaymentQueue {
  /// Returns when nothing is left to be said to the store for an account that has logged out, or when cancelled.
  func finishesSent(of account: AccountID) async {
    guard !isClosed else { return }
    // A stream, since its reader ends when its task is cancelled; a continuation would not.
    let (wait, end) = AsyncStream.makeStream(of: Void.self)
    lastParting += 1
    let number = lastParting
    partings[account, default: [:]][number] = end
    send(.parting(account))
    for await _ in wait {}
    partings[account]?[number] = nil
  }

  func parted(_ account: AccountID) {
    for end in (partings.removeValue(forKey: account) ?? [:]).values { end.finish() }
  }
}
