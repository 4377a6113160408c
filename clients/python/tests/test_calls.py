"""Repetitions, problems, pages, events and timeouts, against replies that the tests write."""

import asyncio
import json
import pickle
import time
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

import anchord
from anchord import Anchord, AsyncAnchord


def problem(status: int, code: str, **members: Any) -> httpx2.Response:
    retry_after = members.pop("retry_after", None)
    document = {"type": f"/problems/{code}", "title": code, "status": status, "detail": "why", "instance": "r-1"}
    headers = {"content-type": "application/problem+json"} | ({"retry-after": retry_after} if retry_after else {})
    return httpx2.Response(status, headers=headers, json=document | members)


class Service:
    """Answers in turn, and notes what it was asked and how long a caller waited between."""

    def __init__(self, *replies: httpx2.Response | Exception) -> None:
        self.replies = list(replies)
        self.requests: list[httpx2.Request] = []
        self.waits: list[float] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(request)
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply

    def client(self, **settings: Any) -> Anchord:
        return Anchord("http://service", "ak_1", transport=httpx2.MockTransport(self), **settings)


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[float]]:
    """The seconds that calls waited, without waiting: the clock goes on by them."""
    waited: list[float] = []
    passed = time.monotonic

    async def wait(seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr("time.monotonic", lambda: passed() + sum(waited))
    monkeypatch.setattr("time.sleep", waited.append)
    monkeypatch.setattr("asyncio.sleep", wait)
    yield waited


def test_a_repeated_change_has_the_key_of_the_first_one(waits: list[float]) -> None:
    lost = httpx2.ReadError("connection reset")
    service = Service(
        lost,
        problem(500, "outcome-unknown"),
        problem(409, "idempotency-in-flight"),
        httpx2.Response(201, json={"first_seq": 1}),
    )
    assert service.client().messages.append("s", {"messages": [{"role": "user", "content": "x"}]})["first_seq"] == 1
    keys = {request.headers["idempotency-key"] for request in service.requests}
    assert len(service.requests) == 4 and len(keys) == 1 and len(waits) == 3
    assert {request.content for request in service.requests} == {b'{"messages": [{"role": "user", "content": "x"}]}'}


def test_a_key_of_the_caller_is_sent() -> None:
    service = Service(httpx2.Response(201, json={}))
    service.client().messages.append("s", {"messages": []}, idempotency_key="mine")
    assert service.requests[0].headers["idempotency-key"] == "mine"


@pytest.mark.parametrize("header", ["7", "Sat, 01 Jan 2000 00:00:00 GMT"])
def test_retry_after_is_respected(waits: list[float], header: str) -> None:
    service = Service(problem(429, "rate-limited", retry_after=header), httpx2.Response(200, json={"items": []}))
    service.client().keys.list()
    assert waits == [7.0 if header == "7" else 0.0]


def test_nobody_waits_longer_than_the_caller_wants(waits: list[float]) -> None:
    service = Service(problem(429, "quota-exceeded", retry_after="3600", limit=5))
    with pytest.raises(anchord.RateLimited) as caught:
        service.client().keys.list()
    assert waits == [] and caught.value.retry_after == 3600 and caught.value.limit == 5


def test_repetitions_end(waits: list[float]) -> None:
    service = Service(*[problem(503, "unavailable") for _ in range(3)])
    with pytest.raises(anchord.Unavailable):
        service.client(retries=2).keys.list()
    assert len(service.requests) == 3 and len(waits) == 2


def test_waits_begin_short_and_grow_up_to_a_bound(waits: list[float]) -> None:
    service = Service(*[problem(503, "unavailable") for _ in range(10)])
    with pytest.raises(anchord.Unavailable):
        service.client(retries=9, timeout=600).keys.list()
    longest = [0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 8.0, 8.0, 8.0]
    assert len(waits) == 9 and all(most / 2 <= wait <= most for wait, most in zip(waits, longest)), waits
    # Callers that failed at once do not come again at once.
    assert len({wait / most for wait, most in zip(waits, longest)}) > 1


def test_a_call_ends_with_its_timeout_whatever_is_repeated(waits: list[float]) -> None:
    service = Service(*[problem(503, "unavailable") for _ in range(10)])
    with pytest.raises(anchord.Unavailable):
        service.client(retries=9, timeout=1).keys.list()
    assert sum(waits) < 1 and 1 < len(service.requests) == len(waits) + 1 < 10
    given = [request.extensions["timeout"]["read"] for request in service.requests]
    assert all(each <= 1 - sum(waits[:count]) for count, each in enumerate(given)), given


def test_nobody_waits_for_what_comes_after_the_timeout(waits: list[float]) -> None:
    service = Service(problem(503, "unavailable", retry_after="7"))
    with pytest.raises(anchord.Unavailable) as caught:
        service.client(timeout=5).keys.list()
    assert waits == [] and caught.value.retry_after == 7


def test_a_wait_that_the_service_is_asked_for_has_its_time() -> None:
    service = Service(httpx2.Response(200, json={}))
    service.client(timeout=5).compressions.create("s", {}, prefer="wait=40")
    assert 44 < service.requests[0].extensions["timeout"]["read"] <= 45


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, anchord.ProblemError),
        (401, anchord.Unauthorized),
        (403, anchord.Forbidden),
        (404, anchord.NotFound),
        (409, anchord.Conflict),
        (413, anchord.TooLarge),
        (422, anchord.Invalid),
    ],
)
def test_refusals_are_not_repeated_and_have_types(status: int, kind: type[anchord.ProblemError]) -> None:
    errors = [{"pointer": "/messages/0/role", "detail": "unknown role"}]
    service = Service(problem(status, "some-code", errors=errors, next_seq=4, min_tokens=9))
    with pytest.raises(kind) as caught:
        service.client().sessions.get("s")
    error = caught.value
    assert type(error) is kind and len(service.requests) == 1
    assert (error.status, error.code, error.type) == (status, "some-code", "/problems/some-code")
    assert (error.field, error.request_id, error.detail) == ("/messages/0/role", "r-1", "why")
    assert "unknown role" in str(error)
    assert getattr(error, "next_seq", 4) == 4 and getattr(error, "min_tokens", 9) == 9
    assert pickle.loads(pickle.dumps(error)).members == error.members


