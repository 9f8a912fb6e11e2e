"""Draw cards and tables as SVG, render SVG as pixels, and translate texts for players."""
