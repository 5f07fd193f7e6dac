import Foundation

/// The rights of a command that root runs.
///
/// The store's user may replace each file of its folders by a link. A lock, a log or a copy that root opened there
/// would give the user the file behind the link.
public enum RootPrivileges {
  /// Drops root's rights for good, if root runs the program and the database belongs to another user: the first owner
  /// other than root of the database file and its folder. Files that are opened afterwards must be accessible for this
  /// user.
  ///
  /// - Parameter path: the database file, which need not be there.
  public static func drop(toOwnerOf path: String) throws(FileError) {
    guard geteuid() == 0, let user = owner(of: path) else { return }
    let entry = getpwuid(user)?.pointee
    let (name, group) = (entry.map { String(cString: $0.pw_name) } ?? "\(user)", entry?.pw_gid ?? user)
    let hasGroups = entry == nil ? setgroups(0, nil) == 0 : initgroups(name, group) == 0
    guard hasGroups, setgid(group) == 0, setuid(user) == 0, setuid(0) != 0 else {
      throw FileError(path: path, reason: "cannot work as its owner, the user \(name)")
    }
  }

  /// The owner other than root of the database file, its folder, or the folder of a link to the file.
  private static func owner(of path: String) -> uid_t? {
    let link = URL(filePath: path).absoluteURL
    let file = link.resolvingSymlinksInPath()
    let places = [
      file, file.deletingLastPathComponent(), link.deletingLastPathComponent().resolvingSymlinksInPath(),
    ]
    return places.lazy.compactMap { owner(ofItem: $0.path(percentEncoded: false)) }.first { $0 != 0 }
  }

  private static func owner(ofItem path: String) -> uid_t? {
    (try? FileManager.default.attributesOfItem(atPath: path)[.ownerAccountID] as? NSNumber)?.uint32Value
  }
}
