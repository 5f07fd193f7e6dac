extension StoreApplication {
  /// The store with everything that it has.
  public static func standard(_ core: StoreCore) -> StoreApplication {
    HostedPages(core: core).application(adding: [ProblemRoutes()])
  }
}
