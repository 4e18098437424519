"""What is enqueued, one file a kind of command. It may import kernel and what is below it."""
