from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.branch import Branch
from ...models.problem import Problem
from ...models.truncate_session import TruncateSession
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    session_id: str,
    *,
    body: TruncateSession,
    branch: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key



    

    params: dict[str, Any] = {}

    params["branch"] = branch


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}


    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/v1/sessions/{session_id}/truncate".format(session_id=quote(str(session_id), safe=""),),
        "params": params,
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Branch | Problem | None:
    if response.status_code == 200:
        response_200 = Branch.from_dict(response.json())



        return response_200

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


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[Branch | Problem]:
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
    body: TruncateSession,
    branch: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> Response[Branch | Problem]:
    """ Goes back to a message.

     A fork there becomes the current branch. Nothing that is stored is lost: the branch before has it.
    Going back to the newest
    message changes nothing, and a branch that was gone back to and has no message of its own yet is
    used again.

    Args:
        session_id (str): The caller's name for a session (`session_id` in the API), unique per
            tenant.
        branch (str | Unset): The name of a branch, unique in its session.
        idempotency_key (str | Unset):
        body (TruncateSession): Where to go back to.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Branch | Problem]
     """


    kwargs = _get_kwargs(
        session_id=session_id,
body=body,
branch=branch,
idempotency_key=idempotency_key,

    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)

def sync(
    session_id: str,
    *,
    client: AuthenticatedClient,
    body: TruncateSession,
    branch: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> Branch | Problem | None:
    """ Goes back to a message.

     A fork there becomes the current branch. Nothing that is stored is lost: the branch before has it.
    Going back to the newest
    message changes nothing, and a branch that was gone back to and has no message of its own yet is
    used again.

    Args:
        session_id (str): The caller's name for a session (`session_id` in the API), unique per
            tenant.
        branch (str | Unset): The name of a branch, unique in its session.
        idempotency_key (str | Unset):
        body (TruncateSession): Where to go back to.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Branch | Problem
     """


    return sync_detailed(
        session_id=session_id,
client=client,
body=body,
branch=branch,
idempotency_key=idempotency_key,

    ).parsed

async def asyncio_detailed(
    session_id: str,
    *,
    client: AuthenticatedClient,
    body: TruncateSession,
    branch: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> Response[Branch | Problem]:
    """ Goes back to a message.

     A fork there becomes the current branch. Nothing that is stored is lost: the branch before has it.
    Going back to the newest
    message changes nothing, and a branch that was gone back to and has no message of its own yet is
    used again.

    Args:
        session_id (str): The caller's name for a session (`session_id` in the API), unique per
            tenant.
        branch (str | Unset): The name of a branch, unique in its session.
        idempotency_key (str | Unset):
        body (TruncateSession): Where to go back to.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Branch | Problem]
     """


    kwargs = _get_kwargs(
        session_id=session_id,
body=body,
branch=branch,
idempotency_key=idempotency_key,

    )

    response = await client.get_async_httpx_client().request(
        **kwargs
    )

    return _build_response(client=client, response=response)

async def asyncio(
    session_id: str,
    *,
    client: AuthenticatedClient,
    body: TruncateSession,
    branch: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> Branch | Problem | None:
    """ Goes back to a message.

     A fork there becomes the current branch. Nothing that is stored is lost: the branch before has it.
    Going back to the newest
    message changes nothing, and a branch that was gone back to and has no message of its own yet is
    used again.

    Args:
        session_id (str): The caller's name for a session (`session_id` in the API), unique per
            tenant.
        branch (str | Unset): The name of a branch, unique in its session.
        idempotency_key (str | Unset):
        body (TruncateSession): Where to go back to.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Branch | Problem
     """


    return (await asyncio_detailed(
        session_id=session_id,
client=client,
body=body,
branch=branch,
idempotency_key=idempotency_key,

    )).parsed
