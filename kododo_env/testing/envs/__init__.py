"""The individual checks of ``check_parallel_env``."""
