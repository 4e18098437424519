"""Text to tokens' text: macros, conditions, headers, with a map back to the user's lines."""
