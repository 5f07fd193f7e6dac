import Foundation
import OnsideKit

/// The store's pages open in the system's browser; where there is none, the terminal says where they are.
enum DevScreens {
  static var presenter: some ScreenPresenter {
    SystemBrowserPresenter(sleep: { try await Task.sleep(for: .seconds($0)) }) { page in
      if await SystemBrowserPresenter.open(page) { return true }
      print("No browser could be opened here. Open this page in one on this machine:\n  \(page.absoluteString)")
      fflush(nil)
      return true
    }
  }
}
