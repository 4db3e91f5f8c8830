# SPDX-License-Identifier: Apache-2.0
"""How ranks of `world` send messages without MPI: over sockets, or by a process group of torch.distributed.

A connection has ``rank``, ``size``, ``on_host`` (how many ranks share this machine), ``close()``, and
``exchange(purpose, sent, received)``: lists of (rank, memoryview), at most one message to and from each other rank.
"""

from __future__ import annotations

import selectors
import socket
import struct
import time
import zlib
from typing import Any

_HEAD = struct.Struct("!HQ")  # the lengths of the purpose and of the message
_GREETING = struct.Struct("!4sIIHH")  # a mark, size, rank, the port that it listens at, the length of its host's name
_MARK = b"evly"


class sockets:
    """A connection to each other rank. Rank 0 listens at ``address``, "host:port", and tells where all ranks are."""

    def __init__(self, rank: int, size: int, address: str, wait_seconds: float):
        self.rank, self.size, self._wait = rank, size, wait_seconds
        self._to: dict[int, socket.socket] = {}
        host, _, port = address.rpartition(":")
        name = socket.gethostname().encode()
        limit = time.monotonic() + wait_seconds
        try:
            with socket.create_server(("", int(port) if rank == 0 else 0), backlog=size) as mine:
                mine.settimeout(1)
                if rank == 0:
                    self._accept(mine, size - 1, limit, table := {0: (host, int(port), name.decode())})
                    packed = repr(table).encode()
                    for each in self._to.values():
                        each.sendall(struct.pack("!I", len(packed)) + packed)
                else:
                    self._join(0, host, int(port), mine, name, limit)
                    table = self._table(self._to[0])
                    for other in range(1, rank):
                        self._join(other, table[other][0], table[other][1], mine, name, limit)
                    self._accept(mine, size - 1 - rank, limit, {})
        except BaseException:
            self.close()
            raise
        hosts = [entry[2] for entry in table.values()]
        self.on_host = hosts.count(name.decode())
        for each in self._to.values():
            each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            each.setblocking(False)

    def _accept(self, mine: socket.socket, count: int, limit: float, table: dict) -> None:
        """Takes ``count`` ranks; adds (host, port, name) of each."""
        for _ in range(count):
            while True:
                try:
                    other, (host, *_) = mine.accept()
                    break
                except TimeoutError:
                    self._give_up_after(limit, f"other ranks to connect: {len(self._to)} of {self.size - 1} have")
            other.settimeout(self._wait)
            mark, size, rank, port, length = _GREETING.unpack(_read(other, _GREETING.size))
            name = _read(other, length).decode()
            if mark != _MARK or size != self.size or not 0 < rank < size or rank in self._to:
                other.close()
                raise ConnectionError(
                    f"rank {self.rank} of {self.size}: rank {rank} of {size} has connected: each rank must have a "
                    "number of its own, and all the same size"
                )
            self._to[rank] = other
            table[rank] = (host, port, name)

    def _join(self, other: int, host: str, port: int, mine: socket.socket, name: bytes, limit: float) -> None:
        while True:
            try:
                to = socket.create_connection((host, port), timeout=self._wait)
                break
            except OSError as error:
                self._give_up_after(limit, f"rank {other} at {host}:{port} ({error})")
                time.sleep(0.05)
        to.sendall(_GREETING.pack(_MARK, self.size, self.rank, mine.getsockname()[1], len(name)) + name)
        self._to[other] = to

    @staticmethod
    def _table(of: socket.socket) -> dict:
        import ast

        (length,) = struct.unpack("!I", _read(of, 4))
        return ast.literal_eval(_read(of, length).decode())

    def _give_up_after(self, limit: float, what: str) -> None:
        if time.monotonic() > limit:
            raise TimeoutError(f"rank {self.rank} of {self.size} has waited {self._wait:g} s for {what}")

    def exchange(self, purpose: str, sent: list, received: list) -> None:
        """Returns when all have arrived. Raises ConnectionError or TimeoutError with the rank that is missing."""
        text = purpose.encode()
        out = {to: [memoryview(_HEAD.pack(len(text), len(data)) + text), data] for to, data in sent}
        into = {frm: [memoryview(bytearray(_HEAD.size + len(text))), data] for frm, data in received}
        heads = {frm: parts[0] for frm, parts in into.items()}
        limit = time.monotonic() + self._wait
        with selectors.DefaultSelector() as ready:
            for rank in out.keys() | into.keys():
                events = (selectors.EVENT_WRITE if rank in out else 0) | (selectors.EVENT_READ if rank in into else 0)
                ready.register(self._to[rank], events, rank)
            while ready.get_map():
                found = ready.select(1)
                if not found and time.monotonic() > limit:
                    waits = sorted(key.data for key in ready.get_map().values())
                    raise TimeoutError(
                        f"rank {self.rank} of {self.size} has waited {self._wait:g} s ({purpose}) for rank "
                        f"{', rank '.join(map(str, waits))}: all ranks must make the same calls"
                    )
                for key, events in found:
                    rank = key.data
                    if events & selectors.EVENT_WRITE:
                        self._some(self._to[rank].send, out, rank, purpose)
                    if events & selectors.EVENT_READ:
                        self._some(self._to[rank].recv_into, into, rank, purpose)
                        if rank in heads and (rank not in into or len(into[rank]) == 1):
                            self._check(rank, heads.pop(rank), text, dict(received)[rank])
                    left = (selectors.EVENT_WRITE if rank in out else 0) | (selectors.EVENT_READ if rank in into else 0)
                    if not left:
                        ready.unregister(key.fileobj)
                    elif left != key.events:
                        ready.modify(key.fileobj, left, rank)

    def _some(self, move: Any, messages: dict, rank: int, purpose: str) -> None:
        """Moves some bytes of the first part that is left."""
        parts = messages[rank]
        try:
            done = move(parts[0]) if len(parts[0]) else 0
        except BlockingIOError:
            return
        except OSError as error:
            raise ConnectionError(f"rank {rank} has ended ({purpose}; {error.strerror})") from None
        if done == 0 and len(parts[0]):
            raise ConnectionError(f"rank {rank} has ended ({purpose})")
        parts[0] = parts[0][done:]
        while parts and len(parts[0]) == 0:
            parts.pop(0)
        if not parts:
            del messages[rank]

    def _check(self, rank: int, head: memoryview, text: bytes, data: memoryview) -> None:
        length, size = _HEAD.unpack(head[: _HEAD.size])
        theirs = bytes(head[_HEAD.size :][:length])
        if length == len(text) and theirs == text and size == len(data):
            return
        raise ConnectionError(
            f"rank {self.rank} expects {len(data)} bytes of rank {rank} ({text.decode()}), which sent {size} bytes "
            f"({theirs.decode(errors='replace')}): all ranks must make the same calls in the same order"
        )

    def close(self) -> None:
        """Ends all connections: the other ranks are told at once."""
        for each in self._to.values():
            each.close()


