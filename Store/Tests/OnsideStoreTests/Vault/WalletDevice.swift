import Crypto
import Foundation
import OnsideAPI
import OnsideVault
import Testing

@testable import OnsideStore
@testable import StoreBase
@testable import StoreVault
@testable import StoreWeb

/// A wallet as the vault sees it: a device that signs, a PIN, and what follows from both.
struct WalletDevice: Sendable {
  let store: StoreCore
  let enrolment: VaultEnrolmentID
  var device = VaultDeviceKey()
  /// What opening the wallet gives; here it follows from nothing.
  let tag: [UInt8]

  var tagHash: [UInt8] { Array(SHA256.hash(data: tag)) }

  /// `seed` tells wallets and PINs of one test apart.
  init(store: StoreCore, seed: UInt8) {
    self.store = store
    tag = Array(repeating: seed, count: 32)
    enrolment = VaultEnrolmentID(Array(repeating: seed, count: VaultEnrolmentID.length))!
  }

  /// The same wallet with another enrolment, or asking another process of the store.
  func with(_ store: StoreCore? = nil, seed: UInt8? = nil) -> WalletDevice {
    var other = WalletDevice(store: store ?? self.store, seed: seed ?? tag[0])
    other.device = device
    return other
  }

  @discardableResult
  func enrol(replacing old: VaultEnrolmentID? = nil) async throws -> VaultMessage {
    try await store.vault.enrol(VaultEnrolRequest(enrolment: enrolment, replaces: old), by: signature())
  }

  @discardableResult
  func seal() async throws -> VaultMessage {
    try await store.vault.handle(.seal(tagHash: tagHash), of: enrolment, by: signature())
  }

  @discardableResult
  func confirm(tag: [UInt8]? = nil) async throws -> VaultMessage {
    try await store.vault.handle(.confirm(tag: tag ?? self.tag), of: enrolment, by: signature())
  }

  func destroy() async throws { _ = try await store.vault.handle(.destroy, of: enrolment, by: signature()) }

  func state() async throws -> VaultMessage { try await store.vault.state(of: enrolment, by: signature()) }

  func signUp() async throws {
    try await enrol()
    try await seal()
    try await confirm()
  }

  /// One try; the 64 bytes that a right or wrong PIN gives.
  @discardableResult
  func evaluate(_ pin: String = "1234") async throws -> [UInt8] {
    let input = blinded(pin)
    let answer = try await store.vault.evaluate(input.element, for: enrolment, by: signature())
    return try input.output(
      of: OPRFEvaluation(element: answer.element.bytes, proof: answer.proof.bytes),
      publicKey: answer.vault.publicKey.bytes)
  }

  func blinded(_ pin: String) -> BlindedInput { BlindedInput(Array(pin.utf8))! }

  /// Signed for nothing in particular: the service is asked below the routes, which compare the request.
  func signature(ahead milliseconds: Int64 = 0) throws -> VaultSignature {
    let request = VaultRequest(.post, "/")
    let time = store.dependencies.clock.unmovedNow().millisecondsSince1970 + milliseconds
    return try #require(VaultSignature(header: device.sign(request, time: time), of: request))
  }
}

/// The code of the problem that a call ends with; nil when it goes well.
func problem(_ call: () async throws -> Void) async -> ProblemCode? {
  do {
    try await call()
    return nil
  } catch {
    return Problem(describing: error).code
  }
}
