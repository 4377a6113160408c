from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.compression import Compression
from ...models.create_evaluation import CreateEvaluation
from ...models.evaluation_detail import EvaluationDetail
from ...models.problem import Problem
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    session_id: str,
    *,
    body: CreateEvaluation | Unset = UNSET,
    branch: str | Unset = UNSET,
    prefer: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(prefer, Unset):
        headers["Prefer"] = prefer

    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key



    

    params: dict[str, Any] = {}

    params["branch"] = branch


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}


    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/v1/sessions/{session_id}/evaluations".format(session_id=quote(str(session_id), safe=""),),
        "params": params,
    }

    
    if not isinstance(body, Unset):
        _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Compression | EvaluationDetail | Problem | None:
    if response.status_code == 200:
        response_200 = EvaluationDetail.from_dict(response.json())



        return response_200

    if response.status_code == 202:
        response_202 = Compression.from_dict(response.json())



        return response_202

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


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[Compression | EvaluationDetail | Problem]:
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
    body: CreateEvaluation | Unset = UNSET,
    branch: str | Unset = UNSET,
    prefer: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> Response[Compression | EvaluationDetail | Problem]:
    """ Evaluates a version now.

     The work is a job of kind `evaluate` among the session's compressions; with `Prefer: wait` the reply
    is the evaluation itself as soon as it is there.

    Args:
        session_id (str): The caller's name for a session (`session_id` in the API), unique per
            tenant.
        branch (str | Unset): The name of a branch, unique in its session.
        prefer (str | Unset):
        idempotency_key (str | Unset):
        body (CreateEvaluation | Unset): The version to evaluate.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Compression | EvaluationDetail | Problem]
     """


    kwargs = _get_kwargs(
        session_id=session_id,
body=body,
branch=branch,
prefer=prefer,
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
    body: CreateEvaluation | Unset = UNSET,
    branch: str | Unset = UNSET,
    prefer: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> Compression | EvaluationDetail | Problem | None:
    """ Evaluates a version now.

     The work is a job of kind `evaluate` among the session's compressions; with `Prefer: wait` the reply
    is the evaluation itself as soon as it is there.

    Args:
        session_id (str): The caller's name for a session (`session_id` in the API), unique per
            tenant.
        branch (str | Unset): The name of a branch, unique in its session.
        prefer (str | Unset):
        idempotency_key (str | Unset):
        body (CreateEvaluation | Unset): The version to evaluate.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Compression | EvaluationDetail | Problem
     """


    return sync_detailed(
        session_id=session_id,
client=client,
body=body,
branch=branch,
prefer=prefer,
idempotency_key=idempotency_key,

    ).parsed

async def asyncio_detailed(
    session_id: str,
    *,
    client: AuthenticatedClient,
    body: CreateEvaluation | Unset = UNSET,
    branch: str | Unset = UNSET,
    prefer: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> Response[Compression | EvaluationDetail | Problem]:
    """ Evaluates a version now.

     The work is a job of kind `evaluate` among the session's compressions; with `Prefer: wait` the reply
    is the evaluation itself as soon as it is there.

    Args:
        session_id (str): The caller's name for a session (`session_id` in the API), unique per
            tenant.
        branch (str | Unset): The name of a branch, unique in its session.
        prefer (str | Unset):
        idempotency_key (str | Unset):
        body (CreateEvaluation | Unset): The version to evaluate.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Compression | EvaluationDetail | Problem]
     """


    kwargs = _get_kwargs(
        session_id=session_id,
body=body,
branch=branch,
prefer=prefer,
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
    body: CreateEvaluation | Unset = UNSET,
    branch: str | Unset = UNSET,
    prefer: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> Compression | EvaluationDetail | Problem | None:
    """ Evaluates a version now.

     The work is a job of kind `evaluate` among the session's compressions; with `Prefer: wait` the reply
    is the evaluation itself as soon as it is there.

    Args:
        session_id (str): The caller's name for a session (`session_id` in the API), unique per
            tenant.
        branch (str | Unset): The name of a branch, unique in its session.
        prefer (str | Unset):
        idempotency_key (str | Unset):
        body (CreateEvaluation | Unset): The version to evaluate.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Compression | EvaluationDetail | Problem
     """


    return (await asyncio_detailed(
        session_id=session_id,
client=client,
body=body,
branch=branch,
prefer=prefer,
idempotency_key=idempotency_key,

    )).parsed