def _read(of: socket.socket, count: int) -> bytes:
    found = b""
    while len(found) < count:
        some = of.recv(count - len(found))
        if not some:
            raise ConnectionError("a rank ended while ranks connected")
        found += some
    return found


class torch_group:
    """A process group of torch.distributed, with a backend whose tensors are on the CPU, such as gloo."""

    def __init__(self, group: Any):
        import os

        import torch
        import torch.distributed as dist

        self._torch, self._dist, self._group = torch, dist, group
        self.rank, self.size = dist.get_rank(group), dist.get_world_size(group)
        self.on_host = min(int(os.environ.get("LOCAL_WORLD_SIZE", self.size)), self.size)
        everywhere = group is None or group is dist.group.WORLD
        self._global = [r if everywhere else dist.get_global_rank(group, r) for r in range(self.size)]

    def exchange(self, purpose: str, sent: list, received: list) -> None:
        """Returns when all have arrived; torch.distributed ends a wait by its own limit."""
        tag = zlib.crc32(purpose.encode()) % (1 << 24)
        work = []
        for frm, data in received:  # an empty message is one byte here
            place = self._torch.frombuffer(data if len(data) else bytearray(1), dtype=self._torch.uint8)
            work.append(self._dist.irecv(place, self._global[frm], self._group, tag))
        for to, data in sent:
            copy = self._torch.frombuffer(bytearray(data or b"\0"), dtype=self._torch.uint8)
            work.append(self._dist.isend(copy, self._global[to], self._group, tag))
        for each in work:
            each.wait()

    def close(self) -> None:
        """Nothing: the group belongs to the caller."""
