"""Cuts and compiles the archives of the static page. Runs in Pyodide, whose Python loads them."""

from __future__ import annotations

import ast
import io
import sys
import zipfile
from collections.abc import Collection, Iterable, Iterator
from importlib._bootstrap_external import _code_to_hash_pyc  # type: ignore[import-not-found]
from types import CodeType

Files = dict[str, bytes]
OLDEST = (1980, 1, 1, 0, 0, 0)  # the time in a zip, so that the same files give the same bytes
STARTED = frozenset(sys.modules)
FROZEN = [
    name
    for name in STARTED
    if getattr(getattr(sys.modules[name], "__spec__", None), "origin", None) == "frozen"
]
# What numpy imports of the standard library: where a page loads it, it is not here to be read.
OF_NUMPY = (
    "ast", "bisect", "collections.abc", "contextlib", "contextvars", "copy", "ctypes", "datetime",
    "enum", "functools", "hashlib", "importlib.metadata", "inspect", "io", "json", "numbers",
    "operator", "os", "pathlib", "pickle", "platform", "random", "re", "secrets", "shutil",
    "struct", "tempfile", "textwrap", "threading", "types", "typing", "warnings", "weakref",
    "zipfile",
)  # fmt: skip
# What is asked for by a name that is no import.
BY_NAME = (
    "encodings.ascii", "encodings.cp437", "encodings.latin_1", "encodings.utf_8",
    "encodings.utf_8_sig", "traceback",
)  # fmt: skip
# What no table needs: of numpy what is for its tests, its makers and other libraries; of Python's
# library what is for other systems, for processes, and where parts in C are missing. Files are
# named by parts of their names, which begin with ^ here.
UNNEEDED = (
    "/tests/", "/testing/", "/f2py/", "/fft/", "/ma/", "/polynomial/", "/distutils/", "/include/",
    "/lib/lib", "/lapack_lite.", "/_simd.", "_tests.", ".pyi", ".pxd", "/_pyinstaller/",
    "/_examples/", "/recfunctions.", "/conftest.", "/RECORD", "/_core/strings.", "/defchararray.",
    "/ctypeslib.", "/_pep440.", "^numpy/core/", "^numpy/compat/", "^numpy/doc/", "/mypy_plugin.",
    "/matlib.", "/_configtool.", "user_array", "/METADATA",
    "^multiprocessing/", "^concurrent/futures/process.", "^asyncio/windows_", "^asyncio/proactor_",
    "^_pydatetime.",
)  # fmt: skip
# What is imported and never called: in its place is a module that has None under every name.
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
    """The same archives with ``x.pyc``, without docstrings, for each ``x.py`` that is kept.

    Args:
        library: Python's, of which is kept what Pyodide, numpy and the package import.
        package: The project's, of which is kept what a table in a page's worker imports.
        numpy: Its wheel, of which is kept what play needs; None: there is none.
    """
    modules = _cut(_files(library))
    package_files = _files(package)
    lazy_files = {*package_files, *(name for name in modules if "pyodide" in name)}
    roots = [*STARTED, *OF_NUMPY, *BY_NAME, *_dynamic_imports(package_files)]
    needed = _with_imports(modules | package_files, roots, lazy_files)
    needed -= {f"{name.replace('.', '/')}.py" for name in FROZEN}  # which Python has in itself
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
    """What is needed of a library, with a stand-in for each module that is only imported."""
    library: Files = {}
    for name, content in files.items():
        if any(part in f"^{name}" for part in IDLE):
            library[f"{name.split('.')[0]}.py"] = STAND_IN
        elif not any(part in f"^{name}" for part in UNNEEDED):
            library[name] = content
    return library


def _dynamic_imports(package: Files) -> list[str]:
    """Our own modules that nothing imports: that of a page's worker, environment modules, and what
    these name."""
    return [
        name.removesuffix(".py")
        for name in package
        if name.count("/") < 2 or "/baselines/" in name or name.endswith("/play/worker.py")
    ]


def _with_imports(modules: Files, roots: Iterable[str], lazy_files: Collection[str]) -> set[str]:
    """The files of the modules that are wanted, and of all that are loaded with them.

    Of the files in ``lazy_files`` what only functions import is loaded, too.
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
    """What a file imports: modules, and names that may be modules.

    What only functions import is left out, unless ``include_lazy``, because it leads to most of the
    library and is hardly called; but modules of the file's own package are yielded.
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
    """All of a module but what is in functions, and what it does as a program."""
    for node in ast.iter_child_nodes(tree):
        program = isinstance(node, ast.If) and "'__main__'" in ast.unparse(node.test)
        if not program and not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node
            yield from _at_once(node)


def _pack(files: Files) -> bytes:
    """An archive of these files, their modules compiled: Python finds these where they lie."""
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
    """Code without the places of its lines, a sixth of it; pages tell an error's message alone.

    Of up to eight units of code each entry says that they have none.
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
    """A module's tree with empty docstrings, which are half of numpy; Pyodide reads its own."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and "pyodide" not in name:
            match node.body[0] if node.body else None:
                case ast.Expr(ast.Constant(str()) as docstring):
                    docstring.value = " "  # in place of none a dataclass would write its own
    return tree
