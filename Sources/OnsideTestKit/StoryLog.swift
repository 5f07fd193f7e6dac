import Foundation
import Logging

/// Writes warnings and errors of the SDK into the story.
struct StoryLog: LogHandler {
  let story: Story
  let clock: TestClock
  let device: String?
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.warning

  static func logger(_ story: Story, clock: TestClock, device: String?) -> Logger {
    Logger(label: "onside") { _ in StoryLog(story: story, clock: clock, device: device) }
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    story.add(.log, of: nil, device: device, detail: "\(event.level): \(event.message)", at: clock.now)
  }
}
