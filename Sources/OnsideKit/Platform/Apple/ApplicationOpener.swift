#if canImport(UIKit)
  public import Foundation
  import UIKit

  /// The apps of an Apple system. The app has to list `onside` in its `LSApplicationQueriesSchemes`.
  public struct ApplicationOpener: AppOpener {
    /// Opens through `UIApplication`.
    public init() {}

    /// Whether an app is installed for the address's scheme.
    public func canOpen(_ address: URL) async -> Bool {
      await MainActor.run { UIApplication.shared.canOpenURL(address) }
    }

    /// Opens the app.
    public func open(_ address: URL) async -> Bool {
      await UIApplication.shared.open(address, options: [:])
    }

    /// Yields each time this app comes back from the background; an address that opens it comes right behind.
    public func returns() async -> AsyncStream<Void> {
      AsyncStream { continuation in
        let task = Task { @MainActor in
          let observer = NotificationCenter.default.addObserver(
            forName: UIApplication.willEnterForegroundNotification, object: nil, queue: .main
          ) { _ in continuation.yield() }
          while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
          NotificationCenter.default.removeObserver(observer)
        }
        continuation.onTermination = { _ in task.cancel() }
      }
    }
  }
#endif
