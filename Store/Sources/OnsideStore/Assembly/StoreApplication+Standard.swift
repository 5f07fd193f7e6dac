extension StoreApplication {
  /// The store with everything that it has.
  public static func standard(_ core: StoreCore) -> StoreApplication {
    let pages = HostedPages(core: core)
    return StoreApplication(
      core: core, groups: [ProblemRoutes()] + pages.groups, services: pages.services, problemPage: pages.problemPage)
  }
}
