"""Policy files: reading, checking and playing them."""
