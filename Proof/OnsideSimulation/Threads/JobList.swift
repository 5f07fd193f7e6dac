import Foundation
import Synchronization

/// The jobs of all tasks that one thread runs, main actor included, in the order in which they came.
///
/// Swift gives no guarantee about the order in which tasks run. A simulation needs one, so it takes over the two places
/// at which the runtime hands out jobs (see ``RuntimeHooks``) for jobs that come up on its thread, and runs them here.
/// Everything that a simulation starts stays on its thread, since nothing in it waits for the outside.
final class JobList: Sendable {
  /// What a job runs on.
  private enum Lane {
    case mainActor
    case anywhere
  }

  private struct State {
    var jobs: [(job: UnownedJob, lane: Lane)] = []
    var next = 0
    var idle: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())
  private let thread = pthread_self()
  private let strayed = Mutex(0)

  /// How many jobs came from other threads: then order, and with it the simulation, means nothing.
  var strays: Int { strayed.withLock { $0 } }

  /// Runs `body` on the main actor of this thread, and everything that comes of it, until nothing is left to run.
  func run(_ body: @escaping @MainActor @Sendable () async -> Void) {
    let executors = Executors(self)
    RuntimeHooks.install()
    withExtendedLifetime(executors) {
      ThreadJobs.current = executors
      Task { @MainActor in await body() }
      while let (job, lane) = takeNext() {
        switch lane {
        case .mainActor: job.runSynchronously(on: executors.mainActor.asUnownedSerialExecutor())
        case .anywhere: job.runSynchronously(on: executors.anywhere.asUnownedTaskExecutor())
        }
      }
      ThreadJobs.current = nil
    }
  }

  /// Returns when all other jobs have run.
  @MainActor func rest() async {
    await withCheckedContinuation { continuation in state.withLock { $0.idle = continuation } }
  }

  private func takeNext() -> (job: UnownedJob, lane: Lane)? {
    if let next = take() { return next }
    let idle = state.withLock { state in
      defer { state.idle = nil }
      return state.idle
    }
    idle?.resume()
    return take()
  }

  private func take() -> (job: UnownedJob, lane: Lane)? {
    state.withLock { state in
      guard state.next < state.jobs.count else {
        state.jobs.removeAll(keepingCapacity: true)
        state.next = 0
        return nil
      }
      defer { state.next += 1 }
      return state.jobs[state.next]
    }
  }

  private func add(_ job: UnownedJob, to lane: Lane) {
    if pthread_equal(pthread_self(), thread) == 0 { strayed.withLock { $0 += 1 } }
    state.withLock { $0.jobs.append((job, lane)) }
  }

  /// The executors that the runtime sees.
  final class Executors: Sendable {
    let mainActor: MainActorLane
    let anywhere: AnywhereLane

    init(_ jobs: JobList) {
      mainActor = MainActorLane(jobs: jobs)
      anywhere = AnywhereLane(jobs: jobs)
    }
  }

  final class MainActorLane: SerialExecutor {
    private let jobs: JobList
    init(jobs: JobList) { self.jobs = jobs }
    func enqueue(_ job: consuming ExecutorJob) { jobs.add(UnownedJob(job), to: .mainActor) }
  }

  final class AnywhereLane: TaskExecutor {
    private let jobs: JobList
    init(jobs: JobList) { self.jobs = jobs }
    func enqueue(_ job: consuming ExecutorJob) { enqueue(UnownedJob(job)) }
    func enqueue(_ job: UnownedJob) { jobs.add(job, to: .anywhere) }
  }
}
