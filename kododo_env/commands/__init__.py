"""The commands of the command line ``kododo``, such as ``kododo evaluate``."""
