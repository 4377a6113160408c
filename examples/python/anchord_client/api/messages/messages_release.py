from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.problem import Problem
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    session_id: str,
    seq: int,
    *,
    branch: str | Unset = UNSET,

) -> dict[str, Any]:
    

    

    params: dict[str, Any] = {}

    params["branch"] = branch


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}


    _kwargs: dict[str, Any] = {
        "method": "delete",
        "url": "/v1/sessions/{session_id}/messages/{seq}/mark".format(session_id=quote(str(session_id), safe=""),seq=quote(str(seq), safe=""),),
        "params": params,
    }


    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Any | Problem | None:
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


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[Any | Problem]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    session_id: str,
    seq: int,
    *,
    client: AuthenticatedClient,
    branch: str | Unset = UNSET,

) -> Response[Any | Problem]:
    """ Ends the mark `keep: always` of a message.

     Contexts then treat it as any other: what a summary covers is no longer served beside it. A message
    without such a mark
    stays as it is. Each branch has marks of its own.

    Args:
        session_id (str): The caller's name for a session (`session_id` in the API), unique per
            tenant.
        seq (int): The position of a message in its session: 1, 2, 3 … without gaps.
        branch (str | Unset): The name of a branch, unique in its session.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Any | Problem]
     """


    kwargs = _get_kwargs(
        session_id=session_id,
seq=seq,
branch=branch,

    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)

def sync(
    session_id: str,
    seq: int,
    *,
    client: AuthenticatedClient,
    branch: str | Unset = UNSET,

) -> Any | Problem | None:
    """ Ends the mark `keep: always` of a message.

     Contexts then treat it as any other: what a summary covers is no longer served beside it. A message
    without such a mark
    stays as it is. Each branch has marks of its own.

    Args:
        session_id (str): The caller's name for a session (`session_id` in the API), unique per
            tenant.
        seq (int): The position of a message in its session: 1, 2, 3 … without gaps.
        branch (str | Unset): The name of a branch, unique in its session.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Any | Problem
     """


    return sync_detailed(
        session_id=session_id,
seq=seq,
client=client,
branch=branch,

    ).parsed

async def asyncio_detailed(
    session_id: str,
    seq: int,
    *,
    client: AuthenticatedClient,
    branch: str | Unset = UNSET,

) -> Response[Any | Problem]:
    """ Ends the mark `keep: always` of a message.

     Contexts then treat it as any other: what a summary covers is no longer served beside it. A message
    without such a mark
    stays as it is. Each branch has marks of its own.

    Args:
        session_id (str): The caller's name for a session (`session_id` in the API), unique per
            tenant.
        seq (int): The position of a message in its session: 1, 2, 3 … without gaps.
        branch (str | Unset): The name of a branch, unique in its session.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Any | Problem]
     """


    kwargs = _get_kwargs(
        session_id=session_id,
seq=seq,
branch=branch,

    )

    response = await client.get_async_httpx_client().request(
        **kwargs
    )

    return _build_response(client=client, response=response)

async def asyncio(
    session_id: str,
    seq: int,
    *,
    client: AuthenticatedClient,
    branch: str | Unset = UNSET,

) -> Any | Problem | None:
    """ Ends the mark `keep: always` of a message.

     Contexts then treat it as any other: what a summary covers is no longer served beside it. A message
    without such a mark
    stays as it is. Each branch has marks of its own.

    Args:
        session_id (str): The caller's name for a session (`session_id` in the API), unique per
            tenant.
        seq (int): The position of a message in its session: 1, 2, 3 … without gaps.
        branch (str | Unset): The name of a branch, unique in its session.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Any | Problem
     """


    return (await asyncio_detailed(
        session_id=session_id,
seq=seq,
client=client,
branch=branch,

    )).parsed
