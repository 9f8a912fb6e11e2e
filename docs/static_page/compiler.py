"""Reduce and compile the archives of the static page. Runs in Pyodide, whose Python loads them."""

from __future__ import annotations

import ast
import io
import sys
import zipfile
from collections.abc import Collection, Iterable, Iterator
from importlib._bootstrap_external import _code_to_hash_pyc  # type: ignore[import-not-found]
from types import CodeType

Files = dict[str, bytes]
OLDEST = (1980, 1, 1, 0, 0, 0)  # a fixed time in zips, so that the same files give the same bytes
STARTED = frozenset(sys.modules)
FROZEN = [
    name
    for name in STARTED
    if getattr(getattr(sys.modules[name], "__spec__", None), "origin", None) == "frozen"
]
# What numpy imports of the standard library, for pages that load numpy from elsewhere.
OF_NUMPY = (
    "ast", "bisect", "collections.abc", "contextlib", "contextvars", "copy", "ctypes", "datetime",
    "enum", "functools", "hashlib", "importlib.metadata", "inspect", "io", "json", "numbers",
    "operator", "os", "pathlib", "pickle", "platform", "random", "re", "secrets", "shutil",
    "struct", "tempfile", "textwrap", "threading", "types", "typing", "warnings", "weakref",
    "zipfile",
)  # fmt: skip
# Modules that are imported by name, without an import statement.
BY_NAME = (
    "encodings.ascii", "encodings.cp437", "encodings.latin_1", "encodings.utf_8",
    "encodings.utf_8_sig", "traceback",
)  # fmt: skip
# Parts of names of files that no table needs: numpy's tests, build tools and interfaces to other
# libraries; modules of the standard library for other systems, for processes, and for interpreters
# without modules in C. ^ marks the beginning of a name.
UNNEEDED = (
    "/tests/", "/testing/", "/f2py/", "/fft/", "/ma/", "/polynomial/", "/distutils/", "/include/",
    "/lib/lib", "/lapack_lite.", "/_simd.", "_tests.", ".pyi", ".pxd", "/_pyinstaller/",
    "/_examples/", "/recfunctions.", "/conftest.", "/RECORD", "/_core/strings.", "/defchararray.",
    "/ctypeslib.", "/_pep440.", "^numpy/core/", "^numpy/compat/", "^numpy/doc/", "/mypy_plugin.",
    "/matlib.", "/_configtool.", "user_array", "/METADATA",
    "^multiprocessing/", "^concurrent/futures/process.", "^asyncio/windows_", "^asyncio/proactor_",
    "^_pydatetime.",
)  # fmt: skip
# Modules that are imported but never called; STAND_IN replaces them.
IDLE = (
    "/_umath_linalg.", "/mtrand.", "/_mt19937.", "/_philox.", "/_sfc64.", "/_add_newdocs",
    "/_polynomial_impl.", "/_nanfunctions_impl.", "/_histograms_impl.", "/records.",
    "/_datasource.", "/_machar.", "/memmap.", "/_type_check_impl.",
    "^html/entities.", "^tarfile.", "^ipaddress.", "^asyncio/sslproto.",
    "^subprocess.", "^pickle.", "^platform.", "^email/", "^urllib/",
)  # fmt: skip
STAND_IN = b"""
__all__ = ["RandomState"]
def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
class RandomState:
    "Of mtrand: numpy's default_rng asks whether it was given one."
"""


def compiled(library: bytes, package: bytes, numpy: bytes | None = None) -> list[bytes]:
    """Return the archives with ``x.pyc``, without docstrings, for each ``x.py`` that is needed.

    Args:
        library: Python's standard library; modules that Pyodide, numpy or the package import are
            kept.
        package: This package; modules that a table in a worker of the page imports are kept.
        numpy: The wheel of numpy; modules that play needs are kept. None: there is no wheel.
    """
    modules = _cut(_files(library))
    package_files = _files(package)
    lazy_files = {*package_files, *(name for name in modules if "pyodide" in name)}
    roots = [*STARTED, *OF_NUMPY, *BY_NAME, *_dynamic_imports(package_files)]
    needed = _with_imports(modules | package_files, roots, lazy_files)
    needed -= {f"{name.replace('.', '/')}.py" for name in FROZEN}  # built into Python
    needed |= {name for name in package_files if not name.endswith(".py")}
    archives = [
        {name: files[name] for name in files if name in needed}
        for files in (modules, package_files)
    ]
    if numpy is not None:
        archives.append(_cut(_files(numpy)))
    return [_pack(files) for files in archives]


