"""The package itself: it needs nothing but the standard library and its errors, and no clock, chance or file."""

import ast
import sys
from pathlib import Path

import controller.rules

FORBIDDEN = {"time", "datetime", "random", "secrets", "threading", "asyncio", "logging", "os", "io", "pathlib"}


def imported_names() -> dict[str, set[str]]:
    """Return the modules that each file of the package imports."""
    found = {}
    for path in Path(controller.rules.__file__).parent.glob("*.py"):
        names: set[str] = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                names.add(node.module or "")
        found[path.name] = names
    return found


def test_rules_import_only_the_standard_library_themselves_and_errors():
    for name, modules in imported_names().items():
        for module in modules:
            top = module.split(".")[0]
            own = module == "controller.errors" or module.split(".")[:2] == ["controller", "rules"]
            assert own or top in sys.stdlib_module_names, (name, module)


def test_rules_know_no_clock_no_chance_no_file_and_no_thread():
    for name, modules in imported_names().items():
        assert not {module.split(".")[0] for module in modules} & FORBIDDEN, name


def test_everything_announced_is_there():
    assert len(set(controller.rules.__all__)) == len(controller.rules.__all__)
    for name in controller.rules.__all__:
        assert hasattr(controller.rules, name)
