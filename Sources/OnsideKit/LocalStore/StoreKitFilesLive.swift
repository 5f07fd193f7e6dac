import Foundation

extension StoreKitFiles {
  /// What this process was started with.
  static var process: StoreKitFiles {
    let sources = ConfigurationSources.process
    let environment = sources.environment
    let named = environment["ONSIDE_STOREKIT_FOLDER"].flatMap { $0.isEmpty ? nil : URL(filePath: $0) }
    let current = URL(filePath: FileManager.default.currentDirectoryPath, directoryHint: .isDirectory)
    let app =
      sources.find(.appIdentifier, given: nil)?.value ?? Bundle.main.bundleIdentifier
      ?? ProcessInfo.processInfo.processName
    return StoreKitFiles(
      folders: [named, Bundle.main.resourceURL, current].compactMap(\.self),
      dataFolder: try? sources.folder(given: nil, app: app),
      bundle: Bundle.main.bundleIdentifier.map { _ in Bundle.main.bundleURL })
  }
}
