import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import OnsideAPI
import OnsideStore
import OnsideVault
import StoreBase

/// Checks of the measured answers: a rate of wrong answers has no meaning.
enum VaultAnswers {
  /// Every server proves its evaluation, and all of them computed the same.
  static func compare(_ servers: [ServerProcess], signed: VaultRequests.Signed) async throws {
    var outputs: Set<[UInt8]> = []
    for server in servers {
      let answer = try await answer(of: server, signed)
      let evaluation = OPRFEvaluation(element: answer.element.bytes, proof: answer.proof.bytes)
      outputs.insert(try signed.input.output(of: evaluation, publicKey: answer.vault.publicKey.bytes))
      guard answer.vault.triesRemaining == VaultRules.tries - 1 else {
        throw BenchFailure("expected one counted try, got \(answer.vault.triesRemaining) remaining")
      }
    }
    guard outputs.count == 1 else { throw BenchFailure("the servers' evaluations differ: Peers/vault.c is wrong") }
  }

  /// Every answered try is in every database.
  static func checkCounts(_ databases: [String], in place: Workplace, expected: Int) async throws {
    for name in databases {
      let database = try SQLiteDatabase.open(at: place.file(name).path, now: Platform.now())
      let count = try await database.read { connection in
        try connection.row("SELECT sum(tries) AS count FROM vault_records")?.integer("count")
      }
      await database.close()
      guard count == Int64(expected) else {
        throw BenchFailure("expected \(expected) counted tries in \(name), got \(count ?? 0)")
      }
    }
  }

  private static func answer(
    of server: ServerProcess, _ signed: VaultRequests.Signed
  ) async throws -> VaultEvaluationMessage {
    var request = HTTPClientRequest(url: "\(try server.address)\(signed.request.path)")
    request.method = .POST
    request.headers.add(name: "Content-Type", value: "application/json")
    request.headers.add(name: WireHeader.vaultSignature, value: signed.header)
    request.body = .bytes(ByteBuffer(bytes: signed.request.body))
    let response = try await HTTPClient.shared.execute(request, timeout: .seconds(10))
    let body = try await response.body.collect(upTo: 1 << 16)
    guard response.status == .ok else { throw BenchFailure("a try was answered by: \(String(buffer: body))") }
    return try WireCoding.decoder().decode(VaultEvaluationMessage.self, from: Data(body.readableBytesView))
  }
}
