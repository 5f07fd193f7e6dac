import OnsideAPI

/// The end of a session waits until the store knows every finish of its account (QUE-13).
extension PaymentQueue {
  /// Returns when nothing is left to be said to the store for an account that has logged out, or when cancelled.
  func finishesSent(of account: AccountID) async {
    guard !isClosed else { return }
    let (wait, end) = AsyncStream.makeStream(of: Void.self)
    partings[account, default: []].append(end)
    send(.parting(account))
    for await _ in wait {}
  }

  func parted(_ account: AccountID) {
    for end in partings.removeValue(forKey: account) ?? [] { end.finish() }
  }
}
