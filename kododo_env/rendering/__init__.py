"""Drawing: cards, tables and boards as SVG, and SVG as pixels."""
