import Foundation

/// What the program was told on its command line.
struct StoreAppArguments {
  static let help = """
    The store's own app: account, region, purchases and payment methods, and logins for other apps.

    usage: onside-storeapp [--store ADDRESS] [--storage FOLDER] [ADDRESS]
           onside-storeapp --register | --unregister [--store ADDRESS] [--storage FOLDER]

      ADDRESS           an onside:// address that another app or the desktop hands over
      --store ADDRESS   the store, https or on this machine (or ONSIDE_STORE_URL); kept for later starts
      --storage FOLDER  where the login is kept (default: onside-storeapp in XDG_DATA_HOME)
      --register        opens onside:// addresses with this program from now on, for this user
      --unregister      does so no more

    For demonstrations:
      --phone NUMBER    logs in by itself, with this number, and consents
      --codes FILE      reads the login code from what the store's console sender has written there
      --picture FILE    writes a picture of what it consents to (PNG)

    """

  private(set) var address: String?
  private(set) var store: String?
  private(set) var storage: String?
  private(set) var phone: String?
  private(set) var codes: String?
  private(set) var picture: String?
  private(set) var registers = false
  private(set) var unregisters = false
  private(set) var wantsHelp = false

  init(_ arguments: [String]) throws(StoreAppError) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--help", "-h": wantsHelp = true
      case "--register": registers = true
      case "--unregister": unregisters = true
      case "--store": store = try Self.value(of: argument, in: &rest)
      case "--storage": storage = try Self.value(of: argument, in: &rest)
      case "--phone": phone = try Self.value(of: argument, in: &rest)
      case "--codes": codes = try Self.value(of: argument, in: &rest)
      case "--picture": picture = try Self.value(of: argument, in: &rest)
      case _ where argument.hasPrefix("-") || address != nil:
        throw StoreAppError("did not expect \(argument.prefix(100))\n\n\(Self.help)")
      default: address = argument
      }
    }
  }

  private static func value(of option: String, in rest: inout ArraySlice<String>) throws(StoreAppError) -> String {
    guard let value = rest.popFirst(), !value.hasPrefix("--") else {
      throw StoreAppError("expected a value after \(option)")
    }
    return value
  }
}

/// What went wrong, what was expected, and what to do.
struct StoreAppError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
