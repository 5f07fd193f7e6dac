import CWebKitGTK
import Foundation

extension GTKActor {
  /// Declares the calling thread, the process's first, to be GTK's. Call it once in a synchronous `main`, after
  /// `gtk_init` and before the app runs its loop. From then on that loop also serves the main actor and
  /// `DispatchQueue.main`.
  ///
  /// A `Timer` on `RunLoop.main` does not fire there, since no thread runs that loop.
  @MainActor
  public static func adoptMainLoop() {
    GTKExecutor.shared.adopt()
    g_unix_fd_add_full(
      G_PRIORITY_DEFAULT, mainQueueHandle(), G_IO_IN,
      { descriptor, _, _ in
        var count: UInt64 = 0
        _ = read(descriptor, &count, MemoryLayout.size(ofValue: count))
        drainMainQueue(nil)
        return 1
      }, nil, nil)
  }
}

// Dispatch wakes Foundation's own run loop by these; they are exported, and have no header.
@_silgen_name("_dispatch_get_main_queue_handle_4CF")
private func mainQueueHandle() -> Int32
@_silgen_name("_dispatch_main_queue_callback_4CF")
private func drainMainQueue(_ message: UnsafeMutableRawPointer?)
