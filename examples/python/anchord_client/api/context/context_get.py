from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import httpx

from ...client import AuthenticatedClient, Client
from ...types import Response, UNSET
from ... import errors

from ...models.context import Context
from ...models.context_get_cache_control import ContextGetCacheControl
from ...models.message_format import MessageFormat
from ...models.problem import Problem
from ...types import UNSET, Unset
from typing import cast



def _get_kwargs(
    session_id: str,
    *,
    format_: MessageFormat | Unset = UNSET,
    max_input_tokens: int | Unset = UNSET,
    model: str | Unset = UNSET,
    recap: bool | Unset = UNSET,
    cache_control: ContextGetCacheControl | Unset = UNSET,
    version: int | Unset = UNSET,
    through_seq: int | Unset = UNSET,
    branch: str | Unset = UNSET,
    if_none_match: None | str | Unset = UNSET,

) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(if_none_match, Unset):
        headers["If-None-Match"] = if_none_match



    

    params: dict[str, Any] = {}

    json_format_: str | Unset = UNSET
    if not isinstance(format_, Unset):
        json_format_ = format_.value

    params["format"] = json_format_

    params["max_input_tokens"] = max_input_tokens

    params["model"] = model

    params["recap"] = recap

    json_cache_control: str | Unset = UNSET
    if not isinstance(cache_control, Unset):
        json_cache_control = cache_control.value

    params["cache_control"] = json_cache_control

    params["version"] = version

    params["through_seq"] = through_seq

    params["branch"] = branch


    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}


    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/v1/sessions/{session_id}/context".format(session_id=quote(str(session_id), safe=""),),
        "params": params,
    }


    _kwargs["headers"] = headers
    return _kwargs



def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Any | Context | Problem | None:
    if response.status_code == 200:
        response_200 = Context.from_dict(response.json())



        return response_200

    if response.status_code == 304:
        response_304 = cast(Any, None)
        return response_304

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


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[Any | Context | Problem]:
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
    format_: MessageFormat | Unset = UNSET,
    max_input_tokens: int | Unset = UNSET,
    model: str | Unset = UNSET,
    recap: bool | Unset = UNSET,
    cache_control: ContextGetCacheControl | Unset = UNSET,
    version: int | Unset = UNSET,
    through_seq: int | Unset = UNSET,
    branch: str | Unset = UNSET,
    if_none_match: None | str | Unset = UNSET,

) -> Response[Any | Context | Problem]:
    """ Assembles the context: what to send to the model next.

     Always valid for its provider and within its budget, and never waits for a compression. The reply
    has an `ETag`; send it back as `If-None-Match` to learn that nothing has changed.

    Args:
        session_id (str): The caller's name for a session (`session_id` in the API), unique per
            tenant.
        format_ (MessageFormat | Unset): A conversation format, in and out.
        max_input_tokens (int | Unset):
        model (str | Unset):
        recap (bool | Unset):
        cache_control (ContextGetCacheControl | Unset): How long the provider keeps what a mark
            ends.
        version (int | Unset):
        through_seq (int | Unset):
        branch (str | Unset): The name of a branch, unique in its session.
        if_none_match (None | str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Any | Context | Problem]
     """


    kwargs = _get_kwargs(
        session_id=session_id,
format_=format_,
max_input_tokens=max_input_tokens,
model=model,
recap=recap,
cache_control=cache_control,
version=version,
through_seq=through_seq,
branch=branch,
if_none_match=if_none_match,

    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)

