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
    #expect(try json(OnsideLoginError.loginDiscarded) == #"{"loginDiscarded":{}}"#)
    #expect(try json(OnsideProductsRequestError.invalidProductIdentifier) == #"{"invalidProductIdentifier":{}}"#)
    #expect(try json(OnsidePaymentTransactionError.presentationFailed) == #"{"presentationFailed":{}}"#)
  }
}
