"""Type aliases for arrays by dtype; docstrings give the shapes."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Bool = npt.NDArray[np.bool_]
Uint8 = npt.NDArray[np.uint8]
Int8 = npt.NDArray[np.int8]
Int16 = npt.NDArray[np.int16]
Int64 = npt.NDArray[np.int64]
Intp = npt.NDArray[np.intp]
Integer = npt.NDArray[np.integer[Any]]
Float32 = npt.NDArray[np.float32]
Float64 = npt.NDArray[np.float64]
Floating = npt.NDArray[np.floating[Any]]
