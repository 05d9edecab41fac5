"""The one way into the network: everything ends, in time and in size, and stays where it was sent."""

from __future__ import annotations

import time

import pytest

from quire import web
from tests import hostile_http
from tests.hostile_http import ENDLESS, body, forever, hostile, sent

MOST = 1 << 20


def got(address: str, *, seconds: float = 5.0, public: bool = False) -> tuple[int, bytes]:
    with web.opened("GET", address, {}, seconds=seconds, most=MOST, public=public) as reply:
        return reply.status, b"".join(reply.pieces())


def test_a_reply_is_read_whole() -> None:
    chunks = hostile_http.OK + b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
    for act in (body("200 OK", b"abcde"), sent(chunks), sent(hostile_http.OK, b"\r\nabcde")):
        with hostile(act) as server:
            assert got(server.url + "/a b") == (200, b"abcde")
            assert server.asked[0][0] == "GET /a%20b HTTP/1.1"


@pytest.mark.parametrize("name", ENDLESS)
def test_what_never_ends_is_ended(name: str) -> None:
    with hostile(ENDLESS[name]) as server:
        begun = time.monotonic()
        with pytest.raises(web.WebError):
            got(server.url, seconds=0.5)
        assert time.monotonic() - begun < 20  # of no end; a busy machine is slow


def test_as_much_as_may_come_may_come_and_no_byte_more() -> None:
    for size, ends in ((MOST, True), (MOST + 1, False)):
        with hostile(body("200 OK", b"x" * size)) as server:
            if ends:
                assert len(got(server.url)[1]) == size
            else:
                with pytest.raises(web.TooLarge):
                    got(server.url)


def test_what_breaks_off_is_told() -> None:
    for act in (
        sent(hostile_http.OK, b"Content-Length: 9\r\n\r\nabc"),
        sent(hostile_http.OK, b"Transfer-Encoding: chunked\r\n\r\n5\r\nabc"),
        sent(b"SSH-2.0\r\n"),
        sent(b""),
    ):
        with hostile(act) as server, pytest.raises(web.BrokenOff) as caught:
            got(server.url)
        assert caught.value.sent


def test_the_start_of_an_endless_error_is_enough() -> None:
    with hostile(forever(b"x" * 1000, b"HTTP/1.1 500 Oops\r\n\r\n")) as server:
        with web.opened("GET", server.url, {}, seconds=5, most=MOST) as reply:
            assert reply.start(3000) == b"x" * 3000


@pytest.mark.parametrize(
    "address",
    ["http://[::1", "http://", "file:///etc/passwd", "http://h:99999/", "http://h:x/", "//h/", "\ud800"],
)
def test_what_is_no_address_is_told(address: str) -> None:
    with pytest.raises(web.NotConnected):
        got(address)


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "10.0.0.1", "192.168.1.1"]
    + ["169.254.169.254", "[fe80::1]", "[fd00::1]", "2130706433", "0x7f.1", "224.0.0.1"],
)
def test_only_the_open_internet_is_public(host: str) -> None:
    with pytest.raises((web.NotPublic, web.NotConnected)) as caught:  # not connected: the name means nothing
        got(f"http://{host}:9/", public=True, seconds=2)
    assert not isinstance(caught.value, web.NotConnected) or "refused" not in str(caught.value)


def test_a_request_that_nobody_reads_ends() -> None:
    """The other side takes the connection and then nothing: more than its buffers hold is sent."""
    import socket

    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        begun = time.monotonic()
        asking = web.opened(
            "POST",
            f"http://127.0.0.1:{listening.getsockname()[1]}",
            {},
            b"x" * (64 << 20),
            seconds=0.5,
            most=MOST,
        )
        with pytest.raises(web.TooSlow), asking:
            pass
        assert time.monotonic() - begun < 20  # of no end; a busy machine is slow


def test_a_proxy_is_used_and_may_ask_who_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    with hostile(body("200 OK", b"from the proxy")) as proxy:
        monkeypatch.setenv("http_proxy", f"http://me:pass@127.0.0.1:{proxy.port}")
        monkeypatch.delenv("no_proxy", raising=False)
        assert got("http://papers.example/x?y=1")[1] == b"from the proxy"
        assert proxy.asked[0][0] == "GET http://papers.example/x?y=1 HTTP/1.1"