def test_what_a_proxy_says_is_a_problem_too(waits: list[float]) -> None:
    service = Service(*[httpx2.Response(502, text="<html>Bad Gateway</html>") for _ in range(2)])
    with pytest.raises(anchord.Unavailable, match="Bad Gateway"):
        service.client(retries=1).sessions.get("s")


def test_a_context_that_cannot_be_made_is_its_problem() -> None:
    refused = {
        "type": "/problems/budget-too-small",
        "title": "",
        "status": 422,
        "detail": "",
        "instance": "",
        "min_tokens": 812,
    }
    service = Service(httpx2.Response(201, json={"first_seq": 1, "context_problem": refused}))
    with pytest.raises(anchord.Invalid) as caught:
        service.client().turn("s", [{"role": "user", "content": "x"}], max_input_tokens=10)
    assert caught.value.code == "budget-too-small" and caught.value.min_tokens == 812


def test_no_answer_in_time_and_no_connection(waits: list[float]) -> None:
    service = Service(*[httpx2.ReadTimeout("slow")] * 2, *[httpx2.ConnectError("refused")] * 2)
    client = service.client(retries=1)
    with pytest.raises(anchord.TimedOut, match="http://service did not answer in time .*slow"):
        client.sessions.get("s")
    with pytest.raises(anchord.ConnectionFailed, match="http://service .*refused.*ANCHORD_URL .*http://127.0.0.1:8080"):
        client.sessions.get("s")
    assert client.sessions is not None and len(service.requests) == 4


def test_an_attempt_has_what_is_left_of_the_timeout() -> None:
    service = Service(httpx2.Response(200, json={}))
    service.client(timeout=1.5).sessions.get("s")
    assert all(1 < each <= 1.5 for each in service.requests[0].extensions["timeout"].values())


def test_all_pages_are_read() -> None:
    pages = [{"items": [1, 2], "next_cursor": "c1"}, {"items": [3], "next_cursor": None}]
    service = Service(*[httpx2.Response(200, json=page) for page in pages])
    found: Iterator[Any] = service.client().messages.iter("s", limit=2)
    assert list(found) == [1, 2, 3]
    assert [str(request.url.params) for request in service.requests] == ["limit=2", "limit=2&cursor=c1"]


def test_names_and_parameters_are_written_as_the_document_has_them() -> None:
    service = Service(*[httpx2.Response(200, json={}) for _ in range(3)])
    client = service.client()
    client.sessions.get("a/b ?")
    client.messages.append("s", {"messages": []}, include=["usage", "signals"], recap=True, return_="context")
    client.sessions.list(metadata=["team:1", "stage:2"])
    assert service.requests[0].url.raw_path == b"/v1/sessions/a%2Fb%20%3F"
    assert str(service.requests[1].url.params) == "include=usage%2Csignals&return=context&recap=true"
    assert service.requests[2].url.params.get_list("metadata") == ["team:1", "stage:2"]
    assert service.requests[0].headers["x-api-key"] == "ak_1"


