"""Training: self-play PPO, export to policy files, and the making of the shipped policies.

``train.py`` and ``evaluate.py`` use this package from a checkout; it is not in the wheel. Playing
and evaluation are in ``kododo_env``.
"""
