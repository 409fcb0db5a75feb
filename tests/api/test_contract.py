"""What the documents promise is what the API does, with and without a token."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.config import SchemathesisConfig
from schemathesis.schemas import BaseSchema

from api.app import create_app, create_desk_app
from api.door import Limits
from api.tokens import Person, Role, Tokens
from tests.api.scripted import ScriptedTable
from tests.api.serving import Served
from tests.pages.camera import DrawnSetup

LIMITS = Limits(burst=100_000, per_s=100_000, guesses=100_000)
TABLE = ScriptedTable()
TOKENS = Tokens({})
TOKEN = TOKENS.add(Person("admin", Role.ADMIN))
APP = create_desk_app(TABLE, TOKENS, setup=DrawnSetup(), limits=LIMITS)
DOCUMENT = APP.openapi()
# Whether a command is allowed depends on the table (409, 412, 428), and no JSON schema says what position can
# stand, or that one of two members must be there (422).
REFUSED = ["2xx", "3xx", "401", "403", "404", "409", "412", "422", "428", "503"]
CONFIG = SchemathesisConfig.from_dict({"checks": {"positive_data_acceptance": {"expected-statuses": REFUSED}}})


def operations(document: dict[str, Any]) -> BaseSchema:
    """Return what schemathesis calls; the stream, which never ends, and HEAD are tested by themselves."""
    found = schemathesis.openapi.from_dict(document, config=CONFIG)
    return found.exclude(path_regex=r"/live$").exclude(method="HEAD")


def with_token(document: dict[str, Any]) -> dict[str, Any]:
    """Return the document as it is for somebody whose every request carries a token."""
    told = copy.deepcopy(document)
    for methods in told["paths"].values():
        for operation in methods.values():
            operation.pop("security", None)
    return told


OPEN = operations(with_token(DOCUMENT))
SCHEMA = operations(DOCUMENT)
FEW = settings(
    max_examples=6,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    server = Served(APP)
    server.call(TABLE.play_many(5))
    yield server
    server.close()


@OPEN.parametrize()
@FEW
def test_with_a_token_no_answer_is_undocumented(case: schemathesis.Case, served: Served) -> None:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    case.call_and_validate(base_url=served.url, headers=headers)


@SCHEMA.parametrize()
@FEW
def test_without_a_token_no_answer_is_undocumented(case: schemathesis.Case, served: Served) -> None:
    response = case.call(base_url=served.url)
    case.validate_response(response)
    if case.path.startswith(("/api/v1/desk", "/api/v1/setup")):
        assert response.status_code in (401, 405, 422, 429) or response.status_code >= 400


def test_every_operation_is_described_and_has_an_id() -> None:
    for path, methods in DOCUMENT["paths"].items():
        for method, operation in methods.items():
            assert operation.get("description"), (method, path)
            assert operation["operationId"]
            assert "429" in operation["responses"]


def test_the_viewers_document_has_only_reads() -> None:
    document = create_app(ScriptedTable()).openapi()
    assert all(set(methods) == {"get", "head"} for methods in document["paths"].values())
    assert "/api/v1/live" in document["paths"]


def test_the_asyncapi_document_refers_only_to_what_it_holds(served: Served) -> None:
    document = httpx.get(served.url + "/api/v1/asyncapi.json").json()
    assert document["asyncapi"].startswith("3.")

    def references(value: object) -> Iterator[str]:
        if isinstance(value, dict):
            for name, item in value.items():
                if name == "$ref":
                    yield item
                yield from references(item)
        elif isinstance(value, list):
            for item in value:
                yield from references(item)

    for reference in references(document):
        at = document
        for part in reference.removeprefix("#/").split("/"):
            at = at[part]
        assert at
