import Foundation
import OnsideCommerce

/// Asking the delegate.
extension PaymentQueue {
  func askAfterLogin(_ call: CallID, about transaction: OnsidePaymentTransaction) {
    tasks.run { [weak self] in
      guard let self else { return }
      questions += 1
      defer { questions -= 1 }
      let yes = await delegate?.onsidePaymentQueue(self, shouldContinueTransactionAfterLogin: transaction)
      send(.afterLoginAnswered(call, yes ?? true))
    }
  }

  /// A queue without a delegate goes on. A delegate that goes away while it is asked has not agreed.
  func askStorefront(_ id: UUID, step: Int, in region: CountryCode) {
    guard let transaction = machine.book[id].map({ machine.snapshot($0) }) else { return }
    tasks.run { [weak self] in
      guard let self else { return }
      guard let asked = delegate.map(ObjectIdentifier.init) else {
        return answer(.goOn, to: id, step: step, about: region)
      }
      questions += 1
      defer { questions -= 1 }
      let yes = await delegate?.onsidePaymentQueue(
        self, shouldContinue: transaction, in: machine.storefront(for: region))
      let isSame = delegate.map(ObjectIdentifier.init) == asked
      let unsure: GateAnswer = delegate == nil ? .stop : .askAgain
      answer(isSame ? (yes == true ? .goOn : .stop) : unsure, to: id, step: step, about: region)
    }
  }

  private func answer(_ answer: GateAnswer, to id: UUID, step: Int, about asked: CountryCode) {
    let region = machine.account?.country ?? asked
    send(.purchase(id, step: step, .answered(answer, region)))
  }
}
