"""Records of games: writing while games are played, reading, checking by replay, and showing.

The package also writes and reads decisions as columns of numbers, for offline learning.
"""

from kododo_env.records.decision_file import DecisionFile, read_decisions
from kododo_env.records.decisions import DecisionLog, Decisions
from kododo_env.records.header import Header
from kododo_env.records.record import Record, parse_record, read_record
from kododo_env.records.recorder import Recorder, record_games
from kododo_env.records.replay import replay

__all__ = [
    "DecisionFile",
    "DecisionLog",
    "Decisions",
    "Header",
    "Record",
    "Recorder",
    "parse_record",
    "read_decisions",
    "read_record",
    "record_games",
    "replay",
]
