"""Image objects, their formats, regions and storage. It may import memory and what is below it."""
