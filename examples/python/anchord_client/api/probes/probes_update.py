from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.probe_patch import ProbePatch
from ...models.problem import Problem
from ...models.session_probe import SessionProbe
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    session_id: str,
    probe_id: str,
    *,
    body: ProbePatch,
    branch: str | Unset = UNSET,
    prefer: str | Unset = UNSET,

) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(prefer, Unset):
        headers["Prefer"] = prefer



    

    params: dict[str, Any] = {}

    params["branch"] = branch


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}


    _kwargs: dict[str, Any] = {
        "method": "patch",
        "url": "/v1/sessions/{session_id}/probes/{probe_id}".format(session_id=quote(str(session_id), safe=""),probe_id=quote(str(probe_id), safe=""),),
        "params": params,
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Any | Problem | SessionProbe | None:
    if response.status_code == 200:
        response_200 = SessionProbe.from_dict(response.json())



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


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[Any | Problem | SessionProbe]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    session_id: str,
    probe_id: str,
    *,
    client: AuthenticatedClient,
    body: ProbePatch,
    branch: str | Unset = UNSET,
    prefer: str | Unset = UNSET,

) -> Response[Any | Problem | SessionProbe]:
    """ Changes a probe of the caller's own.

     The next version is asked the probe as it is then; results of earlier versions stay as they are.

    Args:
        session_id (str): The caller's name for a session (`session_id` in the API), unique per
            tenant.
        probe_id (str): An id that starts with `prb_`.
        branch (str | Unset): The name of a branch, unique in its session.
        prefer (str | Unset):
        body (ProbePatch): A change of a probe of the caller's own; what is absent stays.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Any | Problem | SessionProbe]
     """


    kwargs = _get_kwargs(
        session_id=session_id,
probe_id=probe_id,
body=body,
branch=branch,
prefer=prefer,

    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)

def sync(
    session_id: str,
    probe_id: str,
    *,
    client: AuthenticatedClient,
    body: ProbePatch,
    branch: str | Unset = UNSET,
    prefer: str | Unset = UNSET,

) -> Any | Problem | SessionProbe | None:
    """ Changes a probe of the caller's own.

     The next version is asked the probe as it is then; results of earlier versions stay as they are.

    Args:
        session_id (str): The caller's name for a session (`session_id` in the API), unique per
            tenant.
        probe_id (str): An id that starts with `prb_`.
        branch (str | Unset): The name of a branch, unique in its session.
        prefer (str | Unset):
        body (ProbePatch): A change of a probe of the caller's own; what is absent stays.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Any | Problem | SessionProbe
     """


    return sync_detailed(
        session_id=session_id,
probe_id=probe_id,
client=client,
body=body,
branch=branch,
prefer=prefer,

    ).parsed

async def asyncio_detailed(
    session_id: str,
    probe_id: str,
    *,
    client: AuthenticatedClient,
    body: ProbePatch,
    branch: str | Unset = UNSET,
    prefer: str | Unset = UNSET,

) -> Response[Any | Problem | SessionProbe]:
    """ Changes a probe of the caller's own.

     The next version is asked the probe as it is then; results of earlier versions stay as they are.

    Args:
        session_id (str): The caller's name for a session (`session_id` in the API), unique per
            tenant.
        probe_id (str): An id that starts with `prb_`.
        branch (str | Unset): The name of a branch, unique in its session.
        prefer (str | Unset):
        body (ProbePatch): A change of a probe of the caller's own; what is absent stays.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Any | Problem | SessionProbe]
     """


    kwargs = _get_kwargs(
        session_id=session_id,
probe_id=probe_id,
body=body,
branch=branch,
prefer=prefer,

    )

    response = await client.get_async_httpx_client().request(
        **kwargs
    )

    return _build_response(client=client, response=response)

async def asyncio(
    session_id: str,
    probe_id: str,
    *,
    client: AuthenticatedClient,
    body: ProbePatch,
    branch: str | Unset = UNSET,
    prefer: str | Unset = UNSET,

) -> Any | Problem | SessionProbe | None:
    """ Changes a probe of the caller's own.

     The next version is asked the probe as it is then; results of earlier versions stay as they are.

    Args:
        session_id (str): The caller's name for a session (`session_id` in the API), unique per
            tenant.
        probe_id (str): An id that starts with `prb_`.
        branch (str | Unset): The name of a branch, unique in its session.
        prefer (str | Unset):
        body (ProbePatch): A change of a probe of the caller's own; what is absent stays.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Any | Problem | SessionProbe
     """


    return (await asyncio_detailed(
        session_id=session_id,
probe_id=probe_id,
client=client,
body=body,
branch=branch,
prefer=prefer,

    )).parsed
