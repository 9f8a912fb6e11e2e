"""Policy files: what is in them, how they are checked and played."""
