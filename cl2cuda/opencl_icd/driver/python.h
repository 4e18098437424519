/* The Python that answers the calls: found in the process or loaded, never linked.

   Only functions of Python's stable ABI are used, declared here and looked up by name: so one library serves Python 3.10 and later,
   and is built where no Python headers are. */
#ifndef CL2CUDA_PYTHON_H
#define CL2CUDA_PYTHON_H

#include <stddef.h>
#include <stdint.h>

typedef struct _object PyObject;
typedef intptr_t Py_ssize_t;
typedef PyObject *(*PyCFunction)(PyObject *, PyObject *);
typedef struct { const char *name; PyCFunction function; int flags; const char *text; } PyMethodDef;
enum { METH_VARARGS = 1, PyBUF_WRITE = 0x200 };

/* result, name, parameters */
#define PYTHON_FUNCTIONS(F) \
    F(int, Py_IsInitialized, (void)) \
    F(void, Py_InitializeEx, (int)) \
    F(const char *, Py_GetVersion, (void)) \
    F(void, Py_IncRef, (PyObject *)) \
    F(void, Py_DecRef, (PyObject *)) \
    F(int, PyGILState_Ensure, (void)) \
    F(void, PyGILState_Release, (int)) \
    F(int, PyGILState_Check, (void)) \
    F(void *, PyGILState_GetThisThreadState, (void)) \
    F(void *, PyEval_SaveThread, (void)) \
    F(void, PyEval_RestoreThread, (void *)) \
    F(void, PyThreadState_Clear, (void *)) \
    F(void, PyThreadState_DeleteCurrent, (void)) \
    F(void, PyOS_BeforeFork, (void)) \
    F(void, PyOS_AfterFork_Parent, (void)) \
    F(void, PyOS_AfterFork_Child, (void)) \
    F(PyObject *, PyImport_ImportModule, (const char *)) \
    F(PyObject *, PyObject_GetAttrString, (PyObject *, const char *)) \
    F(PyObject *, PyObject_CallObject, (PyObject *, PyObject *)) \
    F(PyObject *, PyObject_CallFunction, (PyObject *, const char *, ...)) \
    F(PyObject *, PyObject_CallMethod, (PyObject *, const char *, const char *, ...)) \
    F(int, PyArg_ParseTuple, (PyObject *, const char *, ...)) \
    F(PyObject *, PyCFunction_NewEx, (PyMethodDef *, PyObject *, PyObject *)) \
    F(PyObject *, PyDict_New, (void)) \
    F(int, PyDict_SetItemString, (PyObject *, const char *, PyObject *)) \
    F(int, PyDict_SetItem, (PyObject *, PyObject *, PyObject *)) \
    F(int, PyDict_DelItem, (PyObject *, PyObject *)) \
    F(PyObject *, PyDict_GetItemString, (PyObject *, const char *)) \
    F(PyObject *, PyDict_GetItemWithError, (PyObject *, PyObject *)) \
    F(PyObject *, PyTuple_New, (Py_ssize_t)) \
    F(int, PyTuple_SetItem, (PyObject *, Py_ssize_t, PyObject *)) \
    F(PyObject *, PyTuple_GetItem, (PyObject *, Py_ssize_t)) \
    F(Py_ssize_t, PyTuple_Size, (PyObject *)) \
    F(PyObject *, PyLong_FromLongLong, (long long)) \
    F(PyObject *, PyLong_FromUnsignedLongLong, (unsigned long long)) \
    F(PyObject *, PyLong_FromVoidPtr, (void *)) \
    F(unsigned long long, PyLong_AsUnsignedLongLongMask, (PyObject *)) \
    F(PyObject *, PyBytes_FromStringAndSize, (const char *, Py_ssize_t)) \
    F(int, PyBytes_AsStringAndSize, (PyObject *, char **, Py_ssize_t *)) \
    F(PyObject *, PyMemoryView_FromMemory, (char *, Py_ssize_t, int)) \
    F(PyObject *, PyErr_Occurred, (void)) \
    F(void, PyErr_Clear, (void)) \
    F(void, PyErr_Print, (void)) \
    F(void, PyErr_Fetch, (PyObject **, PyObject **, PyObject **)) \
    F(void, PyErr_Restore, (PyObject *, PyObject *, PyObject *)) \
    F(void, PyErr_NormalizeException, (PyObject **, PyObject **, PyObject **)) \
    F(PyObject *, PyErr_NoMemory, (void)) \
    F(int, Py_AddPendingCall, (int (*)(void *), void *))

#define MEMBER(result, name, parameters) result (*name) parameters;
struct python {
    PYTHON_FUNCTIONS(MEMBER)
    /* What some versions lack. */
    void (*Py_SetProgramName)(const wchar_t *);
    int (*Py_IsFinalizing)(void);
    int *Py_NoSiteFlag;
    PyObject *none;
};
#undef MEMBER

extern struct python py;

/* Loads and starts Python and the package's Python side, once; 0 if there is none, which is said on standard error. */
int python_started(void);

/* This library's file where dlmopen has loaded it into a namespace that is not the program's, where no Python can start; else NULL. */
const char *path_in_other_namespace(void);

/* Takes Python's lock, from any thread; 0 if Python has ended or never started. An exception of the thread's, on whose way an object of
   ours goes, is set aside until it leaves. */
int python_enter(int *state);
void python_leave(int state);

/* The same while Python ends, by the thread that ends it, with its lock: from the last destructors. Modules may have lost their names. */
int python_enter_at_end(int *state);

/* Whether an exception that leaves the package is the Python program's own, as a signal's handler raises it: then its three references are
   taken, and it is raised again when the program runs on. */
int comes_later(PyObject *type, PyObject *value, PyObject *trace);
/* The exception that is set, which no caller hears of: unless it comes later it is forgotten, and `prints` prints it. */
void drop_exception(int prints);
extern PyObject *comes_again; /* the package's function */

/* How often Python has been left. As long as this stays, the package has been given nothing to do. */
extern uint64_t python_entries;

/* Whether Python has started and not ended. */
int python_alive(void);

/* Has the package told of the process's exit, and write the trace where there is one, before what has been registered for it by now. CUDA
   has: after its own part of the exit it tells no times, and crashes where a thread that drops an object of ours calls it. So this is
   called after each queue that was made, with which CUDA has begun on a device. */
void end_at_exit(void);
extern int python_was_told_of_exit;

/* Implemented by package.c: given the package's `start`, connects both sides; 0 if that failed (with Python's error set). */
int connect_package(PyObject *start, int is_ours);

#endif
