public import Foundation

/// One event of a merchant's app: an item of the feed.
public struct MerchantEventMessage: Hashable, Sendable, Codable {
  /// The id of the event, which is also the cursor of the feed after it: `evt_<epoch>_<number>`.
  public var id: String
  /// The type of the event.
  public var type: MerchantEventType
  /// The time of the commit, by the store's clock.
  public var timestamp: Date
  /// The object after the event.
  public var data: MerchantEventData

  /// Makes an event.
  public init(id: String, type: MerchantEventType, timestamp: Date, data: MerchantEventData) {
    self.id = id
    self.type = type
    self.timestamp = timestamp
    self.data = data
  }
}

/// The object of an event, as it is after the event's transaction.
public struct MerchantEventData: Hashable, Sendable {
  /// The app's id.
  public var app: String
  /// The number of the event, consecutive within the app and epoch.
  public var number: Int64
  /// The kind of the object: `order`, `subscription` or `customer`. On the wire also the name of the field of
  /// ``content``.
  public var object: String
  /// The id of the object, unique within the app and kind.
  public var objectID: String
  /// The number of the event among those of its object. A receiver ignores an event with a lower number than its
  /// newest one.
  public var sequence: Int64
  /// The pseudonym of the account in the app.
  public var subject: String
  /// The app's token for its user.
  public var appAccountToken: String?
  /// The time of the change, by the account's clock, which a sandbox can move.
  public var occurredAt: Date
  /// The reason of the event; nil where the type is sufficient.
  public var cause: String?
  /// The object.
  public var content: PayloadValue

  /// Makes the data of an event.
  public init(
    app: String, number: Int64, object: String, objectID: String, sequence: Int64, subject: String,
    appAccountToken: String? = nil, occurredAt: Date, cause: String? = nil, content: PayloadValue
  ) {
    self.app = app
    self.number = number
    self.object = object
    self.objectID = objectID
    self.sequence = sequence
    self.subject = subject
    self.appAccountToken = appAccountToken
    self.occurredAt = occurredAt
    self.cause = cause
    self.content = content
  }
}

extension MerchantEventData: Codable {
  /// The name of a field: one of the fixed ones, or the kind of an object.
  private struct Field: CodingKey {
    static let app = Field("app")
    static let number = Field("number")
    static let object = Field("object")
    static let objectID = Field("object_id")
    static let sequence = Field("sequence")
    static let subject = Field("subject")
    static let appAccountToken = Field("app_account_token")
    static let occurredAt = Field("occurred_at")
    static let cause = Field("cause")

    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
  }

  /// Reads the data of an event. The content is `null` when the field that ``object`` names is missing.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Field.self)
    app = try fields.decode(String.self, forKey: .app)
    number = try fields.decode(Int64.self, forKey: .number)
    object = try fields.decode(String.self, forKey: .object)
    objectID = try fields.decode(String.self, forKey: .objectID)
    sequence = try fields.decode(Int64.self, forKey: .sequence)
    subject = try fields.decode(String.self, forKey: .subject)
    appAccountToken = try fields.decodeIfPresent(String.self, forKey: .appAccountToken)
    occurredAt = try fields.decode(Date.self, forKey: .occurredAt)
    cause = try fields.decodeIfPresent(String.self, forKey: .cause)
    content = try fields.decodeIfPresent(PayloadValue.self, forKey: Field(object)) ?? .null
  }

  /// Writes all fields; `null` for a missing token and cause.
  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Field.self)
    try fields.encode(app, forKey: .app)
    try fields.encode(number, forKey: .number)
    try fields.encode(object, forKey: .object)
    try fields.encode(objectID, forKey: .objectID)
    try fields.encode(sequence, forKey: .sequence)
    try fields.encode(subject, forKey: .subject)
    try fields.encode(appAccountToken, forKey: .appAccountToken)
    try fields.encode(occurredAt, forKey: .occurredAt)
    try fields.encode(cause, forKey: .cause)
    try fields.encode(content, forKey: Field(object))
  }
}
