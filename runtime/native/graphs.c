/* A command between two events as one CUDA graph: in three calls the first event is reached before the command has been given, so that it
   tells the host's time, too; and they take longer. And a launch by itself. */
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

/* Each takes 84 KiB of the device's memory and 18 of the host's. */
enum { MOST_REPEATED = 128 };
static unsigned repeated_grids;

struct repeated_grid *new_repeated_grid(const struct graph_calls *calls, const struct grid *grid, void *stream, int is_dependent)
{
    struct repeated_grid *repeated = calls->new_event ? calloc(1, sizeof *repeated) : NULL;
    if (!repeated)
        return NULL;
    repeated->stream = stream;
    repeated->is_dependent = is_dependent;
    if (__atomic_fetch_add(&repeated_grids, 1, __ATOMIC_RELAXED) < MOST_REPEATED && !calls->create(&repeated->graph, 0)
        && !calls->add_kernel(&repeated->work, repeated->graph, NULL, 0, grid) && !calls->instantiate(&repeated->made, repeated->graph, 0)
        && (!is_dependent || (!calls->new_event(&repeated->begun, 0) && !calls->new_event(&repeated->ended, 0))))
        return repeated;
    end_repeated_grid(calls, repeated);
    return NULL;
}

void end_repeated_grid(const struct graph_calls *calls, struct repeated_grid *repeated)
{
    if (!repeated)
        return;
    if (repeated->begun)
        calls->end_event(repeated->begun);
    if (repeated->ended)
        calls->end_event(repeated->ended);
    end_graph(calls, &(struct timed_graph){ .graph = repeated->graph, .made = repeated->made });
    free(repeated);
    __atomic_fetch_sub(&repeated_grids, 1, __ATOMIC_RELAXED);
}

/* Where a launch was measured that has ended: whether the grid is brief. Events around an empty one are 3 to 4.5 us apart, and much farther
   where the host was kept from giving them at once, or the graph is new: only several measurements in a row say that a grid is not brief. */
static void end_measuring(const struct graph_calls *calls, struct repeated_grid *repeated)
{
    enum { MOST_DOUBTS = 3 };
    static const float brief = 0.005f;
    float milliseconds;
    if (calls->elapsed(&milliseconds, repeated->begun, repeated->ended))
        return;
    repeated->is_measured = 0;
    repeated->doubts = milliseconds < brief ? 0 : repeated->doubts + 1;
    if (!repeated->doubts || repeated->doubts == MOST_DOUBTS) {
        repeated->is_brief = !repeated->doubts;
        repeated->doubts = 0;
    }
}

static int launch_alone(const struct graph_calls *calls, struct repeated_grid *repeated, const struct grid *grid, int is_idle)
{
    enum { MEASURED_EVERY = 1024, MEASURED_AGAIN = 64, ASKED_EVERY = 8 };
    void *stream = repeated->stream;
    unsigned number = repeated->launches++;
    if (repeated->is_measured && number % ASKED_EVERY == 0)
        end_measuring(calls, repeated);
    int measures = repeated->is_dependent && !repeated->is_measured && number % (repeated->doubts ? MEASURED_AGAIN : MEASURED_EVERY) == 0;
    if (repeated->is_refused || (repeated->is_dependent && !repeated->is_brief && !is_idle && !measures)
        || (measures && calls->record(repeated->begun, stream)))
        return 0;
    repeated->is_refused = calls->set_kernel(repeated->made, repeated->work, grid) || calls->launch(repeated->made, stream);
    repeated->is_measured |= measures && !repeated->is_refused && !calls->record(repeated->ended, stream);
    return !repeated->is_refused;
}

int launch_repeated_grid(const struct graph_calls *calls, struct repeated_grid *repeated, const struct grid *grid, void *stream,
                         int is_idle)
{
    enum { CROWDED_FOR = 4096 }; /* launches, once threads have met */
    static unsigned inside, crowded;
    int launched = 0;
    if (repeated->stream != stream)
        return 0;
    unsigned left = __atomic_load_n(&crowded, __ATOMIC_RELAXED);
    if (left) {
        __atomic_store_n(&crowded, left - 1, __ATOMIC_RELAXED); /* It is only about when. */
        return 0;
    }
    if (__atomic_fetch_add(&inside, 1, __ATOMIC_RELAXED))
        __atomic_store_n(&crowded, CROWDED_FOR, __ATOMIC_RELAXED);
    else
        launched = launch_alone(calls, repeated, grid, is_idle);
    __atomic_fetch_sub(&inside, 1, __ATOMIC_RELAXED);
    return launched;
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
