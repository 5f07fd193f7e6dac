import Foundation

/// Names the build of the app that runs: by its version, where it has one, and by its executable file.
enum AppBuild {
  /// Another text for another build. Where nothing is known of the app, another one at each launch.
  static let current: String = {
    let info = Bundle.main.infoDictionary
    var words = ["CFBundleShortVersionString", "CFBundleVersion"].compactMap { info?[$0] as? String }
    if let path = Bundle.main.executableURL?.resolvingSymlinksInPath().path,
      let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    {
      let seconds = (attributes[.modificationDate] as? Date)?.timeIntervalSince1970
      words += [attributes[.size].map { "\($0)" }, seconds.map { "\(Int($0))" }].compactMap { $0 }
    }
    return words.isEmpty ? UUID().uuidString : words.joined(separator: "-")
  }()
}
