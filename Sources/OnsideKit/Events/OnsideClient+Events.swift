import Foundation
import Logging
import OnsideAPI
import OnsideCommerce

extension OnsideClient {
  /// Reports an analytics event with any name.
  ///
  /// It never fails: what breaks the rules of names and values is changed or dropped, and logged once per name. The
  /// event is kept over restarts and sent as soon as the store can be reached. It needs no login.
  public func trackEvent(_ name: String, parameters: [String: OnsideEventValue] = [:]) {
    let verdict = EventRules.apply(name: name, parameters: parameters.mapValues(\.wire))
    if !verdict.notes.isEmpty, eventNotes.isFirst(name) {
      dependencies.logger.warning("An event was not as expected: \(verdict.notes.joined(separator: "; "))")
    }
    guard let name = verdict.name else { return }
    dependencies.logger.debug("event \(name)", metadata: ["parameters": "\(verdict.parameters.count)"])
    let now = dependencies.now()
    events?.add(
      EventMessage(
        id: EventID(UUID.version7(at: now, random: dependencies.randomBytes(10))), name: name,
        parameters: verdict.parameters, at: eventTimes.next(Int64((now.timeIntervalSince1970 * 1000).rounded())),
        country: account.signedIn?.country ?? dependencies.systemRegion().flatMap { CountryCode(hint: $0) }))
  }

  /// Reports an analytics event with a predefined name.
  public func trackEvent(_ name: OnsideEventName, parameters: [String: OnsideEventValue] = [:]) {
    trackEvent(name.rawValue, parameters: parameters)
  }
}

/// Gives each event a timestamp of its own, so that events within one millisecond keep their order.
struct EventTimes {
  private var last = Int64.min
  /// How far a burst may run ahead of the clock, in milliseconds; a clock that was set back further is followed.
  private static let lead: Int64 = 1000

  /// The time of an event that happens at `now`, in milliseconds.
  mutating func next(_ now: Int64) -> Int64 {
    last = now <= last && last - now < Self.lead ? last + 1 : now
    return last
  }
}

/// The event names that a warning was logged for.
struct EventNotes {
  private var names: Set<String> = []
  private static let limit = 1000

  /// True the first time that a name is passed; always false once there have been 1,000 names.
  mutating func isFirst(_ name: String) -> Bool {
    names.count < Self.limit && names.insert(String(name.prefix(100))).inserted
  }
}
