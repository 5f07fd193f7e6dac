/// Marks the writes of a task as background work: no request waits for them.
package enum WritePriority {
  /// True for what the store does by itself, such as renewals and deliveries of the outbox: purchases, logins and pages
  /// do not wait for many of its writes at once.
  @TaskLocal package static var isBackground = false
}
