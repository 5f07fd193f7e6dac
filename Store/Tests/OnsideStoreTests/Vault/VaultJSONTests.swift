import Foundation
import OnsideAPI
import Testing

@testable import OnsideStore

@Suite struct VaultJSONTests {
  @Test("an evaluation is written as the very bytes that WireCoding makes", arguments: [true, false])
  func evaluation(enrolsAnew: Bool) throws {
    let enrolment = try #require(VaultEnrolmentID(Array(0..<16)))
    let message = VaultEvaluationMessage(
      element: WireBytes(Array(32..<64)), proof: WireBytes(Array(192...255)),
      vault: VaultMessage(
        enrolment: enrolment, state: enrolsAnew ? .destroyed : .confirmed, epoch: 3,
        publicKey: WireBytes(Array(64..<96)), triesRemaining: 7, retryAfter: 3600, enrolsAnew: enrolsAnew))
    #expect(try message.json == Array(WireCoding.encoder().encode(message)))
  }
}
