from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.event import Event
from ...models.problem import Problem
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    session_id: str,
    *,
    after: int | Unset = UNSET,
    branch: str | Unset = UNSET,
    last_event_id: int | None | Unset = UNSET,

) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(last_event_id, Unset):
        headers["Last-Event-ID"] = last_event_id



    

    params: dict[str, Any] = {}

    params["after"] = after

    params["branch"] = branch


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}


    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/sessions/{session_id}/events".format(session_id=quote(str(session_id), safe=""),),
        "params": params,
    }


    _kwargs["headers"] = headers
    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Event | Problem | None:
    if response.status_code == 200:
        response_200 = Event.from_dict(response.text)



        return response_200

    if response.status_code == 401:
        response_401 = Problem.from_dict(response.json())



        return response_401

    if response.status_code == 403:
        response_403 = Problem.from_dict(response.json())



        return response_403

    if response.status_code == 404:
        response_404 = Problem.from_dict(response.json())



        return response_404

    if response.status_code == 422:
        response_422 = Problem.from_dict(response.json())



        return response_422

    if response.status_code == 429:
        response_429 = Problem.from_dict(response.json())



        return response_429

    if response.status_code == 500:
        response_500 = Problem.from_dict(response.json())



        return response_500

    if response.status_code == 503:
        response_503 = Problem.from_dict(response.json())



        return response_503

    if response.status_code == 504:
        response_504 = Problem.from_dict(response.json())



        return response_504

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[Event | Problem]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    session_id: str,
    *,
    client: AuthenticatedClient,
    after: int | Unset = UNSET,
    branch: str | Unset = UNSET,
    last_event_id: int | None | Unset = UNSET,

) -> Response[Event | Problem]:
    """ Streams a session's events.

     Those of its current branch, across switches (`session.branch_switched`), or of the branch that is
    named.
    Server-sent events. The `data` line of each is an `Event` as JSON, the same that webhooks receive;
    the lines `id` and
    `event` repeat its `id` and `type`. Events are kept for a week. A stream ends after fifteen minutes,
    when the session is erased, when
    the key is good no longer and when the service stops; clients come back with `Last-Event-ID` and
    miss nothing, because
    the stream begins with an `id` without data. A key
    may have 128 streams of a process open, a tenant 256.

    Args:
        session_id (str): The caller's name for a session (`session_id` in the API), unique per
            tenant.
        after (int | Unset):
        branch (str | Unset): The name of a branch, unique in its session.
        last_event_id (int | None | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Event | Problem]
     """


    kwargs = _get_kwargs(
        session_id=session_id,
after=after,
branch=branch,
last_event_id=last_event_id,

    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)

def sync(
    session_id: str,
    *,
    client: AuthenticatedClient,
    after: int | Unset = UNSET,
    branch: str | Unset = UNSET,
    last_event_id: int | None | Unset = UNSET,

) -> Event | Problem | None:
    """ Streams a session's events.

     Those of its current branch, across switches (`session.branch_switched`), or of the branch that is
    named.
    Server-sent events. The `data` line of each is an `Event` as JSON, the same that webhooks receive;
    the lines `id` and
    `event` repeat its `id` and `type`. Events are kept for a week. A stream ends after fifteen minutes,
    when the session is erased, when
    the key is good no longer and when the service stops; clients come back with `Last-Event-ID` and
    miss nothing, because
    the stream begins with an `id` without data. A key
    may have 128 streams of a process open, a tenant 256.

    Args:
        session_id (str): The caller's name for a session (`session_id` in the API), unique per
            tenant.
        after (int | Unset):
        branch (str | Unset): The name of a branch, unique in its session.
        last_event_id (int | None | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Event | Problem
     """


    return sync_detailed(
        session_id=session_id,
client=client,
after=after,
branch=branch,
last_event_id=last_event_id,

    ).parsed

async def asyncio_detailed(
    session_id: str,
    *,
    client: AuthenticatedClient,
    after: int | Unset = UNSET,
    branch: str | Unset = UNSET,
    last_event_id: int | None | Unset = UNSET,

) -> Response[Event | Problem]:
    """ Streams a session's events.

     Those of its current branch, across switches (`session.branch_switched`), or of the branch that is
    named.
    Server-sent events. The `data` line of each is an `Event` as JSON, the same that webhooks receive;
    the lines `id` and
    `event` repeat its `id` and `type`. Events are kept for a week. A stream ends after fifteen minutes,
    when the session is erased, when
    the key is good no longer and when the service stops; clients come back with `Last-Event-ID` and
    miss nothing, because
    the stream begins with an `id` without data. A key
    may have 128 streams of a process open, a tenant 256.

    Args:
        session_id (str): The caller's name for a session (`session_id` in the API), unique per
            tenant.
        after (int | Unset):
        branch (str | Unset): The name of a branch, unique in its session.
        last_event_id (int | None | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Event | Problem]
     """


    kwargs = _get_kwargs(
        session_id=session_id,
after=after,
branch=branch,
last_event_id=last_event_id,

    )

    response = await client.get_async_httpx_client().request(
        **kwargs
    )

    return _build_response(client=client, response=response)

async def asyncio(
    session_id: str,
    *,
    client: AuthenticatedClient,
    after: int | Unset = UNSET,
    branch: str | Unset = UNSET,
    last_event_id: int | None | Unset = UNSET,

) -> Event | Problem | None:
    """ Streams a session's events.

     Those of its current branch, across switches (`session.branch_switched`), or of the branch that is
    named.
    Server-sent events. The `data` line of each is an `Event` as JSON, the same that webhooks receive;
    the lines `id` and
    `event` repeat its `id` and `type`. Events are kept for a week. A stream ends after fifteen minutes,
    when the session is erased, when
    the key is good no longer and when the service stops; clients come back with `Last-Event-ID` and
    miss nothing, because
    the stream begins with an `id` without data. A key
    may have 128 streams of a process open, a tenant 256.

    Args:
        session_id (str): The caller's name for a session (`session_id` in the API), unique per
            tenant.
        after (int | Unset):
        branch (str | Unset): The name of a branch, unique in its session.
        last_event_id (int | None | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Event | Problem
     """


    return (await asyncio_detailed(
        session_id=session_id,
client=client,
after=after,
branch=branch,
last_event_id=last_event_id,

    )).parsed
