/// What an installation asks ``Route/attribution``: where did I come from?
public struct AttributionRequest: Hashable, Sendable, Codable {
  /// The installation: made once by the SDK, kept as long as its storage folder.
  public var installationID: InstallationID
  /// The system that it runs on: `linux`, `macos`, `ios`, `android` or `windows`; anything else counts as another one.
  public var platform: String
  /// The one-time token that the landing page handed to the install; nil without one.
  public var claim: String?

  enum CodingKeys: String, CodingKey {
    case platform, claim
    case installationID = "installation_id"
  }

  /// Makes a request.
  public init(installationID: InstallationID, platform: String, claim: String? = nil) {
    self.installationID = installationID
    self.platform = platform
    self.claim = claim
  }
}

/// The answer of ``Route/attribution``.
public struct AttributionMessage: Hashable, Sendable, Codable {
  /// The full address of the visit that led to the installation, query included; nil when none is known.
  public var refererURL: String?

  enum CodingKeys: String, CodingKey {
    case refererURL = "referer_url"
  }

  /// Makes an answer.
  public init(refererURL: String? = nil) { self.refererURL = refererURL }
}

/// The id of an installation of an app on a device.
public typealias InstallationID = WireID<AttributionRequest>
