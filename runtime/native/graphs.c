/* A launch between two events as one CUDA graph. In three calls the first event is reached before the launch has been made, so that it tells the
   host's time, too; and they take longer. */
#include "calls.h"

struct timed_grid {
    void *graph, *made, *begun, *kernel, *ended; /* the graph, what is launched of it, and its nodes */
};

struct timed_grid *new_timed_grid(const struct graph_calls *calls, const struct grid *grid, void *begun, void *ended)
{
    struct timed_grid *timed = calloc(1, sizeof *timed);
    if (timed && !calls->create(&timed->graph, 0) && !calls->add_record(&timed->begun, timed->graph, NULL, 0, begun)
        && !calls->add_kernel(&timed->kernel, timed->graph, &timed->begun, 1, grid)
        && !calls->add_record(&timed->ended, timed->graph, &timed->kernel, 1, ended) && !calls->instantiate(&timed->made, timed->graph, 0))
        return timed;
    end_timed_grid(calls, timed);
    return NULL;
}

int launch_timed_grid(const struct graph_calls *calls, const struct timed_grid *timed, const struct grid *grid, void *begun, void *ended,
                      void *stream)
{
    int status = calls->set_kernel(timed->made, timed->kernel, grid);
    if (!status)
        status = calls->set_event(timed->made, timed->begun, begun);
    if (!status)
        status = calls->set_event(timed->made, timed->ended, ended);
    return status ? status : calls->launch(timed->made, stream);
}

void end_timed_grid(const struct graph_calls *calls, struct timed_grid *timed)
{
    if (timed && timed->made)
        calls->end_made(timed->made); /* once it has run */
    if (timed && timed->graph)
        calls->end(timed->graph);
    free(timed);
}
