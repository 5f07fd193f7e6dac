import OnsideAPI
import StoreBase

#if canImport(PostgresClient)
  import PostgresClient
#endif

extension DatabaseLocation {
  /// The vault's guard file where none is named: beside the database file, or in the current folder with the name of
  /// the server's database. The hosts are no part of it: they may change, and the file has to stay.
  var guardFile: String {
    switch self {
    case .sqlite(let path):
      let name = path.hasSuffix(".sqlite") ? String(path.dropLast(".sqlite".count)) : path
      return name + ".vault-guard"
    case .postgres(let url):
      return ["onside", url.database.map { PercentEncoding.encode($0) }].compactMap(\.self).joined(separator: "-")
        + ".vault-guard"
    }
  }
}

extension PostgresURL {
  /// The name of the database; nil when libpq takes the user's.
  fileprivate var database: String? {
    #if canImport(PostgresClient)
      (try? PostgresAddress(text))?.database
    #else
      nil
    #endif
  }
}
