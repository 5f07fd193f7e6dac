/// The routes of one domain. They translate HTTP; a service decides.
public protocol RouteGroup: Sendable {
  /// Mounts every route of the group.
  func addRoutes(to routes: StoreRoutes)
}
