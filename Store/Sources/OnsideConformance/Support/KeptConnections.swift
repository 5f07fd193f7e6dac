import NIOCore
import Synchronization

/// The connections that a network keeps open after an answer, until a fault is planned: a client repeats by itself what
/// got no answer on a connection that has served before, and the device would notice no fault.
final class KeptConnections: Sendable {
  private struct State {
    var idle: [ObjectIdentifier: any Channel] = [:]
    var generation = 0
  }

  private let state = Mutex(State())

  /// How often all were closed.
  var generation: Int { state.withLock(\.generation) }

  /// Keeps a connection whose request is answered; false when all were closed since the generation.
  func keep(_ channel: any Channel, since generation: Int) -> Bool {
    state.withLock { state in
      guard state.generation == generation else { return false }
      state.idle[ObjectIdentifier(channel)] = channel
      return true
    }
  }

  /// Takes a connection on which the next request has come; false when it was closed meanwhile: the client then sends
  /// the request on another one.
  func take(_ channel: any Channel) -> Bool {
    state.withLock { $0.idle.removeValue(forKey: ObjectIdentifier(channel)) } != nil
  }

  /// Closes those on which no request is.
  func closeAll() {
    let idle = state.withLock { state in
      state.generation += 1
      defer { state.idle = [:] }
      return Array(state.idle.values)
    }
    for channel in idle { channel.close(promise: nil) }
  }
}
