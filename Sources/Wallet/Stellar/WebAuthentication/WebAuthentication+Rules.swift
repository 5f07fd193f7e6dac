import Sodium

extension WebAuthentication {
  /// Reads a challenge and checks it against every rule of SEP-10 that either side can check: that it is no real
  /// transaction, the server's own and signed by it once, good now, and for these domains.
  /// - Parameters:
  ///   - now: seconds since 1970.
  ///   - clockTolerance: how many seconds before its time it is taken.
  /// - Throws: ``WebAuthenticationError``.
  public func read(
    _ base64: some StringProtocol, now: UInt64, clockTolerance: UInt64 = WebAuthentication.clockTolerance
  ) throws(WebAuthenticationError) -> WebChallenge {
    let envelope: TransactionEnvelope
    do throws(XDRError) {
      envelope = try TransactionEnvelope(base64: base64)
    } catch {
      throw .malformed("The challenge is no transaction. \(error)")
    }
    let transaction = envelope.transaction
    guard transaction.sequence == 0 else {
      throw WebAuthenticationError(
        .realTransaction,
        description: "Expected the sequence number 0, got \(transaction.sequence): this is a real transaction.")
    }
    guard envelope.form == .current else { throw .malformed("Expected a transaction of the current form.") }
    try checkServer(envelope)
    let bounds = try timeBounds(transaction, now: now, clockTolerance: clockTolerance)
    let (client, nonce) = try first(transaction.operations[0])
    let domains = try rest(transaction.operations.dropFirst())
    return WebChallenge(
      envelope: envelope, client: client, memo: try memo(transaction, client: client), nonce: nonce, timeBounds: bounds,
      clientDomainAccount: domains)
  }

  private func checkServer(_ envelope: TransactionEnvelope) throws(WebAuthenticationError) {
    guard envelope.transaction.source == MuxedAccount(server) else {
      throw WebAuthenticationError(
        .server, description: "Expected a challenge of \(server), got one of \(envelope.transaction.source).")
    }
    guard envelope.signatures(by: server, on: network).count == 1 else {
      throw WebAuthenticationError(
        .server, description: "Expected one signature by \(server) for the network \"\(network.passphrase)\".")
    }
  }

  private func timeBounds(
    _ transaction: Transaction, now: UInt64, clockTolerance: UInt64
  ) throws(WebAuthenticationError) -> Transaction.TimeBounds {
    guard let bounds = transaction.timeBounds, bounds.maximum > 0 else {
      throw WebAuthenticationError(.expired, description: "Expected a challenge that ends.")
    }
    let (latest, overflows) = now.addingReportingOverflow(clockTolerance)
    guard bounds.minimum <= (overflows ? now : latest), now <= bounds.maximum else {
      throw WebAuthenticationError(
        .expired, description: "The challenge is good from \(bounds.minimum) to \(bounds.maximum), and it is \(now).")
    }
    return bounds
  }

  /// The client's operation: the domain that it logs in to, and the nonce.
  private func first(_ operation: Operation) throws(WebAuthenticationError) -> (MuxedAccount, [UInt8]) {
    guard case .manageData(let name, let value) = operation.action, let client = operation.source else {
      throw .malformed("Expected data of the client's account as the first operation.")
    }
    guard name == authName else {
      throw WebAuthenticationError(.domain, description: "Expected \"\(authName)\", got \"\(name)\".")
    }
    guard let value, value.count == 64, let nonce = Base64.decode(String(decoding: value, as: UTF8.self)),
      nonce.count == Self.nonceLength
    else { throw .malformed("Expected 48 random bytes in base64.") }
    return (client, nonce)
  }

  /// The server's operations, with the domain that challenges; and the account of the client's domain, if there is one.
  private func rest(_ operations: some Sequence<Operation>) throws(WebAuthenticationError) -> AccountAddress? {
    var hasDomain = false
    var clientDomain: AccountAddress?
    for operation in operations {
      guard case .manageData(let name, let value) = operation.action, let source = operation.source else {
        throw .malformed("Expected nothing but data with a source.")
      }
      if name.description == Self.clientDomainName {
        guard clientDomain == nil, source.id == nil, value?.isEmpty == false else {
          throw .malformed("Expected one client_domain.")
        }
        clientDomain = source.account
        continue
      }
      guard source == MuxedAccount(server) else { throw .malformed("An operation has \(source) as its source.") }
      guard name.description == Self.webAuthDomainName else { continue }
      guard !hasDomain, value == Array(webAuthDomain.utf8) else {
        throw WebAuthenticationError(.domain, description: "Expected web_auth_domain \"\(webAuthDomain)\", once.")
      }
      hasDomain = true
    }
    guard hasDomain else {
      throw WebAuthenticationError(.domain, description: "The challenge does not say its web_auth_domain.")
    }
    return clientDomain
  }

  private func memo(_ transaction: Transaction, client: MuxedAccount) throws(WebAuthenticationError) -> UInt64? {
    switch transaction.memo {
    case .none: return nil
    case .id(let id) where client.id == nil: return id
    default:
      throw WebAuthenticationError(.account, description: "Expected no memo, or a number and an account without one.")
    }
  }
}