def _files(archive: bytes) -> Files:
    with zipfile.ZipFile(io.BytesIO(archive)) as zip_file:
        return {name: zip_file.read(name) for name in zip_file.namelist() if not name.endswith("/")}


def _cut(files: Files) -> Files:
    """Return the needed files of a library; modules that are only imported become stand-ins."""
    library: Files = {}
    for name, content in files.items():
        if any(part in f"^{name}" for part in IDLE):
            library[f"{name.split('.')[0]}.py"] = STAND_IN
        elif not any(part in f"^{name}" for part in UNNEEDED):
            library[name] = content
    return library


def _dynamic_imports(package: Files) -> list[str]:
    """Return modules of the package that are imported by name: the worker, environment modules,
    scripted players, and the words and pictures of games.
    """
    return [
        name.removesuffix(".py")
        for name in package
        if name.count("/") < 2
        or any(part in name for part in ("/baselines/", "/text/", "/play/worker.py"))
    ]


def _with_imports(modules: Files, roots: Iterable[str], lazy_files: Collection[str]) -> set[str]:
    """Return the files of some modules, and of all modules that are loaded with them.

    Imports inside functions are followed only for the files in ``lazy_files``.
    """
    files = set[str]()
    stack = [*roots]
    while stack:
        path = stack.pop().replace(".", "/")
        if "/" in path:
            stack.append(path.rpartition("/")[0])
        for name in {f"{path}.py", f"{path}/__init__.py"} & modules.keys() - files:
            files.add(name)
            stack += _imports(name, modules[name], include_lazy=name in lazy_files)
    return files


def _imports(name: str, source: bytes, include_lazy: bool) -> Iterator[str]:
    """Yield what a file imports: modules, and names that may be modules.

    Imports inside functions are left out unless ``include_lazy``, because they lead to most of the
    library and are rarely executed; but modules of the file's own package are always yielded.
    """
    if not name.endswith(".py"):
        return
    package = name.split("/")[:-1]
    tree = ast.parse(source)
    loaded = {id(node) for node in _at_once(tree)}
    for node in ast.walk(tree):
        imports = []
        if isinstance(node, ast.Import):
            imports = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            near = package[: len(package) + 1 - node.level] if node.level else []
            module = ".".join([*near, *filter(None, [node.module])])
            imports = [f"{module}.{alias.name}" for alias in node.names]
        for module in imports:
            if include_lazy or id(node) in loaded or module.split(".")[0] in package:
                yield module


def _at_once(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield all nodes of a module outside of functions and of the ``__main__`` block."""
    for node in ast.iter_child_nodes(tree):
        program = isinstance(node, ast.If) and "'__main__'" in ast.unparse(node.test)
        if not program and not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node
            yield from _at_once(node)


def _pack(files: Files) -> bytes:
    """Return an archive of files with their modules compiled, in the places where Python finds
    them.
    """
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files.items():
            if name.endswith(".py"):
                code = compile(_without_docstrings(name, content), name, "exec", dont_inherit=True)
                name = f"{name}c"
                content = _code_to_hash_pyc(_without_lines(code), bytes(8), False)
            archive.writestr(zipfile.ZipInfo(name, OLDEST), content, zipfile.ZIP_DEFLATED, 9)
    return buffer.getvalue()


def _without_lines(code: CodeType) -> CodeType:
    """Return code without its line table, a sixth of its size; pages only show messages of errors.

    Each entry of the new table says that up to eight code units have no line.
    """
    parts = code.co_consts
    units = len(code.co_code) // 2
    inner = [
        _without_lines(constant) if isinstance(constant, CodeType) else constant
        for constant in parts
    ]
    table = b"\xff" * (units // 8)
    if units % 8:
        table += bytes([0xF7 + units % 8])
    return code.replace(co_consts=tuple(inner), co_linetable=table)


def _without_docstrings(name: str, source: bytes) -> ast.Module:
    """Return the tree of a module with empty docstrings. Pyodide reads its own, which are kept."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and "pyodide" not in name:
            match node.body[0] if node.body else None:
                case ast.Expr(ast.Constant(str()) as docstring):
                    docstring.value = " "  # a dataclass without a docstring would generate one
    return tree
