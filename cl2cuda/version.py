"""The one place that holds cl2cuda's version."""

VERSION = "0.1.0"
