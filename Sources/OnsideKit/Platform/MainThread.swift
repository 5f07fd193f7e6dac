import Dispatch
import Foundation

/// Whether code runs where the main actor does. On Linux that is not always the first thread: once the main function
/// waits, the main queue is served by others.
enum MainThread {
  private static let key = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  static var isCurrent: Bool { Thread.isMainThread || DispatchQueue.getSpecific(key: key) == true }
}
