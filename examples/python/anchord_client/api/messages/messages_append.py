from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.append_request import AppendRequest
from ...models.append_result import AppendResult
from ...models.messages_append_cache_control import MessagesAppendCacheControl
from ...models.messages_append_format import MessagesAppendFormat
from ...models.messages_append_include_item import MessagesAppendIncludeItem
from ...models.messages_append_return import MessagesAppendReturn
from ...models.problem import Problem
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    session_id: str,
    *,
    body: AppendRequest,
    include: list[MessagesAppendIncludeItem] | Unset = UNSET,
    return_: MessagesAppendReturn | Unset = UNSET,
    format_: MessagesAppendFormat | Unset = UNSET,
    max_input_tokens: int | Unset = UNSET,
    recap: bool | Unset = UNSET,
    cache_control: MessagesAppendCacheControl | Unset = UNSET,
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

    json_include: list[str] | Unset = UNSET
    if not isinstance(include, Unset):
        json_include = []
        for include_item_data in include:
            include_item = include_item_data.value
            json_include.append(include_item)


    params["include"] = json_include

    json_return_: str | Unset = UNSET
    if not isinstance(return_, Unset):
        json_return_ = return_.value

    params["return"] = json_return_

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
        "method": "post",
        "url": "/v1/sessions/{session_id}/messages".format(session_id=quote(str(session_id), safe=""),),
        "params": params,
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Any | AppendResult | Problem | None:
    if response.status_code == 201:
        response_201 = AppendResult.from_dict(response.json())



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


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[Any | AppendResult | Problem]:
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
    body: AppendRequest,
    include: list[MessagesAppendIncludeItem] | Unset = UNSET,
    return_: MessagesAppendReturn | Unset = UNSET,
    format_: MessagesAppendFormat | Unset = UNSET,
    max_input_tokens: int | Unset = UNSET,
    recap: bool | Unset = UNSET,
    cache_control: MessagesAppendCacheControl | Unset = UNSET,
    branch: str | Unset = UNSET,
    prefer: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> Response[Any | AppendResult | Problem]:
    """ Appends a batch of messages; makes the session when it is new.

     The batch is stored whole or not at all, in order and without gaps, and is of one format. The reply
    tells the positions, how
    full the context is, the signals that ask for something, and the live compression, when there is
    one; `include` adds the rest.
    With `return=context` it also has the context to send to the model next, which saves a round trip.
    `usage.assumed` is true until the session or its tenant has a `context_window` or a known `model`;
    with `include=warnings`
    the reply says why (`window-assumed`, `model-unknown`) and what to do.

    Args:
        session_id (str): The caller's name for a session (`session_id` in the API), unique per
            tenant.
        include (list[MessagesAppendIncludeItem] | Unset):
        return_ (MessagesAppendReturn | Unset): More that an append may return.
        format_ (MessagesAppendFormat | Unset): A conversation format, in and out.
        max_input_tokens (int | Unset):
        recap (bool | Unset):
        cache_control (MessagesAppendCacheControl | Unset): How long the provider keeps what a
            mark ends.
        branch (str | Unset): The name of a branch, unique in its session.
        prefer (str | Unset):
        idempotency_key (str | Unset):
        body (AppendRequest): A batch of messages to append.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Any | AppendResult | Problem]
     """


    kwargs = _get_kwargs(
        session_id=session_id,
body=body,
include=include,
return_=return_,
format_=format_,
max_input_tokens=max_input_tokens,
recap=recap,
cache_control=cache_control,
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
    body: AppendRequest,
    include: list[MessagesAppendIncludeItem] | Unset = UNSET,
    return_: MessagesAppendReturn | Unset = UNSET,
    format_: MessagesAppendFormat | Unset = UNSET,
    max_input_tokens: int | Unset = UNSET,
    recap: bool | Unset = UNSET,
    cache_control: MessagesAppendCacheControl | Unset = UNSET,
    branch: str | Unset = UNSET,
    prefer: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> Any | AppendResult | Problem | None:
    """ Appends a batch of messages; makes the session when it is new.

     The batch is stored whole or not at all, in order and without gaps, and is of one format. The reply
    tells the positions, how
    full the context is, the signals that ask for something, and the live compression, when there is
    one; `include` adds the rest.
    With `return=context` it also has the context to send to the model next, which saves a round trip.
    `usage.assumed` is true until the session or its tenant has a `context_window` or a known `model`;
    with `include=warnings`
    the reply says why (`window-assumed`, `model-unknown`) and what to do.

    Args:
        session_id (str): The caller's name for a session (`session_id` in the API), unique per
            tenant.
        include (list[MessagesAppendIncludeItem] | Unset):
        return_ (MessagesAppendReturn | Unset): More that an append may return.
        format_ (MessagesAppendFormat | Unset): A conversation format, in and out.
        max_input_tokens (int | Unset):
        recap (bool | Unset):
        cache_control (MessagesAppendCacheControl | Unset): How long the provider keeps what a
            mark ends.
        branch (str | Unset): The name of a branch, unique in its session.
        prefer (str | Unset):
        idempotency_key (str | Unset):
        body (AppendRequest): A batch of messages to append.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Any | AppendResult | Problem
     """


    return sync_detailed(
        session_id=session_id,
client=client,
body=body,
include=include,
return_=return_,
format_=format_,
max_input_tokens=max_input_tokens,
recap=recap,
cache_control=cache_control,
branch=branch,
prefer=prefer,
idempotency_key=idempotency_key,

    ).parsed

async def asyncio_detailed(
    session_id: str,
    *,
    client: AuthenticatedClient,
    body: AppendRequest,
    include: list[MessagesAppendIncludeItem] | Unset = UNSET,
    return_: MessagesAppendReturn | Unset = UNSET,
    format_: MessagesAppendFormat | Unset = UNSET,
    max_input_tokens: int | Unset = UNSET,
    recap: bool | Unset = UNSET,
    cache_control: MessagesAppendCacheControl | Unset = UNSET,
    branch: str | Unset = UNSET,
    prefer: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> Response[Any | AppendResult | Problem]:
    """ Appends a batch of messages; makes the session when it is new.

     The batch is stored whole or not at all, in order and without gaps, and is of one format. The reply
    tells the positions, how
    full the context is, the signals that ask for something, and the live compression, when there is
    one; `include` adds the rest.
    With `return=context` it also has the context to send to the model next, which saves a round trip.
    `usage.assumed` is true until the session or its tenant has a `context_window` or a known `model`;
    with `include=warnings`
    the reply says why (`window-assumed`, `model-unknown`) and what to do.

    Args:
        session_id (str): The caller's name for a session (`session_id` in the API), unique per
            tenant.
        include (list[MessagesAppendIncludeItem] | Unset):
        return_ (MessagesAppendReturn | Unset): More that an append may return.
        format_ (MessagesAppendFormat | Unset): A conversation format, in and out.
        max_input_tokens (int | Unset):
        recap (bool | Unset):
        cache_control (MessagesAppendCacheControl | Unset): How long the provider keeps what a
            mark ends.
        branch (str | Unset): The name of a branch, unique in its session.
        prefer (str | Unset):
        idempotency_key (str | Unset):
        body (AppendRequest): A batch of messages to append.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Any | AppendResult | Problem]
     """


    kwargs = _get_kwargs(
        session_id=session_id,
body=body,
include=include,
return_=return_,
format_=format_,
max_input_tokens=max_input_tokens,
recap=recap,
cache_control=cache_control,
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
    body: AppendRequest,
    include: list[MessagesAppendIncludeItem] | Unset = UNSET,
    return_: MessagesAppendReturn | Unset = UNSET,
    format_: MessagesAppendFormat | Unset = UNSET,
    max_input_tokens: int | Unset = UNSET,
    recap: bool | Unset = UNSET,
    cache_control: MessagesAppendCacheControl | Unset = UNSET,
    branch: str | Unset = UNSET,
    prefer: str | Unset = UNSET,
    idempotency_key: str | Unset = UNSET,

) -> Any | AppendResult | Problem | None:
    """ Appends a batch of messages; makes the session when it is new.

     The batch is stored whole or not at all, in order and without gaps, and is of one format. The reply
    tells the positions, how
    full the context is, the signals that ask for something, and the live compression, when there is
    one; `include` adds the rest.
    With `return=context` it also has the context to send to the model next, which saves a round trip.
    `usage.assumed` is true until the session or its tenant has a `context_window` or a known `model`;
    with `include=warnings`
    the reply says why (`window-assumed`, `model-unknown`) and what to do.

    Args:
        session_id (str): The caller's name for a session (`session_id` in the API), unique per
            tenant.
        include (list[MessagesAppendIncludeItem] | Unset):
        return_ (MessagesAppendReturn | Unset): More that an append may return.
        format_ (MessagesAppendFormat | Unset): A conversation format, in and out.
        max_input_tokens (int | Unset):
        recap (bool | Unset):
        cache_control (MessagesAppendCacheControl | Unset): How long the provider keeps what a
            mark ends.
        branch (str | Unset): The name of a branch, unique in its session.
        prefer (str | Unset):
        idempotency_key (str | Unset):
        body (AppendRequest): A batch of messages to append.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Any | AppendResult | Problem
     """


    return (await asyncio_detailed(
        session_id=session_id,
client=client,
body=body,
include=include,
return_=return_,
format_=format_,
max_input_tokens=max_input_tokens,
recap=recap,
cache_control=cache_control,
branch=branch,
prefer=prefer,
idempotency_key=idempotency_key,

    )).parsed
