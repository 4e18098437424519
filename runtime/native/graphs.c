/* A command between two events as one CUDA graph. In three calls the first event is reached before the command has been given, so that it
   tells the host's time, too; and they take longer. */
#include "graphs.h"

#include <stdlib.h>

/* CUmemorytype */
enum { HOST_MEMORY = 1, DEVICE_MEMORY = 2 };

static void end_graph(const struct graph_calls *calls, struct timed_graph *timed)
{
    if (timed->made)
        calls->end_made(timed->made); /* once it has run */
    if (timed->graph)
        calls->end(timed->graph);
    *timed = (struct timed_graph){ 0 };
}

/* Before the work's node is added, and after it. */
static int begin_graph(const struct graph_calls *calls, struct timed_graph *timed, void *begun)
{
    return !calls->create(&timed->graph, 0) && !calls->add_record(&timed->begun, timed->graph, NULL, 0, begun);
}

static int finish_graph(const struct graph_calls *calls, struct timed_graph *timed, void *ended)
{
    return !calls->add_record(&timed->ended, timed->graph, &timed->work, 1, ended) && !calls->instantiate(&timed->made, timed->graph, 0);
}

static int launch_graph(const struct graph_calls *calls, const struct timed_graph *timed, void *begun, void *ended, void *stream)
{
    int status = calls->set_event(timed->made, timed->begun, begun);
    if (!status)
        status = calls->set_event(timed->made, timed->ended, ended);
    return status ? status : calls->launch(timed->made, stream);
}

struct timed_graph *new_timed_grid(const struct graph_calls *calls, const struct grid *grid, void *begun, void *ended)
{
    struct timed_graph *timed = calloc(1, sizeof *timed);
    if (timed && begin_graph(calls, timed, begun) && !calls->add_kernel(&timed->work, timed->graph, &timed->begun, 1, grid)
        && finish_graph(calls, timed, ended))
        return timed;
    end_timed_grid(calls, timed);
    return NULL;
}

int launch_timed_grid(const struct graph_calls *calls, const struct timed_graph *timed, const struct grid *grid, void *begun, void *ended,
                      void *stream)
{
    int status = calls->set_kernel(timed->made, timed->work, grid);
    return status ? status : launch_graph(calls, timed, begun, ended, stream);
}

void end_timed_grid(const struct graph_calls *calls, struct timed_graph *timed)
{
    if (timed)
        end_graph(calls, timed);
    free(timed);
}

/* One row: graphs can be told another place and size of no other copies. */
static struct copy row_of(enum copy_kind kind, uint64_t to, uint64_t from, size_t size)
{
    struct copy copy = { .width = size, .height = 1, .depth = 1 };
    copy.source = copy.target = (struct copy_end){ .memory_type = DEVICE_MEMORY, .pitch = size, .height = 1 };
    copy.source.device = from;
    copy.target.device = to;
    if (kind == HOST_TO_DEVICE)
        copy.source = (struct copy_end){ .memory_type = HOST_MEMORY, .host = from, .pitch = size, .height = 1 };
    if (kind == DEVICE_TO_HOST)
        copy.target = (struct copy_end){ .memory_type = HOST_MEMORY, .host = to, .pitch = size, .height = 1 };
    return copy;
}

static int give(struct stream_graphs *graphs, struct timed_graph *timed, const struct copy *copy, void *begun, void *ended, void *stream)
{
    const struct graph_calls *calls = &graphs->calls;
    if (!timed->made) {
        if (begin_graph(calls, timed, begun) && !calls->add_copy(&timed->work, timed->graph, &timed->begun, 1, copy, graphs->context)
            && finish_graph(calls, timed, ended))
            return !calls->launch(timed->made, stream);
        end_graph(calls, timed);
        return 0;
    }
    return !calls->set_copy(timed->made, timed->work, copy, graphs->context) && !launch_graph(calls, timed, begun, ended, stream);
}

int give_timed_copy(struct stream_graphs *graphs, enum copy_kind kind, uint64_t to, uint64_t from, size_t size, void *begun, void *ended,
                    void *stream)
{
    const struct copy copy = row_of(kind, to, from, size);
    if (__atomic_exchange_n(&graphs->copies[kind].taken, 1, __ATOMIC_ACQUIRE))
        return 0;
    int given = give(graphs, &graphs->copies[kind].timed, &copy, begun, ended, stream);
    if (given)
        __atomic_store_n(&graphs->copies[kind].taken, 0, __ATOMIC_RELEASE);
    return given;
}
