"""The half that learns: networks, self-play PPO, export, and the policies that are made with them.

Used from a checkout by ``train.py`` and ``evaluate.py``; not in the wheel. The half that plays and
measures is ``kododo_env``.
"""
