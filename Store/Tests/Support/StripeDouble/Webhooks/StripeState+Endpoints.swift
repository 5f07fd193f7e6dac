import Foundation

extension StripeState {
  mutating func endpoint(_ request: StripeRequest) throws(Refusal) -> JSON {
    let (form, path) = (request.form, request.path)
    switch (request.method, path.count) {
    case ("POST", 1):
      try form.allow(["url", "enabled_events", "api_version", "description", "metadata"])
      let endpoint = addEndpoint(url: try form.required("url"), events: try form.list("enabled_events"))
      return endpoint.json(isLive: isLive, version: Self.version, showsSecret: true)
    case ("GET", 1):
      try form.allow(Self.listParameters)
      return try list(endpoints.newest, form: form, url: "webhook_endpoints", id: \.id) {
        $0.json(isLive: isLive, version: Self.version, showsSecret: false)
      }
    case ("GET", 2):
      guard let endpoint = endpoints[path[1]] else { throw .missing("webhook endpoint", id: path[1]) }
      return endpoint.json(isLive: isLive, version: Self.version, showsSecret: false)
    case ("DELETE", 2):
      guard endpoints[path[1]] != nil else { throw .missing("webhook endpoint", id: path[1]) }
      endpoints[path[1]] = nil
      deliveries.removeAll { $0.endpoint == path[1] }
      return ["id": .text(path[1]), "object": "webhook_endpoint", "deleted": true]
    default: throw unknown(request)
    }
  }

  mutating func addEndpoint(url: String, events: [String]) -> WebhookEndpoint {
    let endpoint = WebhookEndpoint(
      id: id("we"), created: now, url: url, events: events, secrets: [.init(value: id("whsec"))])
    endpoints[endpoint.id] = endpoint
    return endpoint
  }

  /// Gives an endpoint another secret; the old one is used beside it for some hours.
  mutating func rollSecret(of id: String, keepingOldFor seconds: Double) -> String? {
    guard var endpoint = endpoints[id] else { return nil }
    let fresh = self.id("whsec")
    endpoint.secrets = [.init(value: fresh)] + endpoint.secrets.map { .init(value: $0.value, end: now + seconds) }
    endpoints[id] = endpoint
    return fresh
  }
}
