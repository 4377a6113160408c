from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.problem import Problem
from ...models.sync_result import SyncResult
from ...models.transcript_request import TranscriptRequest
from ...models.transcript_sync_cache_control import TranscriptSyncCacheControl
from ...models.transcript_sync_format import TranscriptSyncFormat
from ...models.transcript_sync_include_item import TranscriptSyncIncludeItem
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    session_id: str,
    *,
    body: TranscriptRequest,
    include: list[TranscriptSyncIncludeItem] | Unset = UNSET,
    format_: TranscriptSyncFormat | Unset = UNSET,
    max_input_tokens: int | Unset = UNSET,
    recap: bool | Unset = UNSET,
    cache_control: TranscriptSyncCacheControl | Unset = UNSET,
    branch: str | Unset = UNSET,
    prefer: str | Unset = UNSET,

) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(prefer, Unset):
        headers["Prefer"] = prefer



    

    params: dict[str, Any] = {}

    json_include: list[str] | Unset = UNSET
    if not isinstance(include, Unset):
        json_include = []
        for include_item_data in include:
            include_item = include_item_data.value
            json_include.append(include_item)


    params["include"] = json_include

    json_format_: str | Unset = UNSET
    if not isinstance(format_, Unset):
        json_format_ = format_.value

    params["format"] = json_format_

    params["max_input_tokens"] = max_input_tokens

    params["recap"] = recap

    json_cache_control: str | Unset = UNSET
    if not isinstance(cache_control, Unset):
        json_cache_control = cache_control.value

    params["cache_control"] = json_cache_control

    params["branch"] = branch


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}


    _kwargs: dict[str, Any] = {
        "method": "put",
        "url": "/v1/sessions/{session_id}/transcript".format(session_id=quote(str(session_id), safe=""),),
        "params": params,
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Any | Problem | SyncResult | None:
    if response.status_code == 200:
        response_200 = SyncResult.from_dict(response.json())



        return response_200

    if response.status_code == 204:
        response_204 = cast(Any, None)
        return response_204

    if response.status_code == 400:
        response_400 = Problem.from_dict(response.json())



        return response_400

    if response.status_code == 401:
        response_401 = Problem.from_dict(response.json())



        return response_401

    if response.status_code == 403:
        response_403 = Problem.from_dict(response.json())



        return response_403

    if response.status_code == 404:
        response_404 = Problem.from_dict(response.json())



        return response_404

    if response.status_code == 408:
        response_408 = Problem.from_dict(response.json())



        return response_408

    if response.status_code == 409:
        response_409 = Problem.from_dict(response.json())



        return response_409

    if response.status_code == 413:
        response_413 = Problem.from_dict(response.json())



        return response_413

    if response.status_code == 415:
        response_415 = Problem.from_dict(response.json())



        return response_415

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


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[Any | Problem | SyncResult]:
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
    body: TranscriptRequest,
    include: list[TranscriptSyncIncludeItem] | Unset = UNSET,
    format_: TranscriptSyncFormat | Unset = UNSET,
    max_input_tokens: int | Unset = UNSET,
    recap: bool | Unset = UNSET,
    cache_control: TranscriptSyncCacheControl | Unset = UNSET,
    branch: str | Unset = UNSET,
    prefer: str | Unset = UNSET,

) -> Response[Any | Problem | SyncResult]:
    """ Brings a session to a list of messages: stores what is new, on the branch that holds the list.

     An agent's framework puts all messages that it has, before each call of the model. The list is
    compared with the current
    branch by the content of the messages. What goes beyond it is appended; a list that is shorter goes
    back; one that parts
    from it goes on where a branch of the session goes on with its next message, or on a new branch. The
    branch that holds the
    list is the current one then, unless another sync of that moment has switched since. Nothing that is
    stored is deleted. The same list twice stores nothing the second time, so
    that a request whose reply was lost is simply repeated.

    Args:
        session_id (str): The caller's name for a session (`session_id` in the API), unique per
            tenant.
        include (list[TranscriptSyncIncludeItem] | Unset):
        format_ (TranscriptSyncFormat | Unset): A conversation format, in and out.
        max_input_tokens (int | Unset):
        recap (bool | Unset):
        cache_control (TranscriptSyncCacheControl | Unset): How long the provider keeps what a
            mark ends.
        branch (str | Unset): The name of a branch, unique in its session.
        prefer (str | Unset):
        body (TranscriptRequest): All messages of an agent, as its framework keeps them.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Any | Problem | SyncResult]
     """


    kwargs = _get_kwargs(
        session_id=session_id,
body=body,
include=include,
format_=format_,
max_input_tokens=max_input_tokens,
recap=recap,
cache_control=cache_control,
branch=branch,
prefer=prefer,

    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)

