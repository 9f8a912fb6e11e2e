"""Export models of torch, stable-baselines3 or ONNX as policy files."""

from __future__ import annotations

from typing import Any

from kododo_env.system.extras import needs

needs("kododo_env.export", "export", "onnx")

from kododo_env.export.policy_export import export  # noqa: E402

__all__ = ["export", "export_tables"]


def __getattr__(name: str) -> Any:
    """Import ``export_tables`` on first use, because it needs torch."""
    if name != "export_tables":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    needs("export_tables", "export", "torch", "onnxscript")
    from kododo_env.export.table_files import export_tables

    return export_tables
