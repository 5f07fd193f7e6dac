import Foundation
import OnsideAPI
import OnsideStore
import OnsideVault
import StoreBase

/// Tries at enrolments in the vault, signed by their device beforehand.
struct VaultRequests: Sendable {
  /// The number of tries that have no wait after them.
  static let tries = 3

  private let device = VaultDeviceKey()
  /// The blinded element of every try. It is reused, because making one costs about as much as evaluating it.
  private let inputs = (0..<256).compactMap { _ in BlindedInput(Platform.randomBytes(64)) }

  /// Inserts confirmed enrolments into the store's database, each with a key of its own: over HTTP one network may make
  /// one a second.
  func enrol(_ count: Int, in place: Workplace) async throws -> [VaultEnrolmentID] {
    let records = try (0..<count).map { _ in try record(Platform.now()) }
    let database = try SQLiteDatabase.open(at: place.file(ExampleShop.database).path, now: Platform.now())
    try await database.write { connection in for record in records { try Self.insert(record, into: connection) } }
    await database.close()
    return records.map(\.enrolment)
  }

  /// One enrolment as the vault keeps it.
  func record(_ now: Date) throws -> VaultRecord {
    guard let id = VaultEnrolmentID(Platform.randomBytes(VaultEnrolmentID.length)),
      let key = VaultKey(seed: Platform.randomBytes(32)),
      var record = VaultRecord(id, deviceKey: device.publicKey, key: key, at: now)
    else { throw BenchFailure("expected an enrolment of random bytes") }
    (record.state, record.tagHash) = (.confirmed, Platform.randomBytes(32))
    return record
  }

  private static func insert(_ record: VaultRecord, into connection: any SQLConnection) throws {
    try connection.execute(
      """
      INSERT INTO vault_records(id, device_key, public_key, secret_key, tag_hash, epoch, state, tries, waits_until,
        is_restored, requests_after, enrolled_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, 0, 0, 0, 0, $8)
      """,
      [
        .blob(record.enrolment.bytes), .blob(record.deviceKey), .blob(record.publicKey), .blob(record.key?.bytes ?? []),
        .blob(record.tagHash ?? []), .integer(record.epoch), .text(record.state.rawValue), .date(record.enrolledAt),
      ])
  }

  /// All the tries of each enrolment that have no wait after them.
  func make(_ enrolments: some Sequence<VaultEnrolmentID>) throws -> [[Load.Request]] {
    try enrolments.map { id in
      try (0..<Self.tries).map { try Load.Request(bytes: post(try signed(id, input: $0))) }
    }
  }

  /// A request with the header that its device has signed, and the input that its answer belongs to.
  struct Signed {
    var request: VaultRequest
    var header: String
    var input: BlindedInput
  }

  /// One try, signed now.
  func signed(_ id: VaultEnrolmentID, input index: Int) throws -> Signed {
    let input = inputs[(Int(id.bytes[0]) + index) % inputs.count]
    let message = VaultEvaluateRequest(blinded: WireBytes(input.element))
    let request = VaultRequest(
      .post, Route.vaultEvaluate.path("\(id)"), body: Array(try WireCoding.encoder().encode(message)))
    return Signed(
      request: request, header: device.sign(request, time: Platform.now().millisecondsSince1970), input: input)
  }

  private func post(_ signed: Signed) throws -> [UInt8] {
    HTTPText.post(
      signed.request.path, headers: ["\(WireHeader.vaultSignature): \(signed.header)"], body: signed.request.body)
  }
}
