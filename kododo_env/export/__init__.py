"""Policy files from models that anybody trained anywhere: torch, stable-baselines3, ONNX."""

from kododo_env.system.extras import needs

needs("kododo_env.export", "export", "onnx")

from kododo_env.export.exporting import export  # noqa: E402

__all__ = ["export"]
