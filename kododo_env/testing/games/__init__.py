"""The checks of ``check_batch_game``, except those of hidden information."""
