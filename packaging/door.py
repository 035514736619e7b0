"""Passes connections on to the page of a container that has no way out: door.py PORT HOST:PORT.

It looks at nothing and changes nothing: who may see the page is decided there.
"""

import asyncio
import sys
from contextlib import suppress

_PART = 64 * 1024


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):  # the other side is gone
        while part := await reader.read(_PART):
            writer.write(part)
            await writer.drain()
        writer.write_eof()


async def serve(port: int, host: str, other: int) -> None:
    async def opened(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            inner_reader, inner_writer = await asyncio.open_connection(host, other)
        except OSError:  # not up yet
            writer.close()
            return
        try:
            await asyncio.gather(_pass_on(reader, inner_writer), _pass_on(inner_reader, writer))
        finally:
            inner_writer.close()
            writer.close()

    server = await asyncio.start_server(opened, "0.0.0.0", port)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    target, _, number = sys.argv[2].rpartition(":")
    asyncio.run(serve(int(sys.argv[1]), target, int(number)))
