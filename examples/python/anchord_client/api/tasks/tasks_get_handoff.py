from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.handoff import Handoff
from ...models.problem import Problem
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    task_id: str,
    *,
    level: int | Unset = UNSET,
    words: int | Unset = UNSET,

) -> dict[str, Any]:
    

    

    params: dict[str, Any] = {}

    params["level"] = level

    params["words"] = words


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}


    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/tasks/{task_id}/handoff".format(task_id=quote(str(task_id), safe=""),),
        "params": params,
    }


    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Any | Handoff | Problem | None:
    if response.status_code == 200:
        response_200 = Handoff.from_dict(response.json())



        return response_200

    if response.status_code == 204:
        response_204 = cast(Any, None)
        return response_204

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


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[Any | Handoff | Problem]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    task_id: str,
    *,
    client: AuthenticatedClient,
    level: int | Unset = UNSET,
    words: int | Unset = UNSET,

) -> Response[Any | Handoff | Problem]:
    """ Reads what another agent should know of a task: its sessions' current versions in one text.

     The newest session gives the goal and state; files, decisions and errors of all are joined, each
    with
    the session that it came from.

    Args:
        task_id (str):
        level (int | Unset):
        words (int | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Any | Handoff | Problem]
     """


    kwargs = _get_kwargs(
        task_id=task_id,
level=level,
words=words,

    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)

def sync(
    task_id: str,
    *,
    client: AuthenticatedClient,
    level: int | Unset = UNSET,
    words: int | Unset = UNSET,

) -> Any | Handoff | Problem | None:
    """ Reads what another agent should know of a task: its sessions' current versions in one text.

     The newest session gives the goal and state; files, decisions and errors of all are joined, each
    with
    the session that it came from.

    Args:
        task_id (str):
        level (int | Unset):
        words (int | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Any | Handoff | Problem
     """


    return sync_detailed(
        task_id=task_id,
client=client,
level=level,
words=words,

    ).parsed

async def asyncio_detailed(
    task_id: str,
    *,
    client: AuthenticatedClient,
    level: int | Unset = UNSET,
    words: int | Unset = UNSET,

) -> Response[Any | Handoff | Problem]:
    """ Reads what another agent should know of a task: its sessions' current versions in one text.

     The newest session gives the goal and state; files, decisions and errors of all are joined, each
    with
    the session that it came from.

    Args:
        task_id (str):
        level (int | Unset):
        words (int | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Any | Handoff | Problem]
     """


    kwargs = _get_kwargs(
        task_id=task_id,
level=level,
words=words,

    )

    response = await client.get_async_httpx_client().request(
        **kwargs
    )

    return _build_response(client=client, response=response)

async def asyncio(
    task_id: str,
    *,
    client: AuthenticatedClient,
    level: int | Unset = UNSET,
    words: int | Unset = UNSET,

) -> Any | Handoff | Problem | None:
    """ Reads what another agent should know of a task: its sessions' current versions in one text.

     The newest session gives the goal and state; files, decisions and errors of all are joined, each
    with
    the session that it came from.

    Args:
        task_id (str):
        level (int | Unset):
        words (int | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Any | Handoff | Problem
     """


    return (await asyncio_detailed(
        task_id=task_id,
client=client,
level=level,
words=words,

    )).parsed
