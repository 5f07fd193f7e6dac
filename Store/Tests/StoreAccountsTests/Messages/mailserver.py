# A real mail server (aiosmtpd) for tests. Arguments: certificate, key, "starttls" | "tls" | "none".
# Prints its port, then each message that it takes as a line of JSON.
import asyncio
import json
import ssl
import sys

from aiosmtpd.smtp import SMTP, AuthResult


class Handler:
    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith("gone"):
            return "550 no such mailbox " + address
        if address.startswith("full"):
            return "452 mailbox full " + address
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        print(
            json.dumps(
                {
                    "from": envelope.mail_from,
                    "to": envelope.rcpt_tos[0],
                    "tls": "yes" if session.ssl is not None or sys.argv[3] == "tls" else "no",
                    "user": (session.auth_data.login.decode() if session.auth_data else ""),
                    "content": envelope.content.decode(),
                }
            ),
            flush=True,
        )
        if envelope.rcpt_tos[0].startswith("hangup"):
            server.transport.abort()
        return "250 taken"


def authenticate(server, session, envelope, mechanism, data):
    known = data.login == b"codes" and data.password == b"s3cret"
    return AuthResult(success=known, handled=False, auth_data=data)


async def main():
    certificate, key, security = sys.argv[1:4]
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)

    def protocol():
        return SMTP(
            Handler(),
            hostname="localhost",
            authenticator=authenticate,
            auth_require_tls=security == "starttls",
            tls_context=context if security == "starttls" else None,
            require_starttls=security == "starttls",
            loop=asyncio.get_event_loop(),
        )

    server = await asyncio.get_event_loop().create_server(
        protocol, "127.0.0.1", 0, ssl=context if security == "tls" else None
    )
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main())
