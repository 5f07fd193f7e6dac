package import OnsideAPI

extension WalletError {
  /// What a refusal of the vault means for the wallet.
  package init(refusal code: ProblemCode, record: VaultMessage?, detail: String) {
    self =
      switch code {
      case .vaultWait: .wait(record?.retryAfter ?? 60)
      case .vaultDestroyed: .triesExhausted
      case .vaultReplaced: .outdated
      case .notFound: .vaultUnknown
      default: .vaultFault("\(code): \(detail)")
      }
  }
}
