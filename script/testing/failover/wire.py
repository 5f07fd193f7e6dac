"""HTTP/1.1 over one connection that is kept, and the errors after which a device tries again."""
import asyncio
import contextlib

# Longer than a store may take for anything: its own deadlines have to end first.
DEADLINE = 40


class Lost(Exception):
    """No whole answer came: what the store did is unknown."""


class Answer:
    def __init__(self, status, headers, body):
        self.status = status
        self.headers = headers
        self.body = body

    def header(self, name):
        return next((value for key, value in self.headers if key == name), None)

    @property
    def text(self):
        return self.body.decode("utf-8", "replace")


class Wire:
    """A connection to one port of this machine, opened when it is needed."""

    def __init__(self, port):
        self._port = port
        self._reader = self._writer = None

    async def send(self, method, target, headers, body=b""):
        try:
            async with asyncio.timeout(DEADLINE):
                if not self._writer:
                    self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
                lines = [f"{method} {target} HTTP/1.1", f"Host: 127.0.0.1:{self._port}",
                         *(f"{name}: {value}" for name, value in headers)]
                if method == "POST":
                    lines.append(f"Content-Length: {len(body)}")
                self._writer.write("\r\n".join([*lines, "", ""]).encode() + body)
                await self._writer.drain()
                return await self._read()
        except TimeoutError:
            self.close()
            raise Lost(f"no answer in {DEADLINE} s") from None
        except (OSError, EOFError, ValueError) as error:
            self.close()
            raise Lost(type(error).__name__) from None

    async def _read(self):
        status = int((await self._line()).split()[1])
        headers = []
        while line := await self._line():
            name, _, value = line.partition(":")
            headers.append((name.lower(), value.strip()))
        answer = Answer(status, headers, b"")
        if answer.header("transfer-encoding") == "chunked":
            answer.body = await self._chunks()
        else:
            answer.body = await self._reader.readexactly(int(answer.header("content-length") or 0))
        if answer.header("connection") == "close":
            self.close()
        return answer

    async def _chunks(self):
        body = b""
        while size := int(await self._line(), 16):
            body += (await self._reader.readexactly(size + 2))[:-2]
        await self._line()
        return body

    async def _line(self):
        line = await self._reader.readline()
        if not line.endswith(b"\n"):
            raise EOFError
        return line.decode("latin-1").rstrip("\r\n")

    def close(self):
        if self._writer:
            with contextlib.suppress(OSError):
                self._writer.close()
        self._reader = self._writer = None
