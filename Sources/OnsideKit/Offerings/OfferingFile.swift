import Foundation
import Logging
import OnsideAPI
import OnsideCommerce

/// The offerings on disk, with the prices of the last time, so that a shop opens without a network.
struct OfferingFile: Sendable {
  /// What is in the file.
  private struct Record: Codable {
    var version = 1
    /// The app and its store.
    let owner: String
    /// The account whose offers and prices they are; nil for nobody's.
    let account: AccountID?
    /// The region of the prices, ISO 3166-1 alpha-2.
    let country: String?
    let current: String?
    let offerings: [OnsideOffering]
    let date: TimeInterval
  }

  private static let name = "offerings.json"

  let owner: String
  /// The app; nil in local testing, whose accounts are the local store's own.
  let app: String?
  let folder: DurableFolder
  let logger: Logger

  init(owner: String, app: String?, dependencies: Dependencies) {
    (self.owner, self.app) = (owner, app)
    folder = DurableFolder(url: dependencies.storageFolder, files: dependencies.files)
    logger = dependencies.logger
  }

  /// The offerings as an account was told them for a region; nil when there are none. Without a region they are those
  /// of the last one.
  func read(for account: AccountID?, in country: CountryCode?) -> OnsideOfferings? {
    let record = try? folder.read(Self.name).flatMap { try? JSONDecoder().decode(Record.self, from: $0) }
    guard let record, record.version == 1, record.owner == owner, isSame(record.account, account),
      country == nil || record.country == country?.alpha2
    else { return nil }
    return OnsideOfferings(
      all: record.offerings, currentIdentifier: record.current, date: Date(timeIntervalSince1970: record.date))
  }

  /// Whether two ids are of one account; files of earlier versions have the id that all apps share.
  private func isSame(_ one: AccountID?, _ other: AccountID?) -> Bool {
    guard let app else { return one == other }
    return one?.pairwise(in: app) == other?.pairwise(in: app)
  }

  /// Keeps offerings in place of those before. Without a region they are of the one that the store has taken.
  func write(_ offerings: OnsideOfferings, for account: AccountID?, in country: CountryCode?) {
    let taken = offerings.all.first?.products.first?.storefrontCountryCode
    let record = Record(
      owner: owner, account: account, country: country?.alpha2 ?? taken, current: offerings.currentIdentifier,
      offerings: offerings.all,
      date: offerings.date.timeIntervalSince1970)
    do {
      try folder.make()
      try folder.write([(name: Self.name, content: JSONEncoder().encode(record))])
    } catch {
      logger.error("The offerings cannot be kept for when the store cannot be reached: \(error)")
    }
  }
}
