from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.problem import Problem
from ...models.session_page import SessionPage
from ...models.sessions_list_include_item import SessionsListIncludeItem
from ...types import UNSET, Unset
from typing import cast
import datetime



def _get_kwargs(
    *,
    task_id: str | Unset = UNSET,
    parent_session_id: str | Unset = UNSET,
    user: str | Unset = UNSET,
    metadata: list[str] | Unset = UNSET,
    updated_since: datetime.datetime | Unset = UNSET,
    include: list[SessionsListIncludeItem] | Unset = UNSET,
    limit: int | Unset = 50,
    cursor: str | Unset = UNSET,

) -> dict[str, Any]:
    

    

    params: dict[str, Any] = {}

    params["task_id"] = task_id

    params["parent_session_id"] = parent_session_id

    params["user"] = user

    json_metadata: list[str] | Unset = UNSET
    if not isinstance(metadata, Unset):
        json_metadata = metadata


    params["metadata"] = json_metadata

    json_updated_since: str | Unset = UNSET
    if not isinstance(updated_since, Unset):
        json_updated_since = updated_since.isoformat()
    params["updated_since"] = json_updated_since

    json_include: list[str] | Unset = UNSET
    if not isinstance(include, Unset):
        json_include = []
        for include_item_data in include:
            include_item = include_item_data.value
            json_include.append(include_item)


    params["include"] = json_include

    params["limit"] = limit

    params["cursor"] = cursor


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}


    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/sessions",
        "params": params,
    }


    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Problem | SessionPage | None:
    if response.status_code == 200:
        response_200 = SessionPage.from_dict(response.json())



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


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[Problem | SessionPage]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient,
    task_id: str | Unset = UNSET,
    parent_session_id: str | Unset = UNSET,
    user: str | Unset = UNSET,
    metadata: list[str] | Unset = UNSET,
    updated_since: datetime.datetime | Unset = UNSET,
    include: list[SessionsListIncludeItem] | Unset = UNSET,
    limit: int | Unset = 50,
    cursor: str | Unset = UNSET,

) -> Response[Problem | SessionPage]:
    """ Lists sessions, newest first.

     A session is one row, with the figures of its current branch.

    Args:
        task_id (str | Unset):
        parent_session_id (str | Unset):
        user (str | Unset):
        metadata (list[str] | Unset):
        updated_since (datetime.datetime | Unset):
        include (list[SessionsListIncludeItem] | Unset):
        limit (int | Unset):  Default: 50.
        cursor (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Problem | SessionPage]
     """


    kwargs = _get_kwargs(
        task_id=task_id,
parent_session_id=parent_session_id,
user=user,
metadata=metadata,
updated_since=updated_since,
include=include,
limit=limit,
cursor=cursor,

    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)

def sync(
    *,
    client: AuthenticatedClient,
    task_id: str | Unset = UNSET,
    parent_session_id: str | Unset = UNSET,
    user: str | Unset = UNSET,
    metadata: list[str] | Unset = UNSET,
    updated_since: datetime.datetime | Unset = UNSET,
    include: list[SessionsListIncludeItem] | Unset = UNSET,
    limit: int | Unset = 50,
    cursor: str | Unset = UNSET,

) -> Problem | SessionPage | None:
    """ Lists sessions, newest first.

     A session is one row, with the figures of its current branch.

    Args:
        task_id (str | Unset):
        parent_session_id (str | Unset):
        user (str | Unset):
        metadata (list[str] | Unset):
        updated_since (datetime.datetime | Unset):
        include (list[SessionsListIncludeItem] | Unset):
        limit (int | Unset):  Default: 50.
        cursor (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Problem | SessionPage
     """


    return sync_detailed(
        client=client,
task_id=task_id,
parent_session_id=parent_session_id,
user=user,
metadata=metadata,
updated_since=updated_since,
include=include,
limit=limit,
cursor=cursor,

    ).parsed

async def asyncio_detailed(
    *,
    client: AuthenticatedClient,
    task_id: str | Unset = UNSET,
    parent_session_id: str | Unset = UNSET,
    user: str | Unset = UNSET,
    metadata: list[str] | Unset = UNSET,
    updated_since: datetime.datetime | Unset = UNSET,
    include: list[SessionsListIncludeItem] | Unset = UNSET,
    limit: int | Unset = 50,
    cursor: str | Unset = UNSET,

) -> Response[Problem | SessionPage]:
    """ Lists sessions, newest first.

     A session is one row, with the figures of its current branch.

    Args:
        task_id (str | Unset):
        parent_session_id (str | Unset):
        user (str | Unset):
        metadata (list[str] | Unset):
        updated_since (datetime.datetime | Unset):
        include (list[SessionsListIncludeItem] | Unset):
        limit (int | Unset):  Default: 50.
        cursor (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Problem | SessionPage]
     """


    kwargs = _get_kwargs(
        task_id=task_id,
parent_session_id=parent_session_id,
user=user,
metadata=metadata,
updated_since=updated_since,
include=include,
limit=limit,
cursor=cursor,

    )

    response = await client.get_async_httpx_client().request(
        **kwargs
    )

    return _build_response(client=client, response=response)

async def asyncio(
    *,
    client: AuthenticatedClient,
    task_id: str | Unset = UNSET,
    parent_session_id: str | Unset = UNSET,
    user: str | Unset = UNSET,
    metadata: list[str] | Unset = UNSET,
    updated_since: datetime.datetime | Unset = UNSET,
    include: list[SessionsListIncludeItem] | Unset = UNSET,
    limit: int | Unset = 50,
    cursor: str | Unset = UNSET,

) -> Problem | SessionPage | None:
    """ Lists sessions, newest first.

     A session is one row, with the figures of its current branch.

    Args:
        task_id (str | Unset):
        parent_session_id (str | Unset):
        user (str | Unset):
        metadata (list[str] | Unset):
        updated_since (datetime.datetime | Unset):
        include (list[SessionsListIncludeItem] | Unset):
        limit (int | Unset):  Default: 50.
        cursor (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Problem | SessionPage
     """


    return (await asyncio_detailed(
        client=client,
task_id=task_id,
parent_session_id=parent_session_id,
user=user,
metadata=metadata,
updated_since=updated_since,
include=include,
limit=limit,
cursor=cursor,

    )).parsed
