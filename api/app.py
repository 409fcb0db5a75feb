"""The two doors: viewers, who can only read, and the desk, which can also act."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.responses import FileResponse
from fastapi.staticfiles import StaticFiles
from starlette.routing import Route

from api import problems
from api.context import Context, Shortcut
from api.desk import Desk
from api.desk_socket import DeskSockets
from api.documents import asyncapi_document, openapi_document
from api.door import Door, Limits, Traffic, own_names
from api.metrics import Metrics
from api.routes import health, match, pictures
from api.routes import setup as setup_routes
from api.routes import table as table_routes
from api.routes.desk import desk_router
from api.source import DeskSource, TableSource
from api.stream import Hub, LiveStream
from api.tokens import Tokens
from api.visibility import PublicTable
from controller.ports import Setup

STATIC = Path(__file__).parent / "static"

PAGES = {"/": "index.html", "/tv": "tv.html", "/overlay": "overlay.html", "/report": "report.html"}
DESK_PAGES = {"/desk": "desk.html", "/setup": "setup.html"}


def create_app(
    table: TableSource,
    *,
    names: Iterable[str] = (),
    limits: Limits | None = None,
    beat_s: float = 10.0,
    delay_s: float = 0.0,
    aids: bool = False,
) -> FastAPI:
    """Return the viewers' door of one table: pages, read-only resources and the live stream.

    Args:
        table: what is shown.
        names: host names that are answered besides this computer's own and plain addresses.
        limits: what one client may ask for.
        beat_s: seconds between the beats of an idle live stream.
        delay_s: how much later than the table viewers see everything.
        aids: whether viewers may see hints and the like; for a tournament only with a delay.
    """
    return _app(table, names, limits or Limits(), beat_s, delay_s, aids)


def create_desk_app(
    table: DeskSource,
    tokens: Tokens,
    *,
    setup: Setup | None = None,
    names: Iterable[str] = (),
    limits: Limits | None = None,
    beat_s: float = 10.0,
) -> FastAPI:
    """Return the desk's door of one table: everything that viewers have, and commands for those with a token.

    Args:
        table: what is shown and takes the commands.
        tokens: who may give them.
        setup: camera and board for the wizard and for the desk's picture, where there are any.
        names: see `create_app`.
        limits: see `create_app`.
        beat_s: see `create_app`.
    """
    limits = limits or Limits()
    app = _app(table, names, limits, beat_s, 0.0, False)
    desk = Desk(table, tokens, app.state.context.metrics, guesses=limits.guesses)
    app.state.desk = desk
    app.state.setup = setup
    app.include_router(desk_router())
    app.include_router(setup_routes.router)
    sockets = DeskSockets(desk, setup is not None)
    app.add_api_websocket_route("/api/v1/desk/socket", sockets.serve)
    for path, name in DESK_PAGES.items():
        app.router.routes.append(Route(path, _page(STATIC / name), methods=["GET"]))
    return app


def _app(
    table: TableSource, names: Iterable[str], limits: Limits, beat_s: float, delay_s: float, aids: bool
) -> FastAPI:
    app = FastAPI(title="Barpoint", version="1", docs_url=None, redoc_url=None, openapi_url=None)
    public = PublicTable(table, delay_s=delay_s, aids=aids)
    hub = Hub(public.snapshot, public.events, beat_s=beat_s)
    public.add_publisher(hub)
    metrics = Metrics()
    _watch(metrics, hub)
    app.state.context = Context(public, hub, metrics, delay_s)
    problems.install(app)
    app.include_router(table_routes.router)
    app.include_router(match.router)
    app.include_router(health.router)
    app.include_router(pictures.router)
    hosts, traffic = own_names() | {name.lower() for name in names}, Traffic(limits)
    stream = LiveStream(hub, limits.viewers)
    paths = ("/api/v1/live", f"/api/v1/tables/{table.table_id}/live")
    app.router.routes.extend(Route(path, stream) for path in paths)
    app.state.shortcut = Shortcut(frozenset(paths), Door(stream, metrics, hosts, limits, traffic))
    _add_documents(app)
    _add_pages(app)
    app.add_middleware(Door, metrics=metrics, names=hosts, limits=limits, traffic=traffic)
    return app


def _watch(metrics: Metrics, hub: Hub) -> None:
    metrics.gauge("barpoint_viewers", lambda: hub.viewers)
    metrics.gauge("barpoint_messages_total", lambda: hub.sent)
    metrics.gauge("barpoint_dropped_viewers_total", lambda: hub.dropped)
    metrics.gauge("barpoint_event_seq", lambda: hub.state()["seq"])
    metrics.gauge("barpoint_live", lambda: hub.state()["state"] == "live")


def _add_pages(app: FastAPI) -> None:
    for path, name in PAGES.items():
        app.router.routes.append(Route(path, _page(STATIC / name), methods=["GET"]))
    app.router.routes.append(Route("/sw.js", _page(STATIC / "sw.js"), methods=["GET"]))
    app.mount("/static", StaticFiles(directory=STATIC), name="static")


def _page(file: Path) -> Any:
    async def page(_: Any) -> FileResponse:
        return FileResponse(file, headers={"Cache-Control": "no-cache"})

    return page


def _add_documents(app: FastAPI) -> None:
    """Serve the OpenAPI and the AsyncAPI document."""

    def document() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = openapi_document(app, app.routes)
        return app.openapi_schema

    app.openapi = document  # type: ignore[method-assign]  # FastAPI documents this as the way to extend the schema

    @app.get("/api/v1/openapi.json", include_in_schema=False)
    async def openapi() -> dict[str, Any]:
        return document()

    @app.get("/api/v1/asyncapi.json", include_in_schema=False)
    async def asyncapi() -> dict[str, Any]:
        return asyncapi_document(app, hasattr(app.state, "desk"))
