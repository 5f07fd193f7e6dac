import Foundation
import Testing

extension Program {
  /// Starts a store on a free port, and returns when it serves.
  ///
  /// - Parameter checkpoint: where it kills itself.
  func serve(
    _ options: [String] = [], environment: [String: String] = [:], killAt checkpoint: String? = nil
  ) async throws -> (program: ChildProgram, address: URL) {
    var environment = environment
    environment["ONSIDE_KILL_AT"] = checkpoint
    let program = try launch(["serve", "--port", "0"] + options, environment: environment)
    let line = try await program.line(after: "The store is open: ")
    return (program, try #require(line.flatMap { URL(string: $0) }, "\(program.errors)"))
  }

  /// Starts a shop's store, with a client of its account.
  func serve(
    _ shop: Shop, environment: [String: String] = [:], killAt checkpoint: String? = nil
  ) async throws -> (program: ChildProgram, client: StoreClient) {
    let (program, address) = try await serve(environment: environment, killAt: checkpoint)
    return (program, StoreClient(address: address, accessToken: shop.accessToken))
  }
}

extension ChildProgram {
  /// Stops a store as an operator does: its status has to be 0.
  func stopCleanly(sourceLocation: SourceLocation = #_sourceLocation) async {
    send(SIGTERM)
    await ended()
    #expect(status == 0, "\(errors)", sourceLocation: sourceLocation)
  }
}
