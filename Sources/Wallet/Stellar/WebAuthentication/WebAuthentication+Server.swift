import Sodium

extension WebAuthentication {
  /// A challenge, signed by the server.
  /// - Parameters:
  ///   - client: the account that logs in.
  ///   - memo: the number of one of the account's users; not with `M…`.
  ///   - nonce: 48 random bytes, never used before.
  ///   - now: seconds since 1970.
  ///   - lifetime: for how many seconds it is good.
  ///   - pair: the server's.
  /// - Throws: ``WebAuthenticationError`` for a client that cannot log in, and for another server's key.
  public func challenge(
    for client: MuxedAccount, memo: UInt64? = nil, nonce: [UInt8], now: UInt64,
    lifetime: UInt64 = WebAuthentication.lifetime, signedBy pair: SigningKeyPair
  ) throws(WebAuthenticationError) -> WebChallenge {
    guard pair.account == server else {
      throw WebAuthenticationError(.server, description: "The key is not that of \(server).")
    }
    guard client.account != server else {
      throw WebAuthenticationError(.account, description: "The server does not log in to itself.")
    }
    guard client.id == nil || memo == nil else {
      throw WebAuthenticationError(.account, description: "A muxed account has its number; a memo does not go with it.")
    }
    guard nonce.count == Self.nonceLength else { throw .malformed("Expected 48 random bytes, got \(nonce.count).") }
    let (end, overflows) = now.addingReportingOverflow(lifetime)
    guard !overflows, end > 0, let bounds = Transaction.TimeBounds(minimum: now, maximum: end) else {
      throw .malformed("The challenge would have no end.")
    }
    var envelope = TransactionEnvelope(try transaction(client, memo: memo, nonce: nonce, bounds: bounds))
    do throws(XDRError) {
      try envelope.sign(with: pair, on: network)
    } catch {
      throw .malformed(error.description)
    }
    return WebChallenge(
      envelope: envelope, client: client, memo: memo, nonce: nonce, timeBounds: bounds, clientDomainAccount: nil)
  }

  private func transaction(
    _ client: MuxedAccount, memo: UInt64?, nonce: [UInt8], bounds: Transaction.TimeBounds
  ) throws(WebAuthenticationError) -> Transaction {
    guard let domainName = Operation.DataName(Self.webAuthDomainName) else {
      preconditionFailure("a name of 15 letters")
    }
    let value = Array(Base64.encode(nonce).utf8)
    let operations = [
      Operation(.manageData(authName, value: value), source: client),
      Operation(.manageData(domainName, value: Array(webAuthDomain.utf8)), source: MuxedAccount(server)),
    ]
    do throws(XDRError) {
      return try Transaction(
        source: MuxedAccount(server), fee: UInt32(100 * operations.count), sequence: 0, timeBounds: bounds,
        memo: memo.map(Memo.id) ?? .none, operations: operations)
    } catch {
      throw .malformed(error.description)
    }
  }

  /// Verifies a signed challenge and returns it with the proved client. The caller has to accept each challenge only
  /// once.
  ///
  /// The account's own key has to have signed. Accounts whose weight is with other signers cannot log in: the server
  /// would have to ask the network for them.
  /// - Throws: ``WebAuthenticationError`` unless the server, the client and, if it is named, the client's domain have
  ///   signed, each once, and no other key has.
  public func verify(_ base64: some StringProtocol, now: UInt64) throws(WebAuthenticationError) -> WebChallenge {
    let challenge = try read(base64, now: now, clockTolerance: 0)
    let signers = [server, challenge.client.account] + (challenge.clientDomainAccount.map { [$0] } ?? [])
    guard Set(signers).count == signers.count else {
      throw WebAuthenticationError(.signatures, description: "Two of the parties have the same key.")
    }
    for signer in signers {
      let count = challenge.envelope.signatures(by: signer, on: network).count
      guard count == 1 else {
        throw WebAuthenticationError(.signatures, description: "Expected one signature by \(signer), got \(count).")
      }
    }
    guard challenge.envelope.signatures.count == signers.count else {
      throw WebAuthenticationError(
        .signatures, description: "Expected \(signers.count) signatures, got \(challenge.envelope.signatures.count).")
    }
    return challenge
  }
}
