package import OnsideAPI

/// A table with rows of accounts, for the data export.
package struct AccountTable: Sendable {
  /// The condition of a table whose rows belong to an order.
  package static let isOrder = "order_id IN (SELECT id FROM orders WHERE account_id = $1)"

  /// The field of the document.
  package let name: String
  package let table: String
  /// The SQL condition that selects the rows; `$1` is ``subject``.
  package let condition: String
  /// Columns that are left out of the export: secrets with which a reader of the document could act as the account,
  /// and names of other persons.
  package var secrets: Set<String> = []
  /// What the rows name the account by: its id.
  package var subject: @Sendable (AccountID) -> String = \.description

  package init(
    name: String, table: String, condition: String, secrets: Set<String> = [],
    subject: @escaping @Sendable (AccountID) -> String = \.description
  ) {
    self.name = name
    self.table = table
    self.condition = condition
    self.secrets = secrets
    self.subject = subject
  }
}
