/* Errors that are forgotten before Python does it all again, which raises them again, and what would be lost so: what a signal's handler
   has raised, such as KeyboardInterrupt or SystemExit, or any other exception, in a piece of Python that code in C has called. */
#include "calls.h"

/* An exception's type, value and traceback. */
struct exception {
    PyObject *type, *value, *trace;
};

static int raise_again(void *taken)
{
    struct exception error = *(struct exception *)taken;
    free(taken);
    PyErr_Restore(error.type, error.value, error.trace);
    return -1;
}

/* Signals' handlers run on Python's main thread alone. */
static int is_main_thread(void)
{
    PyObject *threading = PyImport_ImportModule("threading");
    PyObject *thread = threading ? PyObject_CallMethod(threading, "main_thread", NULL) : NULL;
    PyObject *number = thread ? PyObject_GetAttrString(thread, "ident") : NULL;
    int is_main = number && PyLong_AsUnsignedLongLong(number) == PyThread_get_thread_ident();
    drop(number);
    drop(thread);
    drop(threading);
    PyErr_Clear();
    return is_main;
}

/* The thread raises the exception when it next runs a step of Python's. Where it is not the main one, another thread has had it raised
   there, which gives a class alone. */
static void have_raised_again(const struct exception *error)
{
    struct exception *taken;
    if (!is_main_thread()) {
        PyThreadState_SetAsyncExc(PyThread_get_thread_ident(), error->type);
    } else if ((taken = malloc(sizeof *taken))) {
        *taken = *error;
        if (!Py_AddPendingCall(raise_again, taken))
            return;
        free(taken);
    }
    drop(error->type);
    drop(error->value);
    drop(error->trace);
}

/* As interruptions.came_from_beside (runtime/process). What code in C has raised by itself has no trace. */
static int came_from_beside(PyObject *trace)
{
    PyObject *answer = trace && known.came_from_beside ? PyObject_CallFunction(known.came_from_beside, "O", trace) : NULL;
    int came = answer == TRUE_;
    drop(answer);
    PyErr_Clear();
    return came;
}

void forget_this_error(void)
{
    struct exception error;
    int is_common = PyErr_ExceptionMatches(PyExc_Exception);
    PyErr_Fetch(&error.type, &error.value, &error.trace);
    if (!is_common || came_from_beside(error.trace)) {
        have_raised_again(&error);
        return;
    }
    drop(error.type);
    drop(error.value);
    drop(error.trace);
}
