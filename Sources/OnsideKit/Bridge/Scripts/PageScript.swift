/// The JavaScript of the page's side: it puts `window.onside` into the page.
///
/// Everything that it needs later it takes at document start, before any script of the page runs, and it uses no method
/// that a page could replace: loops over indices instead of iterators, and objects that own their methods. A lone call
/// is as quick as the way to native code lets it be, so it makes few objects.
enum PageScript {
  /// `(connect, functions, plain, optional, fireAndForget, callbacks) => void`; see ``BridgeScript/page(connection:)``
  /// for `connect`. `plain` names the functions without parameters, `optional` those whose parameter is optional,
  /// `fireAndForget` those that return `undefined`.
  static let facade = String(embedded: PackageResources.page_js)
}
