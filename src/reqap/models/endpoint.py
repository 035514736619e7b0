"""A language model behind an OpenAI-compatible endpoint: a local server, or somebody's cloud.

Used only where the user names one. The key comes from the environment and is shown nowhere. What
comes back is text, and stays text: it is never run.
"""

import http.client
import json
import os
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from reqap.errors import ReqapError
from reqap.models.base import Message

KEYS = ("REQAP_LLM_KEY", "OPENAI_API_KEY")
_ANSWER_BYTES = 4_000_000
_AGAIN = frozenset({408, 429, 500, 502, 503, 504})


class EndpointProblem(ReqapError):
    """The endpoint is down, refuses, or answers something else than was agreed."""


def system(content: str) -> Message:
    return {"role": "system", "content": content}


def user(content: str) -> Message:
    return {"role": "user", "content": content}


@dataclass(frozen=True)
class Endpoint:
    """Where to ask, and how patiently."""

    url: str
    model: str
    timeout: float = 60.0
    tries: int = 4
    wait: float = 1.0
    sleep: Callable[[float], None] = field(default=time.sleep, repr=False)

    def __post_init__(self) -> None:
        try:
            parts = urlsplit(self.url)
            usable = parts.scheme in ("http", "https") and bool(parts.hostname)
        except ValueError:  # a bracket that is not closed
            usable = False
        if not usable or any(char.isspace() for char in self.url):
            raise EndpointProblem(
                f"{self.url!r} is not the address of an endpoint; one looks like"
                " http://127.0.0.1:8080/v1"
            )

    def chat(
        self,
        messages: Sequence[Message],
        *,
        temperature: float = 0.0,
        max_tokens: int = 512,
        stop: Sequence[str] = (),
        seed: int | None = None,
    ) -> str:
        """What the model answers; waits longer and longer where the server is busy."""
        asked: dict[str, Any] = {
            "model": self.model,
            "messages": list(messages),
            "temperature": temperature,
            "max_tokens": max_tokens,
        }
        if stop:
            asked["stop"] = list(stop)
        if seed is not None:
            asked["seed"] = seed
        return _content(self._post(asked), self.url)

    def _post(self, asked: dict[str, Any]) -> object:
        request = urllib.request.Request(
            f"{self.url.rstrip('/')}/chat/completions",
            json.dumps(asked).encode(),
            {"Content-Type": "application/json", **_authorization()},
        )
        told = ""
        for attempt in range(self.tries):
            if attempt:
                self.sleep(self.wait * 2 ** (attempt - 1))
            try:
                with _OPENER.open(request, timeout=self.timeout) as answer:
                    content = answer.read(_ANSWER_BYTES + 1)
            except urllib.error.HTTPError as error:
                told = (
                    f"the server at {self.url} does not let the model {self.model!r} answer: it"
                    f" says {error.code} {error.reason}{_said(error)}. Are address and name right?"
                    f" A key is read from ${KEYS[0]}."
                )
                if error.code not in _AGAIN:
                    break
            except TimeoutError:
                told = self._unreached(f"no answer within {self.timeout:g} s")
            except (urllib.error.URLError, http.client.HTTPException, OSError) as error:
                why = getattr(error, "reason", None) or error or type(error).__name__
                told = self._unreached(str(why))
            else:
                if len(content) > _ANSWER_BYTES:
                    raise EndpointProblem(f"{self.url} sends more than an answer")
                try:
                    return json.loads(content)
                except (ValueError, RecursionError):
                    raise EndpointProblem(f"{self.url} does not answer in JSON") from None
        raise EndpointProblem(told)

    def _unreached(self, why: str) -> str:
        return f"{self.url} cannot be reached: {why}. Is the server running?"


class _Stays(urllib.request.HTTPRedirectHandler):
    """Goes nowhere else: neither the key nor the question is for another server."""

    def redirect_request(self, *_: object) -> None:
        return None


_OPENER = urllib.request.build_opener(_Stays)


def _authorization() -> dict[str, str]:
    name = next((name for name in KEYS if os.environ.get(name)), None)
    if name is None:
        return {}
    key = os.environ[name].strip()
    if not (key.isascii() and key.isprintable()):
        raise EndpointProblem(f"what stands in ${name} is no key")
    return {"Authorization": f"Bearer {key}"}


def _said(error: urllib.error.HTTPError) -> str:
    """The server's own words, shortened."""
    try:
        words = error.read(2_000).decode("utf-8", "replace")
    except (OSError, http.client.HTTPException):
        return ""
    try:
        told = json.loads(words)
        words = str(told["error"]["message"])
    except (ValueError, KeyError, TypeError):
        pass
    return f" ({' '.join(words.split())[:200]})" if words.strip() else ""


def _content(answer: object, url: str) -> str:
    try:
        content = answer["choices"][0]["message"]["content"]  # type: ignore[index]
    except (KeyError, IndexError, TypeError):
        content = None
    if not isinstance(content, str):
        raise EndpointProblem(f"{url} does not answer as an OpenAI-compatible server does")
    return content
