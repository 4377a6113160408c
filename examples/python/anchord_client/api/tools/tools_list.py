from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.problem import Problem
from ...models.tool_definitions import ToolDefinitions
from ...models.tools_list_format import ToolsListFormat
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    *,
    format_: ToolsListFormat | Unset = UNSET,

) -> dict[str, Any]:
    

    

    params: dict[str, Any] = {}

    json_format_: str | Unset = UNSET
    if not isinstance(format_, Unset):
        json_format_ = format_.value

    params["format"] = json_format_


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}


    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/tools",
        "params": params,
    }


    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Problem | ToolDefinitions | None:
    if response.status_code == 200:
        response_200 = ToolDefinitions.from_dict(response.json())



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


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[Problem | ToolDefinitions]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient,
    format_: ToolsListFormat | Unset = UNSET,

) -> Response[Problem | ToolDefinitions]:
    """ Returns the definitions of the tools to offer to an agent's model.

     They are in the form of the provider, small enough to be sent with every call of the model. With the
    setting `tools`
    of a session, contexts name the tools where they leave something out.

    Args:
        format_ (ToolsListFormat | Unset): A conversation format, in and out.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Problem | ToolDefinitions]
     """


    kwargs = _get_kwargs(
        format_=format_,

    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)

def sync(
    *,
    client: AuthenticatedClient,
    format_: ToolsListFormat | Unset = UNSET,

) -> Problem | ToolDefinitions | None:
    """ Returns the definitions of the tools to offer to an agent's model.

     They are in the form of the provider, small enough to be sent with every call of the model. With the
    setting `tools`
    of a session, contexts name the tools where they leave something out.

    Args:
        format_ (ToolsListFormat | Unset): A conversation format, in and out.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Problem | ToolDefinitions
     """


    return sync_detailed(
        client=client,
format_=format_,

    ).parsed

async def asyncio_detailed(
    *,
    client: AuthenticatedClient,
    format_: ToolsListFormat | Unset = UNSET,

) -> Response[Problem | ToolDefinitions]:
    """ Returns the definitions of the tools to offer to an agent's model.

     They are in the form of the provider, small enough to be sent with every call of the model. With the
    setting `tools`
    of a session, contexts name the tools where they leave something out.

    Args:
        format_ (ToolsListFormat | Unset): A conversation format, in and out.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Problem | ToolDefinitions]
     """


    kwargs = _get_kwargs(
        format_=format_,

    )

    response = await client.get_async_httpx_client().request(
        **kwargs
    )

    return _build_response(client=client, response=response)

async def asyncio(
    *,
    client: AuthenticatedClient,
    format_: ToolsListFormat | Unset = UNSET,

) -> Problem | ToolDefinitions | None:
    """ Returns the definitions of the tools to offer to an agent's model.

     They are in the form of the provider, small enough to be sent with every call of the model. With the
    setting `tools`
    of a session, contexts name the tools where they leave something out.

    Args:
        format_ (ToolsListFormat | Unset): A conversation format, in and out.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Problem | ToolDefinitions
     """


    return (await asyncio_detailed(
        client=client,
format_=format_,

    )).parsed
