extension WebAuthentication {
  /// Checks a challenge by every rule, and signs it only then.
  /// - Parameters:
  ///   - base64: what the server sent.
  ///   - account: who wants to log in.
  ///   - memo: the number of the account's user, if one was asked for.
  ///   - pair: the account's key.
  ///   - now: seconds since 1970.
  /// - Returns: what goes back to the server, in base64.
  /// - Throws: ``WebAuthenticationError``; nothing was signed then.
  public func sign(
    _ base64: some StringProtocol, for account: MuxedAccount, memo: UInt64? = nil, with pair: SigningKeyPair,
    now: UInt64
  ) throws(WebAuthenticationError) -> String {
    guard pair.account == account.account else {
      throw WebAuthenticationError(.account, description: "The key is that of \(pair.account), not of \(account).")
    }
    let challenge = try read(base64, now: now)
    guard challenge.client == account, challenge.memo == memo else {
      throw WebAuthenticationError(
        .account, description: "The challenge is for \(challenge.subject), not for this account.")
    }
    guard account.account != server else {
      throw WebAuthenticationError(.account, description: "The server does not log in to itself.")
    }
    guard challenge.envelope.signatures.count == 1 else {
      throw WebAuthenticationError(.signatures, description: "Expected the server's signature alone.")
    }
    var envelope = challenge.envelope
    do throws(XDRError) {
      try envelope.sign(with: pair, on: network)
    } catch {
      throw .malformed(error.description)
    }
    return envelope.base64
  }
}
