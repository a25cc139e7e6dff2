"""The `openai` client: OpenAI, Azure and every compatible server. Imported when the first question is asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from ...domain.llm import Azure, Endpoint
from ...domain.model import Json
from .trouble import Fault, Trouble, by_status

if TYPE_CHECKING:
    from openai import OpenAI

Secret = Callable[[str], str]


class Client(Protocol):
    """One connection pool. `create` gives the body of the answer; `close`, from any thread, ends what it waits for."""

    def create(self, request: Json, seconds: float) -> bytes: ...

    def close(self) -> None: ...


class OpenAiClient:
    """Chat Completions. The library's own retries are off: ours know the deadline."""

    def __init__(self, endpoint: Endpoint, secret: Secret) -> None:
        self._api = _open(endpoint, secret)

    def create(self, request: Json, seconds: float) -> bytes:
        """Raises Trouble. `seconds` bounds each phase, not the whole: that is the caller's to do."""
        import openai  # noqa: PLC0415 - heavy, and most daemons never ask

        try:
            return self._api.chat.completions.with_raw_response.create(**request, timeout=seconds).content
        except openai.APITimeoutError as error:
            raise Trouble(Fault.TIMEOUT, "no answer in time") from error
        except openai.APIStatusError as error:
            raise by_status(error.status_code, error.body, error.response.headers) from error
        except openai.APIConnectionError as error:
            raise Trouble(Fault.CONNECTION, f"{error} {error.__cause__ or ''}") from error
        except openai.OpenAIError as error:
            raise Trouble(Fault.UNREADABLE, str(error)) from error

    def close(self) -> None:
        self._api.close()


def _open(endpoint: Endpoint, secret: Secret) -> OpenAI:
    import openai  # noqa: PLC0415 - heavy, and most daemons never ask

    key = secret(endpoint.api_key) if endpoint.api_key else "none"
    if endpoint.azure:
        return _open_azure(endpoint.azure, key, secret)
    return openai.OpenAI(base_url=endpoint.base_url or "https://api.openai.com/v1", api_key=key, max_retries=0)


def _open_azure(azure: Azure, key: str, secret: Secret) -> OpenAI:
    import openai  # noqa: PLC0415 - heavy, and most daemons never ask

    return openai.AzureOpenAI(
        azure_endpoint=azure.endpoint,
        azure_deployment=azure.deployment,
        api_version=azure.api_version,
        api_key=None if azure.ad_token else key,
        azure_ad_token=secret(azure.ad_token) if azure.ad_token else None,
        max_retries=0,
    )
