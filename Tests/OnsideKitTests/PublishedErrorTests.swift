import Foundation
import OnsideKit
import Testing

@Suite("The published errors", .timeLimit(.minutes(5)))
struct PublishedErrorTests {
  private func json(_ error: some Encodable) throws -> String {
    String(decoding: try JSONEncoder().encode(error), as: UTF8.self)
  }

  @Test("JSB-3: a published error encodes as its case name with an empty object")
  func errors() throws {
    let result = try json(OnsideLoginError.loginDiscarded)
    #expect(result == #"{"loginDiscarded":{}}"#)
    let secondResult = try json(OnsideProductsRequestError.invalidProductIdentifier)
    #expect(secondResult == #"{"invalidProductIdentifier":{}}"#)
    let thirdResult = try json(OnsidePaymentTransactionError.presentationFailed)
    #expect(thirdResult == #"{"presentationFailed":{}}"#)
  }

  @Test("INI-6: every public error type in docs/api is a LocalizedError", arguments: Self.libraries())
  func localized(library: URL) throws {
    let lines = Set(try String(contentsOf: library, encoding: .utf8).split(separator: "\n").map(String.init))
    let errors = lines.filter { $0.hasSuffix("\t: Swift.Error") }.map { $0.prefix { $0 != "\t" } }
    let others = errors.filter { !lines.contains("\($0)\t: FoundationEssentials.LocalizedError") }.sorted()
    #expect(others == [])
  }

  @Test("INI-6: messages of published errors begin with what was expected; those of a products request differ")
  func messages() {
    let errors: [any Error] = [
      OnsideLoginError.loginDiscarded, OnsidePaymentQueueRequestRestoreError.loginDiscarded,
      OnsideProductsRequestError.connectionError, OnsideProductsRequestError.appNotRegistered,
      OnsideProductsRequestError.serviceUnavailable, OnsideTransactionsRestoreError.cancelled,
      OnsideSignedInAppsHistoryRequestError.notLoggedIn, OnsideAttributionMetadataError.internalError,
      OnsidePaymentTransactionError.presentationFailed, OnsideRefundRequestError.purchaseNotFound,
      OnsidePaymentQueueAddProductError.rejectedAfterLogin, OnsideFailure.offline,
    ]
    for error in errors {
      #expect(error.localizedDescription.hasPrefix("expected "), "\(error)")
    }
    let products: [OnsideProductsRequestError] = [
      .cancelled, .connectionError, .appNotRegistered, .invalidProductIdentifier, .serviceUnavailable, .internalError,
    ]
    let messages = Set(products.map(\.localizedDescription))
    #expect(messages.count == products.count)
  }

  /// The recorded declarations of each library.
  private static func libraries() -> [URL] {
    var root = URL(filePath: #filePath)
    for _ in 0..<3 { root.deleteLastPathComponent() }
    let folder = root.appending(path: "docs/api")
    return (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
  }
}
