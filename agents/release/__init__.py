"""Make, measure and describe the shipped policies."""
