"""A page in Qt WebEngine whose Python side answers with a storefront over QWebChannel."""
import sys

from PyQt5.QtCore import QObject, QUrl, pyqtSlot
from PyQt5.QtWebChannel import QWebChannel
from PyQt5.QtWebEngineWidgets import QWebEngineView
from PyQt5.QtWidgets import QApplication


class Bench(QObject):
    @pyqtSlot(result="QVariant")
    def storefront(self):
        return {"id": "NLD", "countryCode": "NLD"}


app = QApplication(sys.argv[:1])
view = QWebEngineView()
bench = Bench()
channel = QWebChannel()
channel.registerObject("bench", bench)
view.page().setWebChannel(channel)
view.load(QUrl(sys.argv[1]))
view.show()
app.exec()
