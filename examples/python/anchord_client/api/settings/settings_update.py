from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.problem import Problem
from ...models.settings import Settings
from ...models.tenant_settings import TenantSettings
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    *,
    body: Settings,
    prefer: str | Unset = UNSET,

) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(prefer, Unset):
        headers["Prefer"] = prefer



    

    

    _kwargs: dict[str, Any] = {
        "method": "patch",
        "url": "/v1/settings",
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Any | Problem | TenantSettings | None:
    if response.status_code == 200:
        response_200 = TenantSettings.from_dict(response.json())



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


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[Any | Problem | TenantSettings]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient,
    body: Settings,
    prefer: str | Unset = UNSET,

) -> Response[Any | Problem | TenantSettings]:
    """ Changes the defaults of the tenant's sessions.

     An absent field keeps its value and null resets it (JSON Merge Patch). A session's own settings take
    precedence. They
    apply from the next request on, and each session's `context_revision` grows.

    Args:
        prefer (str | Unset):
        body (Settings): Settings as the caller gave them; every field is optional.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Any | Problem | TenantSettings]
     """


    kwargs = _get_kwargs(
        body=body,
prefer=prefer,

    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)

def sync(
    *,
    client: AuthenticatedClient,
    body: Settings,
    prefer: str | Unset = UNSET,

) -> Any | Problem | TenantSettings | None:
    """ Changes the defaults of the tenant's sessions.

     An absent field keeps its value and null resets it (JSON Merge Patch). A session's own settings take
    precedence. They
    apply from the next request on, and each session's `context_revision` grows.

    Args:
        prefer (str | Unset):
        body (Settings): Settings as the caller gave them; every field is optional.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Any | Problem | TenantSettings
     """


    return sync_detailed(
        client=client,
body=body,
prefer=prefer,

    ).parsed

async def asyncio_detailed(
    *,
    client: AuthenticatedClient,
    body: Settings,
    prefer: str | Unset = UNSET,

) -> Response[Any | Problem | TenantSettings]:
    """ Changes the defaults of the tenant's sessions.

     An absent field keeps its value and null resets it (JSON Merge Patch). A session's own settings take
    precedence. They
    apply from the next request on, and each session's `context_revision` grows.

    Args:
        prefer (str | Unset):
        body (Settings): Settings as the caller gave them; every field is optional.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Any | Problem | TenantSettings]
     """


    kwargs = _get_kwargs(
        body=body,
prefer=prefer,

    )

    response = await client.get_async_httpx_client().request(
        **kwargs
    )

    return _build_response(client=client, response=response)

async def asyncio(
    *,
    client: AuthenticatedClient,
    body: Settings,
    prefer: str | Unset = UNSET,

) -> Any | Problem | TenantSettings | None:
    """ Changes the defaults of the tenant's sessions.

     An absent field keeps its value and null resets it (JSON Merge Patch). A session's own settings take
    precedence. They
    apply from the next request on, and each session's `context_revision` grows.

    Args:
        prefer (str | Unset):
        body (Settings): Settings as the caller gave them; every field is optional.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Any | Problem | TenantSettings
     """


    return (await asyncio_detailed(
        client=client,
body=body,
prefer=prefer,

    )).parsed
