package import Crypto
import Foundation
import OnsideAPI
import StoreAccounts
package import StoreBase

/// Joins visits of landing pages with installations of apps.
package struct AttributionService: Sendable {
  let database: any Database
  let clock: any StoreClock
  let random: any RandomSource
  let configuration: AttributionConfiguration
  let networkKey: SymmetricKey

  /// The origin of a request, in the fields that matching compares.
  struct Origin: Sendable {
    var client: String
    var device: DeviceClass
  }

  package init(_ dependencies: BaseDependencies, configuration: AttributionConfiguration, networkKey: SymmetricKey) {
    database = dependencies.database
    clock = dependencies.clock
    random = dependencies.random
    self.configuration = configuration
    self.networkKey = networkKey
  }

  /// Records a visit; returns its random id.
  func visited(_ visit: AttributionVisit, from origin: Origin) async throws -> String {
    var visit = visit
    visit.id = random.token()
    if configuration.isMatching { visit.network = network(origin) }
    let event = event(.landingPageVisited, app: visit.appID, visit: visit, installation: nil, now: visit.visitedAt)
    try await database.write(at: visit.visitedAt) { [visit] transaction in
      try AttributionRecords.insert(visit, in: transaction)
      try event.insert(in: transaction)
    }
    return visit.id
  }

  /// Records a press of an install button; returns the token for the installation, nil without a visit of this visitor.
  func tapped(visit id: String, visitor: String, app: String) async throws -> String? {
    let token = random.token()
    return try await database.write(at: clock.now()) { transaction in
      let visit = try AttributionRecords.visit(id, app: app, in: transaction)
        .flatMap { $0.visitor == visitor ? $0 : nil }
      try event(.installButtonTapped, app: app, visit: visit, installation: nil, now: transaction.now)
        .insert(in: transaction)
      guard let visit else { return nil }
      try AttributionRecords.insertClaim(
        token, for: visit, expiresAt: transaction.now + configuration.claimLifetime, in: transaction)
      return token
    }
  }

  /// The address of the visit that led to an installation; nil when none is known. Once an address was returned, it is
  /// final: neither a second token nor another visit changes it.
  func address(_ request: AttributionRequest, app: String, client: String) async throws -> String? {
    let origin = Origin(client: client, device: DeviceClass(platform: request.platform))
    return try await database.write(at: clock.now()) { transaction in
      let known = try AttributionRecords.address(of: request.installationID, app: app, in: transaction)
      if case .some(.some(let address)) = known { return address }
      var visit = try request.claim.flatMap { claim in
        try AttributionRecords.spend(claim, app: app, installation: request.installationID, in: transaction)
      }
      if visit == nil, known == nil { visit = try match(app: app, origin, in: transaction) }
      guard visit != nil || known == nil else { return nil }
      try record(request.installationID, app: app, visit: visit, isNew: known == nil, in: transaction)
      return visit?.address
    }
  }

  /// Deletes visits after six months, and network hashes and tokens once they are of no use.
  package func clear() async throws {
    let now = clock.now()
    let visitsBefore = now - TimeInterval(VisitorCookie.lifetime)
    let networksBefore = now - configuration.matchingWindow
    try await database.inPieces { try AttributionRecords.clear(visitsBefore: visitsBefore, in: $0) }
    try await database.inPieces { try AttributionRecords.clear(networksBefore: networksBefore, in: $0) }
    try await database.inPieces { try AttributionRecords.clear(claimsBefore: now, in: $0) }
  }

  /// The visit of the only visitor with the same network address and kind of system, if matching is on. Every visitor
  /// counts, redeemed or not: with two visitors the match is ambiguous, and after a redeemed visit of one visitor a
  /// further installation belongs to another person.
  private func match(app: String, _ origin: Origin, in transaction: StoreTransaction) throws -> AttributionVisit? {
    guard configuration.isMatching else { return nil }
    let visits = try AttributionRecords.visits(
      app: app, network: network(origin), since: transaction.now - configuration.matchingWindow, in: transaction)
    guard Set(visits.map(\.visitor)).count == 1, !visits.contains(where: \.isRedeemed) else { return nil }
    return visits.first
  }

  /// Saves an installation with its visit, redeems the visit, and records the events of a new installation.
  private func record(
    _ installation: InstallationID, app: String, visit: AttributionVisit?, isNew: Bool,
    in transaction: StoreTransaction
  ) throws {
    try AttributionRecords.save(installation, app: app, visit: visit, in: transaction)
    if let visit { try AttributionRecords.redeem(visit, in: transaction) }
    if isNew {
      let installed: AttributionLabel = app == configuration.storeApp ? .storeAppInstalled : .appInstalled
      for label in [installed, .appLaunched] {
        try event(label, app: app, visit: visit, installation: installation, now: transaction.now)
          .insert(in: transaction)
      }
    } else if let visit {
      try AttributionEvent.join(installation, app: app, with: visit, in: transaction)
    }
  }

  private func event(
    _ label: AttributionLabel, app: String, visit: AttributionVisit?, installation: InstallationID?, now: Date
  ) -> AttributionEvent {
    AttributionEvent(
      id: random.uuid7(at: now), appID: app, label: label, happenedAt: now, visit: visit, installation: installation)
  }

  /// A keyed hash of the network address. Only the hash is stored, never the address.
  private func network(_ origin: Origin) -> String {
    let text = Data("\(origin.device.rawValue)\n\(origin.client)".utf8)
    return Base64URL.encode(Array(HMAC<SHA256>.authenticationCode(for: text, using: networkKey)))
  }
}
