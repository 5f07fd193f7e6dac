/// An item of a list that could not be read, so that the others could be taken without it (QUE-26).
public struct UnreadItem: Hashable, Sendable {
  /// The item's `id`, if it has one.
  public let id: String?
  /// What was expected and where.
  public let reason: String

  /// Names an item that was not read.
  public init(id: String?, reason: String) {
    self.id = id
    self.reason = reason
  }
}

/// A list that is decoded item by item: one item from a newer store, with a currency that this version does not know,
/// does not make the rest unreadable.
struct LenientList<Item: Decodable>: Decodable {
  var items: [Item] = []
  var unread: [UnreadItem] = []

  init(from decoder: any Decoder) throws {
    var list = try decoder.unkeyedContainer()
    while !list.isAtEnd {
      switch try list.decode(Attempt.self) {
      case .read(let item): items.append(item)
      case .unread(let item): unread.append(item)
      }
    }
  }

  /// Reading one item never throws: a container whose `decode` has thrown stays where it is.
  private enum Attempt: Decodable {
    case read(Item)
    case unread(UnreadItem)

    init(from decoder: any Decoder) throws {
      do {
        self = .read(try Item(from: decoder))
      } catch {
        let id = try? decoder.container(keyedBy: IDKey.self).decode(String.self, forKey: .id)
        self = .unread(UnreadItem(id: id, reason: Self.reason(error, below: decoder.codingPath.count)))
      }
    }

    /// The path within the item, and what was expected there.
    private static func reason(_ error: any Error, below depth: Int) -> String {
      guard let error = error as? DecodingError else { return "it cannot be read" }
      let (context, missing): (DecodingError.Context, (any CodingKey)?) =
        switch error {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context): (context, nil)
        case .keyNotFound(let key, let context): (context, key)
        @unknown default: (.init(codingPath: [], debugDescription: "it cannot be read"), nil)
        }
      let path = (context.codingPath.dropFirst(depth) + [missing].compactMap { $0 }).map(\.stringValue)
      return (path.isEmpty ? "" : path.joined(separator: ".") + ": ") + context.debugDescription
    }
  }

  private enum IDKey: String, CodingKey { case id }
}
