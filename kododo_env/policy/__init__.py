"""Policy files: their content, how they are checked and played."""
