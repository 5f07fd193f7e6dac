package import StoreBase

extension MessageConfiguration {
  /// Throws if the sender lacks a key that it needs.
  package func check() throws(ConfigurationError) {
    if sender == .http || sender == .kannel {
      guard url != nil else {
        throw .needed(name: "messages.url", reason: "messages.sender is \"\(sender.rawValue)\"")
      }
    } else if url != nil {
      throw .needed(name: "messages.sender", reason: "messages.url is set; say \"http\" or \"kannel\"")
    }
    if sender == .kannel, user == nil || password == nil {
      throw .needed(name: "messages.user", reason: "Kannel wants it and messages.password")
    }
  }
}
