"""Checks that hidden cards stay hidden, in views and in determinised batches."""
