"""Records of games: written as they are played, read, checked against the core, shown again."""

from __future__ import annotations

from kododo_env.records.header import Header
from kododo_env.records.record import Record, Step, parse_record, read_record
from kododo_env.records.recorder import Recorder, record_games
from kododo_env.records.replay import replay

__all__ = [
    "Header",
    "Record",
    "Recorder",
    "Step",
    "parse_record",
    "read_record",
    "record_games",
    "replay",
]
