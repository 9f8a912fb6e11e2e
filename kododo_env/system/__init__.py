"""Files, locks and signals, as the operating system has them."""
