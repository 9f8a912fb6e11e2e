"""Where networks act and learn: on the processor, or on a GPU where there is one."""

from __future__ import annotations

import torch

from kododo_env.core.numbers import shown

GPUS = ("cuda", "mps")
DEVICES = ("cpu", *GPUS, "auto")


def device_named(name: str) -> str:
    """The device that is meant: "cpu", "cuda" or "mps"; "auto" is a GPU if torch finds one.

    Raises:
        ValueError: There is no such device, or not here.
    """
    if name not in DEVICES:
        raise ValueError(f"--device must be one of {', '.join(DEVICES)}, not {shown(name)}")
    here = [gpu for gpu in GPUS if getattr(torch, gpu).is_available()]
    if name == "auto":
        return (*here, "cpu")[0]
    if name in GPUS and name not in here:
        raise ValueError(f"--device {name}: torch finds none here; use --device cpu or auto")
    return name
