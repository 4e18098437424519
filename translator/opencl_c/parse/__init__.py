"""Tokens to a syntax tree, the grammar rule above each method."""
