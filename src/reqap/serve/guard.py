"""Who may speak to the page: this machine's own browser, with the token of this start.

Other sites that a browser visits can send requests to 127.0.0.1, too: by another host name that
points here (DNS rebinding), or from their own pages. Both are refused.

Browsers know cookies by host and path, not by port: they would send ours to any other server on
this machine that the user opens, and any program here can be one. Therefore all pages lie below a
path that is made up anew at every start, and the cookie is for that path only.
"""

import hmac
import secrets
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    " connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_NO_TOKEN = (
    "This page opens with the address that `reqap serve` printed: it has a token that only you"
    " have. Please use that one.\n"
)


def new_token() -> str:
    return secrets.token_urlsafe(24)


class Tokens:
    """What opens the page: the printed one, another one a single time, and then the cookie.

    `root` is the path below which the pages lie. The cookie's name is new at every start, too, so
    that no other server can put one of its own in its place.
    """

    def __init__(self, printed: str, once: str = "") -> None:
        self._printed, self._once = printed, once
        self.cookie, self.root = new_token(), f"/{secrets.token_urlsafe(12)}"
        self.name = f"reqap-{secrets.token_hex(4)}"

    def opens(self, given: str) -> bool:
        if self._once and _same(given, self._once):
            self._once = ""
            return True
        return _same(given, self._printed)


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode(), other.encode())


class Guard:
    """Lets through what comes from the page itself."""

    def __init__(self, app: ASGIApp, tokens: Tokens, hosts: frozenset[str]) -> None:
        self._app, self._tokens, self._hosts = app, tokens, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        refusal = self._refusal(request)
        if refusal is not None:
            await PlainTextResponse(refusal, 403, headers=_HEADERS)(scope, receive, send)
        elif request.url.path == self._tokens.root:  # as some type it
            slash = RedirectResponse(f"{self._tokens.root}/", 303, headers=_HEADERS)
            await slash(scope, receive, send)
        elif "token" in request.query_params and request.url.path == "/":
            tokens = self._tokens
            answer = RedirectResponse(f"{tokens.root}/", 303, headers=_HEADERS)
            answer.set_cookie(
                tokens.name, tokens.cookie, httponly=True, samesite="strict", path=f"{tokens.root}/"
            )
            await answer(scope, receive, send)
        else:
            inner = {**scope, "path": request.url.path.removeprefix(self._tokens.root)}
            await self._app(inner, receive, self._with_headers(send))

    def _refusal(self, request: Request) -> str | None:
        headers = request.headers
        if headers.get("host", "").lower() not in self._hosts:
            return "This host name is not served here.\n"
        if not self._is_own(headers):
            return "Requests from other pages are refused.\n"
        if request.url.path == "/" and "token" in request.query_params:
            return None if self._tokens.opens(request.query_params["token"]) else _NO_TOKEN
        if request.url.path == self._tokens.root:
            return None
        is_below = request.url.path.startswith(f"{self._tokens.root}/")
        given = request.cookies.get(self._tokens.name, "")
        if not is_below or not _same(given, self._tokens.cookie):
            return _NO_TOKEN
        return None

    def _is_own(self, headers: Headers) -> bool:
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc.lower() not in self._hosts:
            return False
        return headers.get("sec-fetch-site", "none") in ("none", "same-origin")

    def _with_headers(self, send: Send) -> Send:
        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
            await send(message)

        return sending