def stream(*events: int) -> httpx2.Response:
    lines = "id: 5\n\n" + "".join(f'id: {id}\nevent: x\ndata: {{"id": {id}}}\n\n' for id in events)
    return httpx2.Response(200, headers={"content-type": "text/event-stream"}, text=lines)


def test_events_go_on_where_a_stream_ended(waits: list[float]) -> None:
    service = Service(
        stream(6),
        httpx2.ReadError("reset"),
        problem(503, "stopping", retry_after="2"),
        stream(),
        stream(7),
        problem(404, "session-not-found"),
    )
    seen: list[int | None] = []
    with pytest.raises(anchord.NotFound):
        for event in service.client().events("s", after=0):
            seen.append(event["id"])
    assert seen == [6, 7]
    lasts = [request.headers["last-event-id"] for request in service.requests]
    assert lasts == ["0", "6", "6", "6", "5", "7"] and waits[-1] == 2.0


def test_events_end_when_the_service_stays_away(waits: list[float]) -> None:
    service = Service(*[httpx2.ConnectError("refused") for _ in range(4)])
    with pytest.raises(anchord.ConnectionFailed):
        next(service.client().events("s"))
    assert len(waits) == 3


def asynchronous(service: Service) -> AsyncAnchord:
    return AsyncAnchord("http://service", "ak_1", transport=httpx2.MockTransport(service))


def test_the_same_without_waiting(waits: list[float]) -> None:
    pages = [{"items": [1, 2], "next_cursor": "c1"}, {"items": [3], "next_cursor": None}]
    busy = problem(429, "rate-limited", retry_after="3")
    service = Service(busy, *[httpx2.Response(200, json=page) for page in pages], stream(6), stream(7))

    async def run() -> None:
        async with asynchronous(service) as client:
            found: Any = client.messages.iter("s")
            assert [item async for item in found] == [1, 2, 3]
            seen: list[int | None] = []
            async for event in client.events("s"):
                seen.append(event["id"])
                if len(seen) == 2:
                    break
            assert seen == [6, 7]

    asyncio.run(run())
    assert waits == [3.0]


def test_the_same_ends_with_its_timeout(waits: list[float]) -> None:
    service = Service(*[problem(503, "unavailable") for _ in range(10)])

    async def run() -> None:
        async with AsyncAnchord(
            "http://service", "ak_1", transport=httpx2.MockTransport(service), retries=9, timeout=1
        ) as client:
            await client.keys.list()

    with pytest.raises(anchord.Unavailable):
        asyncio.run(run())
    assert sum(waits) < 1 and 1 < len(service.requests) == len(waits) + 1 < 10
    assert service.requests[1].extensions["timeout"]["read"] <= 1 - waits[0]


def test_objects_of_a_providers_library_are_sent_as_json() -> None:
    class Said:
        def model_dump(self, **how: Any) -> dict[str, str]:
            assert how == {"mode": "json", "exclude_none": True}
            return {"role": "assistant", "content": "x"}

    service = Service(httpx2.Response(201, json={"session_id": "s", "context": {"messages": []}}))
    service.client().turn("s", [Said()])
    assert json.loads(service.requests[0].content)["messages"] == [{"role": "assistant", "content": "x"}]


@pytest.mark.parametrize(
    "given",
    [
        {"content": "x"},
        # As LangChain dumps a message.
        {"type": "human", "content": "x"},
        {"type": "text", "text": "x"},
        ("user", "x"),
        "x",
    ],
    ids=str,
)
def test_what_is_no_message_is_refused(given: Any) -> None:
    service = Service()
    for send in service.client().turn, service.client().sync:
        with pytest.raises(TypeError, match=r"messages\[1\] is no message|is no JSON"):
            send("s", [{"role": "user", "content": "x"}, given])
    assert service.requests == []


def test_items_without_a_role_are_messages() -> None:
    items = [{"type": "reasoning"}, {"type": "web_search_call"}, {"type": "mcp_list_tools"}]
    service = Service(*[httpx2.Response(201, json={"session_id": "s", "context": {"messages": []}}) for _ in range(2)])
    service.client().turn("s", items)
    service.client().turn("s", [{"type": "of_tomorrow"}], format="openai-responses")
    assert json.loads(service.requests[0].content)["messages"] == items


def test_a_missing_key_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANCHORD_API_KEY", raising=False)
    with pytest.raises(anchord.AnchordError, match="ANCHORD_API_KEY"):
        Anchord()
