"""Command-queues and events: what runs when. It may import context and what is below it.

    create            which kind of queue an application gets
    out_of_order      the out-of-order queue
    queue             the in-order queue: every command goes through `submit`
    deferred          commands that no driver can be given yet
    target            what commands know of what they are submitted to
    command           a command on its way, and the outcome of giving it to a stream
    event             a command's place, and user events
    stream_timeline   one stream, and how far its commands have come
    gate              what defers a command, and how it is let go
    properties        what a queue may be created with
"""
