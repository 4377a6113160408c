from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.problem import Problem
from ...models.recall_search_sessions_mode import RecallSearchSessionsMode
from ...models.sessions_recall_result import SessionsRecallResult
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    *,
    q: str,
    limit: int | Unset = 10,
    mode: RecallSearchSessionsMode | Unset = UNSET,
    user: str | Unset = UNSET,
    task_id: str | Unset = UNSET,
    parent_session_id: str | Unset = UNSET,

) -> dict[str, Any]:
    

    

    params: dict[str, Any] = {}

    params["q"] = q

    params["limit"] = limit

    json_mode: str | Unset = UNSET
    if not isinstance(mode, Unset):
        json_mode = mode.value

    params["mode"] = json_mode

    params["user"] = user

    params["task_id"] = task_id

    params["parent_session_id"] = parent_session_id


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}


    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/recall",
        "params": params,
    }


    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Problem | SessionsRecallResult | None:
    if response.status_code == 200:
        response_200 = SessionsRecallResult.from_dict(response.json())



        return response_200

    if response.status_code == 401:
        response_401 = Problem.from_dict(response.json())



        return response_401

    if response.status_code == 403:
        response_403 = Problem.from_dict(response.json())



        return response_403

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


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[Problem | SessionsRecallResult]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient,
    q: str,
    limit: int | Unset = 10,
    mode: RecallSearchSessionsMode | Unset = UNSET,
    user: str | Unset = UNSET,
    task_id: str | Unset = UNSET,
    parent_session_id: str | Unset = UNSET,

) -> Response[Problem | SessionsRecallResult]:
    """ Searches the original messages of an end user's sessions, of a task's, or of those that a session
    started.

     The newest 50 sessions are searched as one, each in its current branch, so that scores are
    comparable; each hit names
    its session. Otherwise as
    the search of one session.

    Args:
        q (str):
        limit (int | Unset):  Default: 10.
        mode (RecallSearchSessionsMode | Unset): How a search ranks messages.
        user (str | Unset):
        task_id (str | Unset):
        parent_session_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Problem | SessionsRecallResult]
     """


    kwargs = _get_kwargs(
        q=q,
limit=limit,
mode=mode,
user=user,
task_id=task_id,
parent_session_id=parent_session_id,

    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)

def sync(
    *,
    client: AuthenticatedClient,
    q: str,
    limit: int | Unset = 10,
    mode: RecallSearchSessionsMode | Unset = UNSET,
    user: str | Unset = UNSET,
    task_id: str | Unset = UNSET,
    parent_session_id: str | Unset = UNSET,

) -> Problem | SessionsRecallResult | None:
    """ Searches the original messages of an end user's sessions, of a task's, or of those that a session
    started.

     The newest 50 sessions are searched as one, each in its current branch, so that scores are
    comparable; each hit names
    its session. Otherwise as
    the search of one session.

    Args:
        q (str):
        limit (int | Unset):  Default: 10.
        mode (RecallSearchSessionsMode | Unset): How a search ranks messages.
        user (str | Unset):
        task_id (str | Unset):
        parent_session_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Problem | SessionsRecallResult
     """


    return sync_detailed(
        client=client,
q=q,
limit=limit,
mode=mode,
user=user,
task_id=task_id,
parent_session_id=parent_session_id,

    ).parsed

async def asyncio_detailed(
    *,
    client: AuthenticatedClient,
    q: str,
    limit: int | Unset = 10,
    mode: RecallSearchSessionsMode | Unset = UNSET,
    user: str | Unset = UNSET,
    task_id: str | Unset = UNSET,
    parent_session_id: str | Unset = UNSET,

) -> Response[Problem | SessionsRecallResult]:
    """ Searches the original messages of an end user's sessions, of a task's, or of those that a session
    started.

     The newest 50 sessions are searched as one, each in its current branch, so that scores are
    comparable; each hit names
    its session. Otherwise as
    the search of one session.

    Args:
        q (str):
        limit (int | Unset):  Default: 10.
        mode (RecallSearchSessionsMode | Unset): How a search ranks messages.
        user (str | Unset):
        task_id (str | Unset):
        parent_session_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Problem | SessionsRecallResult]
     """


    kwargs = _get_kwargs(
        q=q,
limit=limit,
mode=mode,
user=user,
task_id=task_id,
parent_session_id=parent_session_id,

    )

    response = await client.get_async_httpx_client().request(
        **kwargs
    )

    return _build_response(client=client, response=response)

async def asyncio(
    *,
    client: AuthenticatedClient,
    q: str,
    limit: int | Unset = 10,
    mode: RecallSearchSessionsMode | Unset = UNSET,
    user: str | Unset = UNSET,
    task_id: str | Unset = UNSET,
    parent_session_id: str | Unset = UNSET,

) -> Problem | SessionsRecallResult | None:
    """ Searches the original messages of an end user's sessions, of a task's, or of those that a session
    started.

     The newest 50 sessions are searched as one, each in its current branch, so that scores are
    comparable; each hit names
    its session. Otherwise as
    the search of one session.

    Args:
        q (str):
        limit (int | Unset):  Default: 10.
        mode (RecallSearchSessionsMode | Unset): How a search ranks messages.
        user (str | Unset):
        task_id (str | Unset):
        parent_session_id (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Problem | SessionsRecallResult
     """


    return (await asyncio_detailed(
        client=client,
q=q,
limit=limit,
mode=mode,
user=user,
task_id=task_id,
parent_session_id=parent_session_id,

    )).parsed