def sync(
    session_id: str,
    *,
    client: AuthenticatedClient,
    format_: MessageFormat | Unset = UNSET,
    max_input_tokens: int | Unset = UNSET,
    model: str | Unset = UNSET,
    recap: bool | Unset = UNSET,
    cache_control: ContextGetCacheControl | Unset = UNSET,
    version: int | Unset = UNSET,
    through_seq: int | Unset = UNSET,
    branch: str | Unset = UNSET,
    if_none_match: None | str | Unset = UNSET,

) -> Any | Context | Problem | None:
    """ Assembles the context: what to send to the model next.

     Always valid for its provider and within its budget, and never waits for a compression. The reply
    has an `ETag`; send it back as `If-None-Match` to learn that nothing has changed.

    Args:
        session_id (str): The caller's name for a session (`session_id` in the API), unique per
            tenant.
        format_ (MessageFormat | Unset): A conversation format, in and out.
        max_input_tokens (int | Unset):
        model (str | Unset):
        recap (bool | Unset):
        cache_control (ContextGetCacheControl | Unset): How long the provider keeps what a mark
            ends.
        version (int | Unset):
        through_seq (int | Unset):
        branch (str | Unset): The name of a branch, unique in its session.
        if_none_match (None | str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Any | Context | Problem
     """


    return sync_detailed(
        session_id=session_id,
client=client,
format_=format_,
max_input_tokens=max_input_tokens,
model=model,
recap=recap,
cache_control=cache_control,
version=version,
through_seq=through_seq,
branch=branch,
if_none_match=if_none_match,

    ).parsed

async def asyncio_detailed(
    session_id: str,
    *,
    client: AuthenticatedClient,
    format_: MessageFormat | Unset = UNSET,
    max_input_tokens: int | Unset = UNSET,
    model: str | Unset = UNSET,
    recap: bool | Unset = UNSET,
    cache_control: ContextGetCacheControl | Unset = UNSET,
    version: int | Unset = UNSET,
    through_seq: int | Unset = UNSET,
    branch: str | Unset = UNSET,
    if_none_match: None | str | Unset = UNSET,

) -> Response[Any | Context | Problem]:
    """ Assembles the context: what to send to the model next.

     Always valid for its provider and within its budget, and never waits for a compression. The reply
    has an `ETag`; send it back as `If-None-Match` to learn that nothing has changed.

    Args:
        session_id (str): The caller's name for a session (`session_id` in the API), unique per
            tenant.
        format_ (MessageFormat | Unset): A conversation format, in and out.
        max_input_tokens (int | Unset):
        model (str | Unset):
        recap (bool | Unset):
        cache_control (ContextGetCacheControl | Unset): How long the provider keeps what a mark
            ends.
        version (int | Unset):
        through_seq (int | Unset):
        branch (str | Unset): The name of a branch, unique in its session.
        if_none_match (None | str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Any | Context | Problem]
     """


    kwargs = _get_kwargs(
        session_id=session_id,
format_=format_,
max_input_tokens=max_input_tokens,
model=model,
recap=recap,
cache_control=cache_control,
version=version,
through_seq=through_seq,
branch=branch,
if_none_match=if_none_match,

    )

    response = await client.get_async_httpx_client().request(
        **kwargs
    )

    return _build_response(client=client, response=response)

async def asyncio(
    session_id: str,
    *,
    client: AuthenticatedClient,
    format_: MessageFormat | Unset = UNSET,
    max_input_tokens: int | Unset = UNSET,
    model: str | Unset = UNSET,
    recap: bool | Unset = UNSET,
    cache_control: ContextGetCacheControl | Unset = UNSET,
    version: int | Unset = UNSET,
    through_seq: int | Unset = UNSET,
    branch: str | Unset = UNSET,
    if_none_match: None | str | Unset = UNSET,

) -> Any | Context | Problem | None:
    """ Assembles the context: what to send to the model next.

     Always valid for its provider and within its budget, and never waits for a compression. The reply
    has an `ETag`; send it back as `If-None-Match` to learn that nothing has changed.

    Args:
        session_id (str): The caller's name for a session (`session_id` in the API), unique per
            tenant.
        format_ (MessageFormat | Unset): A conversation format, in and out.
        max_input_tokens (int | Unset):
        model (str | Unset):
        recap (bool | Unset):
        cache_control (ContextGetCacheControl | Unset): How long the provider keeps what a mark
            ends.
        version (int | Unset):
        through_seq (int | Unset):
        branch (str | Unset): The name of a branch, unique in its session.
        if_none_match (None | str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Any | Context | Problem
     """


    return (await asyncio_detailed(
        session_id=session_id,
client=client,
format_=format_,
max_input_tokens=max_input_tokens,
model=model,
recap=recap,
cache_control=cache_control,
version=version,
through_seq=through_seq,
branch=branch,
if_none_match=if_none_match,

    )).parsed
