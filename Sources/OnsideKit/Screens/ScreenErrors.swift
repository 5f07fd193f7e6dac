import Logging

/// Shows a screen, with every way to fail as a store error.
func showing<Value: Sendable>(
  _ screen: OnsideScreen, logger: Logger, _ show: () async throws -> Value
) async throws(StoreError) -> Value {
  do {
    return try await show()
  } catch let error as StoreError {
    throw error
  } catch is CancellationError {
    throw .cancelled
  } catch {
    logger.error("expected to show the \(screen.rawValue) screen: \(error)")
    throw .presentationFailed
  }
}
