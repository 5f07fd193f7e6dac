public import Foundation
public import StoreBase

extension Dispute {
  /// Open disputes whose evidence is due within a week, the earliest first.
  public static func due(at now: Date, in connection: any SQLConnection) throws -> [Dispute] {
    try DisputeRecords.due(from: now, to: now.addingTimeInterval(7 * 86_400), in: connection)
  }

  /// The newest disputes, of one state or of all, for the operator.
  public static func newest(_ limit: Int, state: State? = nil, in connection: any SQLConnection) throws -> [Dispute] {
    try DisputeRecords.newest(limit, state: state, in: connection)
  }

  /// A dispute by its id; nil for an unknown one.
  public static func dispute(_ id: String, in connection: any SQLConnection) throws -> Dispute? {
    try DisputeRecords.dispute(id, in: connection)
  }
}
