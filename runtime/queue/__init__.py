"""Command-queues and events: what runs when. It may import context and what is below it."""
