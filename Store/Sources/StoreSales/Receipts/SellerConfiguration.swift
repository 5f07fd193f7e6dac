/// The legal entity that sells, as receipts name it.
public struct SellerConfiguration: Sendable {
  /// The short name that its receipts' numbers begin with. Another name begins another count.
  public var id = "R"
  /// Its full name; nil shows the store's.
  public var name: String?
  /// Its address, on one line.
  public var address: String?
  /// Its number for value added tax.
  public var taxNumber: String?

  /// A seller without a name of its own.
  public init() {}

  /// Name and address, as receipts show them.
  func line(orStore store: String) -> String {
    [name ?? store, address].compactMap(\.self).joined(separator: ", ")
  }
}
