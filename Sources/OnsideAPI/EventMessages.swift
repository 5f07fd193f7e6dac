public import OnsideCommerce

/// What an app tells ``Route/events``: a batch of events of one installation.
public struct EventsRequest: Hashable, Sendable, Codable {
  /// The installation.
  public var installationID: InstallationID
  /// The events, at most ``limit``.
  public var events: [EventMessage]

  /// The most events of a batch.
  public static let limit = 500

  enum CodingKeys: String, CodingKey {
    case events
    case installationID = "installation_id"
  }

  /// Makes a batch.
  public init(installationID: InstallationID, events: [EventMessage]) {
    self.installationID = installationID
    self.events = events
  }
}

/// Something that happened in an app.
public struct EventMessage: Hashable, Sendable, Codable {
  /// Made once: an event that is sent again is counted once.
  public var id: EventID
  /// What happened; names are compared without case.
  public var name: String
  /// More about it.
  public var parameters: [String: EventValue]
  /// When it happened, in milliseconds since 1970 by the device's clock: steps of a funnel follow each other closely.
  public var at: Int64
  /// Where the device was, if that is known.
  public var country: CountryCode?

  /// Makes an event.
  public init(
    id: EventID, name: String, parameters: [String: EventValue] = [:], at: Int64, country: CountryCode? = nil
  ) {
    self.id = id
    self.name = name
    self.parameters = parameters
    self.at = at
    self.country = country
  }
}

/// The id of an event.
public typealias EventID = WireID<EventMessage>
