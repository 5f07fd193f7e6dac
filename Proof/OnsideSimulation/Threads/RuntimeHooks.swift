import Foundation

/// The hooks of the Swift runtime through which a thread's jobs reach its ``JobList``.
///
/// The runtime has them for tools such as this one (`swift/Runtime/Concurrency.h`). On every thread that runs no
/// simulation they do what the runtime did before, so that simulations and other tests may share a process.
enum RuntimeHooks {
  private typealias Enqueue = @convention(thin) (UnownedJob) -> Void
  private typealias EnqueueHook = @convention(thin) (UnownedJob, Enqueue) -> Void
  private typealias MainExecutor = @convention(thin) () -> UnownedSerialExecutor
  private typealias MainExecutorHook = @convention(thin) (MainExecutor) -> UnownedSerialExecutor

  /// Puts the hooks in place, once for the process.
  static func install() { installed }

  private static let installed: Void = {
    let enqueue: EnqueueHook = { job, original in
      if let jobs = ThreadJobs.current { jobs.anywhere.enqueue(job) } else { original(job) }
    }
    let mainExecutor: MainExecutorHook = { original in
      ThreadJobs.current?.mainActor.asUnownedSerialExecutor() ?? original()
    }
    place("swift_task_enqueueGlobal_hook", hook: enqueue)
    place("swift_task_getMainExecutor_hook", hook: mainExecutor)
  }()

  private static func place<Hook>(_ name: String, hook: Hook) {
    guard let address = dlsym(dlopen(nil, RTLD_LAZY), name) else {
      preconditionFailure("expected \(name) in the Swift runtime; run the simulation with Swift 6.3")
    }
    address.assumingMemoryBound(to: Optional<Hook>.self).pointee = hook
  }
}

/// The jobs of the present thread, if it runs a simulation.
enum ThreadJobs {
  static var current: JobList.Executors? {
    get { pthread_getspecific(key).map { Unmanaged<JobList.Executors>.fromOpaque($0).takeUnretainedValue() } }
    set { pthread_setspecific(key, newValue.map { UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) }) }
  }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()
}
