import Foundation
import Logging
import OnsideAPI

extension OnsideClient {
  /// Gets the attribution metadata: the page visit that led to this installation. The store is asked once, then the
  /// answer is kept on this device; calls at the same time share one request. It needs no login.
  /// - Parameter completion: called once, on the main actor. `refererUrl` is nil when no visit is known.
  public func getAttributionMetadata(
    completion: @escaping @MainActor (Result<OnsideAttributionMetadata, OnsideAttributionMetadataError>) -> Void
  ) {
    Task { completion(await metadata()) }
  }

  /// The attribution metadata: the async form. An addition to the published API.
  public func attributionMetadata() async throws(OnsideAttributionMetadataError) -> OnsideAttributionMetadata {
    try await metadata().get()
  }

  /// The identifier of this installation, a UUID in lower case. An addition to the published API.
  public func installationIdentifier() async -> String { await attribution.installation.id().description }

  private func metadata() async -> Result<OnsideAttributionMetadata, OnsideAttributionMetadataError> {
    do {
      let address = try await attribution.refererURL()
      return .success(OnsideAttributionMetadata(refererUrl: address.flatMap { URL(string: $0) }))
    } catch {
      if let detail = error.detail { dependencies.logger.error("Attribution failed: \(detail)") }
      return .failure(OnsideAttributionMetadataError(error))
    }
  }
}

extension OnsideAttributionMetadataError {
  /// The published case for what went wrong.
  init(_ error: StoreError) {
    switch error {
    case .connection, .notTheStore, .cancelled: self = .connectionError
    case .appNotRegistered, .notFound: self = .appNotRegistered
    case .serviceUnavailable: self = .serviceUnavailable
    case .refused, .storefrontChanged, .notSignedIn, .presentationFailed, .internalError: self = .internalError
    }
  }
}
