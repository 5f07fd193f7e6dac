import Foundation

/// The rights of a command that root runs.
///
/// The store's user may replace each file of its folders by a link. A lock, a log or a copy that root opened there
/// would give the user the file behind the link.
public enum RootPrivileges {
  /// Drops root's rights for good, if root runs the program and the database belongs to another user: the first owner
  /// other than root of the database file or of a folder above it. Files that are opened afterwards must be accessible
  /// for this user.
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

  /// Folders above a link of the database's name count, too.
  private static func owner(of path: String) -> uid_t? {
    let link = URL(filePath: path).absoluteURL.standardizedFileURL
    for start in [link.resolvingSymlinksInPath(), link] {
      var place = start
      while place.pathComponents.count > 1 {
        if let user = owner(ofItem: place.path(percentEncoded: false)), user != 0 { return user }
        place = place.deletingLastPathComponent()
      }
    }
    return nil
  }

  private static func owner(ofItem path: String) -> uid_t? {
    (try? FileManager.default.attributesOfItem(atPath: path)[.ownerAccountID] as? NSNumber)?.uint32Value
  }
}
