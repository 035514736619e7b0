"""A small OpenAI-compatible server on loopback that says what it is told to say."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, bytes]


def said(content: object) -> Answer:
    return 200, json.dumps({"choices": [{"message": {"content": content}}]}).encode()


@contextmanager
def serving(answer: Callable[[dict[str, Any], dict[str, str]], Answer]) -> Iterator[str]:
    """The address of a server whose answers come from a function of request and headers."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, content = answer(asked, dict(self.headers))
            self.send_response(status)
            if 300 <= status < 400:  # the content is where to go
                self.send_header("Location", content.decode())
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def do_GET(self) -> None:
            answer({}, dict(self.headers))
            self.send_response(404)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
