"""The two doors: viewers, who can only read, and the desk, which can also act."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
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
from api.pages import STATIC, page
from api.raster import Rasters
from api.routes import dice, health, match, pictures
from api.routes import setup as setup_routes
from api.routes import sight as sight_routes
from api.routes import table as table_routes
from api.routes.desk import desk_router
from api.source import DeskSource, TableSource
from api.stream import Hub, LiveStream
from api.tokens import Tokens
from api.visibility import PublicTable
from controller.ports import Setup

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
    sight: Path | None = None,
) -> FastAPI:
    """Return the viewers' door of one table: pages, read-only resources and the live stream.

    Args:
        table: what is shown.
        names: host names that are answered besides this computer's own and plain addresses.
        limits: what one client may ask for.
        beat_s: seconds between the beats of an idle live stream.
        delay_s: how much later than the table viewers see everything, until the desk decides otherwise.
        aids: whether viewers may see hints and the like; never of a tournament.
        sight: the file that keeps what the desk decides about both.
    """
    public = PublicTable(table, delay_s=delay_s, aids=aids, path=sight)
    hub = Hub(public.snapshot, public.events, beat_s=beat_s)
    public.add_publisher(hub)
    return _app(public, hub, names, limits or Limits())


def create_desk_app(
    table: DeskSource,
    tokens: Tokens,
    *,
    viewers: FastAPI | None = None,
    setup: Setup | None = None,
    names: Iterable[str] = (),
    limits: Limits | None = None,
    beat_s: float = 10.0,
) -> FastAPI:
    """Return the desk's door of one table: what viewers have, and the table itself for those with a token.

    Args:
        table: what is shown and takes the commands.
        tokens: who may give them.
        viewers: the viewers' door, whose delay this one keeps towards everybody without a token.
        setup: camera and board for the wizard and for the desk's picture, where there are any.
        names: see `create_app`.
        limits: see `create_app`.
        beat_s: see `create_app`.
    """
    limits = limits or Limits()
    shown: Context = (viewers or create_app(table, limits=limits, beat_s=beat_s)).state.context
    app = _app(shown.table, shown.hub, names, limits)
    metrics = app.state.context.metrics
    desk = Desk(table, tokens, metrics, guesses=limits.guesses)
    app.state.desk = desk
    app.state.whole = Context(PublicTable(table, aids=True), shown.hub, metrics)
    app.state.setup = setup
    app.include_router(desk_router())
    app.include_router(setup_routes.router)
    app.include_router(sight_routes.router)
    sockets = DeskSockets(desk, setup is not None)
    app.add_api_websocket_route("/api/v1/desk/socket", sockets.serve)
    for path, name in DESK_PAGES.items():
        app.router.routes.append(Route(path, page(name), methods=["GET"]))
    return app


def _app(public: PublicTable, hub: Hub, names: Iterable[str], limits: Limits) -> FastAPI:
    app = FastAPI(title="Barpoint", version="1", docs_url=None, redoc_url=None, openapi_url=None)
    metrics = Metrics()
    _watch(metrics, hub)
    app.state.context = Context(public, hub, metrics)
    app.state.rasters = Rasters()
    problems.install(app)
    app.include_router(table_routes.router)
    app.include_router(match.router)
    app.include_router(health.router)
    app.include_router(pictures.router)
    app.include_router(dice.router)
    hosts, traffic = own_names() | {name.lower() for name in names}, Traffic(limits)
    stream = LiveStream(hub, limits.viewers)
    paths = ("/api/v1/live", f"/api/v1/tables/{public.table_id}/live")
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
        app.router.routes.append(Route(path, page(name), methods=["GET"]))
    app.router.routes.append(Route("/sw.js", _service_worker, methods=["GET"]))
    app.mount("/static", StaticFiles(directory=STATIC), name="static")


async def _service_worker(_: Request) -> FileResponse:
    """Serve it from the root, since it may keep only pages below its own address."""
    return FileResponse(STATIC / "sw.js", headers={"Cache-Control": "no-cache"})


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
