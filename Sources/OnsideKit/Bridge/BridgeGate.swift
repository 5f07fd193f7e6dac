/// A question to pages.
struct BridgeGate: Sendable, Hashable {
  let id: Int
  let question: Question

  enum Question: Sendable, Hashable {
    case shouldContinue(OnsidePaymentTransaction, OnsideStorefront)
    case shouldContinueAfterLogin(OnsidePaymentTransaction)
  }
}

extension BridgeGate: Encodable {
  private enum Key: CodingKey { case id, name, argument }

  private struct Argument: Encodable {
    let transaction: JSPaymentTransaction
    var storefront: OnsideStorefront?
  }

  func encode(to encoder: any Encoder) throws {
    var gate = encoder.container(keyedBy: Key.self)
    try gate.encode(id, forKey: .id)
    switch question {
    case .shouldContinue(let transaction, let storefront):
      try gate.encode("shouldContinueTransaction", forKey: .name)
      let argument = Argument(transaction: JSPaymentTransaction(transaction), storefront: storefront)
      try gate.encode(argument, forKey: .argument)
    case .shouldContinueAfterLogin(let transaction):
      try gate.encode("shouldContinueTransactionAfterLogin", forKey: .name)
      try gate.encode(Argument(transaction: JSPaymentTransaction(transaction)), forKey: .argument)
    }
  }
}

/// A page's answer to a gate.
struct PageAnswer: Sendable {
  let gate: Int
  let value: Bool
}
