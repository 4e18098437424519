"""The platform, its devices, and what they answer to queries. It may import build and what is below it."""
