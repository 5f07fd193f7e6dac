import Foundation
import OnsideAPI
import Testing

@testable import StoreVault

@Suite(.timeLimit(.minutes(5))) struct VaultJSONTests {
  @Test("an evaluation is written as the very bytes that WireCoding makes", arguments: [true, false])
  func evaluation(enrolsAnew: Bool) throws {
    let enrolment = try #require(VaultEnrolmentID(Array(0..<16)))
    let message = VaultEvaluationMessage(
      element: WireBytes(Array(32..<64)), proof: WireBytes(Array(192...255)),
      vault: VaultMessage(
        enrolment: enrolment, state: enrolsAnew ? .destroyed : .confirmed, epoch: 3,
        publicKey: WireBytes(Array(64..<96)), triesRemaining: 7, retryAfter: 3600, enrolsAnew: enrolsAnew))
    let encoded = try Array(WireCoding.encoder().encode(message))
    #expect(message.json == encoded)
  }

  @Test("a try is read from the bytes that WireCoding writes, and others are left to its decoder")
  func request() throws {
    let request = VaultEvaluateRequest(blinded: WireBytes(Array(0..<32)))
    let body = [UInt8](try WireCoding.encoder().encode(request))
    #expect(VaultEvaluateRequest(canonical: body) == request)
    let others = [
      "", "{", #"{"blinded":""#, #"{"blinded":"A"}"#, #"{"blinded":"AA", "more":""}"#, #" {"blinded":"AA"}"#,
      #"{"blinded":"AA"} "#, #"{"blinded":"\u0041A"}"#, #"{"blinded":"AA","blinded":"AA"}"#,
    ]
    for text in others { #expect(VaultEvaluateRequest(canonical: Array(text.utf8)) == nil, "\(text)") }
  }
}
