"""A page in pywebview (GTK) whose Python side answers with a storefront."""
import sys

import webview


class Api:
    def storefront(self):
        return {"id": "NLD", "countryCode": "NLD"}


webview.create_window("pywebview", sys.argv[1], js_api=Api())
webview.start(gui="gtk")
