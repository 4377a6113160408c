from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.model import Model
from ...models.model_request import ModelRequest
from ...models.problem import Problem
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    name: str,
    *,
    body: ModelRequest,
    prefer: str | Unset = UNSET,

) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(prefer, Unset):
        headers["Prefer"] = prefer



    

    

    _kwargs: dict[str, Any] = {
        "method": "put",
        "url": "/v1/models/{name}".format(name=quote(str(name), safe=""),),
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Any | Model | Problem | None:
    if response.status_code == 200:
        response_200 = Model.from_dict(response.json())



        return response_200

    if response.status_code == 201:
        response_201 = Model.from_dict(response.json())



        return response_201

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


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[Any | Model | Problem]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    name: str,
    *,
    client: AuthenticatedClient,
    body: ModelRequest,
    prefer: str | Unset = UNSET,

) -> Response[Any | Model | Problem]:
    """ Adds a model of the tenant's, or replaces it.

     It overrides a built-in model of the same name, from the next request on in every session that names
    it.
    A tenant has at most 50.

    Args:
        name (str):
        prefer (str | Unset):
        body (ModelRequest): A model of the tenant's.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Any | Model | Problem]
     """


    kwargs = _get_kwargs(
        name=name,
body=body,
prefer=prefer,

    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)

def sync(
    name: str,
    *,
    client: AuthenticatedClient,
    body: ModelRequest,
    prefer: str | Unset = UNSET,

) -> Any | Model | Problem | None:
    """ Adds a model of the tenant's, or replaces it.

     It overrides a built-in model of the same name, from the next request on in every session that names
    it.
    A tenant has at most 50.

    Args:
        name (str):
        prefer (str | Unset):
        body (ModelRequest): A model of the tenant's.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Any | Model | Problem
     """


    return sync_detailed(
        name=name,
client=client,
body=body,
prefer=prefer,

    ).parsed

async def asyncio_detailed(
    name: str,
    *,
    client: AuthenticatedClient,
    body: ModelRequest,
    prefer: str | Unset = UNSET,

) -> Response[Any | Model | Problem]:
    """ Adds a model of the tenant's, or replaces it.

     It overrides a built-in model of the same name, from the next request on in every session that names
    it.
    A tenant has at most 50.

    Args:
        name (str):
        prefer (str | Unset):
        body (ModelRequest): A model of the tenant's.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Any | Model | Problem]
     """


    kwargs = _get_kwargs(
        name=name,
body=body,
prefer=prefer,

    )

    response = await client.get_async_httpx_client().request(
        **kwargs
    )

    return _build_response(client=client, response=response)

async def asyncio(
    name: str,
    *,
    client: AuthenticatedClient,
    body: ModelRequest,
    prefer: str | Unset = UNSET,

) -> Any | Model | Problem | None:
    """ Adds a model of the tenant's, or replaces it.

     It overrides a built-in model of the same name, from the next request on in every session that names
    it.
    A tenant has at most 50.

    Args:
        name (str):
        prefer (str | Unset):
        body (ModelRequest): A model of the tenant's.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Any | Model | Problem
     """


    return (await asyncio_detailed(
        name=name,
client=client,
body=body,
prefer=prefer,

    )).parsed
