import Foundation

extension ConfigurationSources {
  /// What this process was started with.
  static var process: ConfigurationSources {
    let environment = ProcessInfo.processInfo.environment
    return ConfigurationSources(
      plist: (Bundle.main.infoDictionary ?? [:]).compactMapValues { $0 as? String },
      environment: environment, dataFolder: dataFolder(environment))
  }

  /// Application Support on Apple systems, else the XDG base directory for state.
  private static func dataFolder(_ environment: [String: String]) -> URL? {
    #if canImport(Darwin)
      return FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
    #else
      if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return URL(filePath: state) }
      return environment["HOME"].flatMap { home in
        home.hasPrefix("/") ? URL(filePath: home).appending(path: ".local/state") : nil
      }
    #endif
  }
}
