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
}
