"""A person with a browser: cookies, forms, redirects within the store."""
import html
import re
import urllib.parse


class Page:
    def __init__(self, target, answer):
        self.target = target
        self.status = answer.status
        self.location = answer.header("location")
        self.text = answer.text

    def form(self, *fields):
        """The form with one of these fields: its address, the hidden fields, and which field it was."""
        for opening, inside in re.findall(r"(?s)<form\b([^>]*)>(.*?)</form>", self.text):
            names = {_attribute("name", tag) for tag in re.findall(r"<(?:input|select|button)\b[^>]*>", inside)}
            for field in fields:
                if field in names:
                    hidden = re.findall(r'<input\b[^>]*type="hidden"[^>]*>', inside)
                    values = [(_attribute("name", tag), _attribute("value", tag)) for tag in hidden]
                    return _attribute("action", opening) or self.target, values, field
        return None


def _attribute(name, tag):
    found = re.search(rf'\b{name}="([^"]*)"', tag)
    return html.unescape(found.group(1)) if found else ""


class Person:
    """Pages are opened again and forms are sent again when no answer comes, as with the button of a browser."""

    def __init__(self, balancer):
        self._balancer = balancer
        self._cookies = {}

    async def open(self, target, accepts=()):
        return await self._load("GET", target, accepts=accepts)

    async def submit(self, form, value, accepts=()):
        action, values, field = form
        body = urllib.parse.urlencode([*values, (field, value)]).encode()
        return await self._load("POST", action, body, accepts)

    async def _load(self, method, target, body=b"", accepts=()):
        """Follows redirects, but for one that leaves the store: its page has a location."""
        for _ in range(10):
            headers = [("Cookie", "; ".join(f"{name}={value}" for name, value in self._cookies.items()))]
            if method == "POST":
                headers.append(("Content-Type", "application/x-www-form-urlencoded"))
            answer = await self._balancer.send(method, target, headers, body, accepts)
            for name, value in answer.headers:
                if name == "set-cookie":
                    key, _, content = value.split(";")[0].partition("=")
                    self._cookies[key] = content
            page = Page(target, answer)
            if not page.location or not page.location.startswith("/"):
                return page
            method, target, body = "GET", page.location, b""
        raise ValueError(f"{target} redirects without end")
