import Foundation

/// The user as whom a command of root works: the owner of the database, or of a folder that leads to it.
///
/// This user may replace each file of its folders by a link. A lock, a log or a copy that root opened there would give
/// the user the file behind the link.
public enum DatabaseOwner {
  /// Gives up root's rights for good, if root runs the program and the database belongs to another user. Files that
  /// are opened afterwards have to be accessible for that user, whose name is returned.
  ///
  /// - Parameter path: the database file, which need not be there.
  @discardableResult
  public static func assume(ofDatabase path: String) throws(FileError) -> String? {
    guard geteuid() == 0, let user = owner(ofDatabase: path) else { return nil }
    let entry = getpwuid(user)?.pointee
    let (name, group) = (entry.map { String(cString: $0.pw_name) } ?? "\(user)", entry?.pw_gid ?? user)
    let hasGroups = entry == nil ? setgroups(0, nil) == 0 : initgroups(name, group) == 0
    guard hasGroups, setgid(group) == 0, setuid(user) == 0, setuid(0) != 0 else {
      throw FileError(path: path, reason: "cannot work as its owner, the user \(name)")
    }
    return name
  }

  /// The first owner that is not root of the database, the folders that lead to it, and those that lead to a link of
  /// its name.
  private static func owner(ofDatabase path: String) -> uid_t? {
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