def sync(
    session_id: str,
    *,
    client: AuthenticatedClient,
    body: TranscriptRequest,
    include: list[TranscriptSyncIncludeItem] | Unset = UNSET,
    format_: TranscriptSyncFormat | Unset = UNSET,
    max_input_tokens: int | Unset = UNSET,
    recap: bool | Unset = UNSET,
    cache_control: TranscriptSyncCacheControl | Unset = UNSET,
    branch: str | Unset = UNSET,
    prefer: str | Unset = UNSET,

) -> Any | Problem | SyncResult | None:
    """ Brings a session to a list of messages: stores what is new, on the branch that holds the list.

     An agent's framework puts all messages that it has, before each call of the model. The list is
    compared with the current
    branch by the content of the messages. What goes beyond it is appended; a list that is shorter goes
    back; one that parts
    from it goes on where a branch of the session goes on with its next message, or on a new branch. The
    branch that holds the
    list is the current one then, unless another sync of that moment has switched since. Nothing that is
    stored is deleted. The same list twice stores nothing the second time, so
    that a request whose reply was lost is simply repeated.

    Args:
        session_id (str): The caller's name for a session (`session_id` in the API), unique per
            tenant.
        include (list[TranscriptSyncIncludeItem] | Unset):
        format_ (TranscriptSyncFormat | Unset): A conversation format, in and out.
        max_input_tokens (int | Unset):
        recap (bool | Unset):
        cache_control (TranscriptSyncCacheControl | Unset): How long the provider keeps what a
            mark ends.
        branch (str | Unset): The name of a branch, unique in its session.
        prefer (str | Unset):
        body (TranscriptRequest): All messages of an agent, as its framework keeps them.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Any | Problem | SyncResult
     """


    return sync_detailed(
        session_id=session_id,
client=client,
body=body,
include=include,
format_=format_,
max_input_tokens=max_input_tokens,
recap=recap,
cache_control=cache_control,
branch=branch,
prefer=prefer,

    ).parsed

async def asyncio_detailed(
    session_id: str,
    *,
    client: AuthenticatedClient,
    body: TranscriptRequest,
    include: list[TranscriptSyncIncludeItem] | Unset = UNSET,
    format_: TranscriptSyncFormat | Unset = UNSET,
    max_input_tokens: int | Unset = UNSET,
    recap: bool | Unset = UNSET,
    cache_control: TranscriptSyncCacheControl | Unset = UNSET,
    branch: str | Unset = UNSET,
    prefer: str | Unset = UNSET,

) -> Response[Any | Problem | SyncResult]:
    """ Brings a session to a list of messages: stores what is new, on the branch that holds the list.

     An agent's framework puts all messages that it has, before each call of the model. The list is
    compared with the current
    branch by the content of the messages. What goes beyond it is appended; a list that is shorter goes
    back; one that parts
    from it goes on where a branch of the session goes on with its next message, or on a new branch. The
    branch that holds the
    list is the current one then, unless another sync of that moment has switched since. Nothing that is
    stored is deleted. The same list twice stores nothing the second time, so
    that a request whose reply was lost is simply repeated.

    Args:
        session_id (str): The caller's name for a session (`session_id` in the API), unique per
            tenant.
        include (list[TranscriptSyncIncludeItem] | Unset):
        format_ (TranscriptSyncFormat | Unset): A conversation format, in and out.
        max_input_tokens (int | Unset):
        recap (bool | Unset):
        cache_control (TranscriptSyncCacheControl | Unset): How long the provider keeps what a
            mark ends.
        branch (str | Unset): The name of a branch, unique in its session.
        prefer (str | Unset):
        body (TranscriptRequest): All messages of an agent, as its framework keeps them.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Any | Problem | SyncResult]
     """


    kwargs = _get_kwargs(
        session_id=session_id,
body=body,
include=include,
format_=format_,
max_input_tokens=max_input_tokens,
recap=recap,
cache_control=cache_control,
branch=branch,
prefer=prefer,

    )

    response = await client.get_async_httpx_client().request(
        **kwargs
    )

    return _build_response(client=client, response=response)

async def asyncio(
    session_id: str,
    *,
    client: AuthenticatedClient,
    body: TranscriptRequest,
    include: list[TranscriptSyncIncludeItem] | Unset = UNSET,
    format_: TranscriptSyncFormat | Unset = UNSET,
    max_input_tokens: int | Unset = UNSET,
    recap: bool | Unset = UNSET,
    cache_control: TranscriptSyncCacheControl | Unset = UNSET,
    branch: str | Unset = UNSET,
    prefer: str | Unset = UNSET,

) -> Any | Problem | SyncResult | None:
    """ Brings a session to a list of messages: stores what is new, on the branch that holds the list.

     An agent's framework puts all messages that it has, before each call of the model. The list is
    compared with the current
    branch by the content of the messages. What goes beyond it is appended; a list that is shorter goes
    back; one that parts
    from it goes on where a branch of the session goes on with its next message, or on a new branch. The
    branch that holds the
    list is the current one then, unless another sync of that moment has switched since. Nothing that is
    stored is deleted. The same list twice stores nothing the second time, so
    that a request whose reply was lost is simply repeated.

    Args:
        session_id (str): The caller's name for a session (`session_id` in the API), unique per
            tenant.
        include (list[TranscriptSyncIncludeItem] | Unset):
        format_ (TranscriptSyncFormat | Unset): A conversation format, in and out.
        max_input_tokens (int | Unset):
        recap (bool | Unset):
        cache_control (TranscriptSyncCacheControl | Unset): How long the provider keeps what a
            mark ends.
        branch (str | Unset): The name of a branch, unique in its session.
        prefer (str | Unset):
        body (TranscriptRequest): All messages of an agent, as its framework keeps them.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Any | Problem | SyncResult
     """


    return (await asyncio_detailed(
        session_id=session_id,
client=client,
body=body,
include=include,
format_=format_,
max_input_tokens=max_input_tokens,
recap=recap,
cache_control=cache_control,
branch=branch,
prefer=prefer,

    )).parsed
