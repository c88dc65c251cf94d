"""The service under load: many readers at once, and uploads at a fixed pace. `python -m benchmarks.serve [SECONDS [STATE]]`.

STATE is the database of the service, as its option `--state` has it. It starts a service of its own in a temporary folder, on a free port, and says how many answers there were, how long they took, and
whether one was an error.
"""

from __future__ import annotations

import asyncio
import io
import sys
import tempfile
import zipfile
from collections import Counter
from pathlib import Path
from statistics import quantiles
from time import perf_counter
from urllib.parse import urlsplit

import httpx

from tests.server.live import live_service

READERS = 200
UPLOADS_A_SECOND = 20
SECONDS = 15
DESCRIPTION = """\
name: load
parts:
  files:
    language: resources
    model:
      resources:
        etc: {kind: directory, fields: {path: etc}}
        motd: {kind: file, requires: [etc], fields: {path: etc/motd, content: hello}}
"""
MANIFEST = """\
Format: MuranoPL/1.3
Type: Application
FullName: org.example.load.N%d
Name: N%d
Description: A package
Author: Example
Classes:
  org.example.load.N%d: N.yaml
"""
CLASS = "Namespaces:\n  =: org.example.load\n  std: io.murano\nName: N%d\nExtends: std:Application\n"

Times = dict[str, list[float]]


def package(number: int) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as packed:
        packed.writestr("manifest.yaml", MANIFEST % (number, number, number))
        packed.writestr("Classes/N.yaml", CLASS % number)
        packed.writestr("LICENSE", "x\n")
        packed.writestr("logo.png", b"\x89PNG\r\n")
    return buffer.getvalue()


class Reader:
    """One connection that is kept open, and asks again and again. It does little, so that the service is what is measured."""

    def __init__(self, url: str, token: str) -> None:
        self._place = urlsplit(url)
        self._head = f"Host: {self._place.netloc}\r\nAuthorization: Bearer {token}\r\n\r\n"

    async def read(self, paths: list[str], until: float, times: Times, codes: Counter[int]) -> None:
        reader, writer = await asyncio.open_connection(self._place.hostname, self._place.port)
        while perf_counter() < until:
            for path in paths:
                began = perf_counter()
                writer.write(f"GET {path} HTTP/1.1\r\n{self._head}".encode())
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                length = int(head.partition(b"content-length: ")[2].partition(b"\r\n")[0])
                await reader.readexactly(length)
                times["read"].append(perf_counter() - began)
                codes[int(head.split(b" ", 2)[1])] += 1
        writer.close()


async def upload(client: httpx.AsyncClient, number: int, times: Times, codes: Counter[int]) -> None:
    began = perf_counter()
    answer = await client.post("/api/1/packages", content=package(number))
    times["upload"].append(perf_counter() - began)
    codes[answer.status_code] += 1


async def load(url: str, token: str, seconds: int) -> tuple[Times, Counter[int]]:
    times: Times = {"read": [], "upload": []}
    codes: Counter[int] = Counter()
    limits = httpx.Limits(max_connections=200)
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(base_url=url, headers=headers, limits=limits, timeout=60) as client:
        created = (await client.post("/api/1/environments", json={"name": "load"})).json()
        where = f"/api/1/environments/{created['id']}"
        await client.put(f"{where}/files/sabir.yaml", content=DESCRIPTION)
        await upload(client, 0, {"upload": []}, Counter())
        paths = [f"{where}/graph", "/api/1/packages", f"{where}/status", where]
        until = perf_counter() + seconds
        async with asyncio.TaskGroup() as tasks:
            for _ in range(READERS):
                tasks.create_task(Reader(url, token).read(paths, until, times, codes))
            for number in range(1, UPLOADS_A_SECOND * seconds + 1):
                tasks.create_task(upload(client, number, times, codes))
                await asyncio.sleep(max(0.0, until - seconds + number / UPLOADS_A_SECOND - perf_counter()))
    return times, codes


def main(seconds: int, state: str | None) -> int:
    options = ["--requests-a-minute", "10000000", *([] if state is None else ["--state", state])]
    with tempfile.TemporaryDirectory() as folder, live_service(Path(folder), *options) as service:
        times, codes = asyncio.run(load(service.url, service.token, seconds))
    for kind, each in times.items():
        cut = quantiles(each, n=100)
        print(
            f"{kind}: {len(each)} answers, {len(each) / seconds:.0f} a second, "
            f"median {cut[49] * 1000:.0f} ms, 95 % {cut[94] * 1000:.0f} ms, longest {max(each) * 1000:.0f} ms"
        )
    print("status:", ", ".join(f"{code} {count} times" for code, count in sorted(codes.items())))
    return int(any(code >= 400 for code in codes))


if __name__ == "__main__":
    asked = dict(enumerate(sys.argv))
    sys.exit(main(int(asked.get(1, SECONDS)), asked.get(2)))
