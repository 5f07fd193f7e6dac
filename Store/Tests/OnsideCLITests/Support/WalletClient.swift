import Foundation
import FoundationNetworking
import OnsideAPI
import OnsideVault
import StoreTestSupport

/// A wallet that asks running stores over HTTP.
struct WalletClient: Sendable {
  var address: URL
  let device = VaultDeviceKey()
  let enrolment = VaultEnrolmentID(Array(repeating: 1, count: VaultEnrolmentID.length))!
  /// How far this device's clock is ahead, in seconds.
  var ahead: TimeInterval = 0
  private let tag = [UInt8](repeating: 5, count: 32)
  /// SHA-256 of `tag`.
  private static let tagHash = "-EnWcyX6zwQXe8ZjstxUQFGDHFie9YHUEvLrpEg053w"

  /// A wallet that talks to a store at an address.
  init(address: URL) { self.address = address }

  func signUp() async throws {
    _ = try await send(.vaultEnrol, message: VaultEnrolRequest(enrolment: enrolment))
    let hash = VaultSealRequest(tagHash: WireBytes(Self.tagHash) ?? WireBytes([]))
    _ = try await send(.vaultSeal, message: hash)
    _ = try await send(.vaultConfirm, message: VaultConfirmRequest(unlockTag: WireBytes(tag)))
  }

  func confirm() async throws {
    _ = try await send(.vaultConfirm, message: VaultConfirmRequest(unlockTag: WireBytes(tag)))
  }

  func state() async throws -> VaultMessage { try await message(.vaultState, body: nil as VaultSealRequest?) }

  /// One try; true when it was evaluated, and rightly so.
  func evaluate(_ pin: String) async throws -> Bool {
    guard let input = BlindedInput(Array(pin.utf8)) else { return false }
    let data = try await send(.vaultEvaluate, message: VaultEvaluateRequest(blinded: WireBytes(input.element)))
    let answer = try WireCoding.decoder().decode(VaultEvaluationMessage.self, from: data)
    return OPRFEvaluation(element: answer.element.bytes, proof: answer.proof.bytes)
      .isProved(of: input.element, by: answer.vault.publicKey.bytes)
  }

  private func message(_ route: Route, body: (some Encodable)?) async throws -> VaultMessage {
    try WireCoding.decoder().decode(VaultMessage.self, from: try await send(route, message: body))
  }

  private func send(_ route: Route, message: (some Encodable)?) async throws -> Data {
    let path = route == .vaultEnrol ? route.path : route.path(enrolment.description)
    let body = try message.map { try WireCoding.encoder().encode($0) }
    let (data, response) = try await URLSession.shared.answer { signed(route, path: path, body: body) }
    let status = (response as? HTTPURLResponse)?.statusCode ?? 0
    guard (200..<300).contains(status) else {
      throw StoreClient.Refusal(status: status, body: String(decoding: data, as: UTF8.self))
    }
    return data
  }

  /// A request that is signed now; the signature is good for one.
  private func signed(_ route: Route, path: String, body: Data?) -> URLRequest {
    var request = URLRequest(url: address.appending(path: path))
    request.httpMethod = route.method.rawValue
    request.httpBody = body
    let time = Int64((Date().timeIntervalSince1970 + ahead) * 1000)
    request.setValue(
      device.sign(VaultRequest(route.method, path, body: Array(body ?? Data())), time: time),
      forHTTPHeaderField: WireHeader.vaultSignature)
    if body != nil { request.setValue("application/json", forHTTPHeaderField: "Content-Type") }
    return request
  }
}
